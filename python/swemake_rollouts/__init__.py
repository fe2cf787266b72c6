"""Rollouts of swemake's agent server for trainers. Each framework has a module of its own; none is imported here."""

from .client import AgentServers, Settings
from .rollout import Rollout, RolloutFault, Sequence

__all__ = ["AgentServers", "Rollout", "RolloutFault", "Sequence", "Settings"]
