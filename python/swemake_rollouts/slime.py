"""
slime: `--custom-generate-function-path swemake_rollouts.slime.generate --custom-rm-path swemake_rollouts.slime.reward_func
--dynamic-sampling-filter-path swemake_rollouts.slime.dynamic_filter --rollout-function-path swemake_rollouts.slime.generate_rollout
--custom-reward-post-process-path swemake_rollouts.slime.normalized_rewards`
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .samples import filtered, finished, normalized_rewards, rewards_of, rolled_out, router_url

__all__ = ["dynamic_filter", "generate", "generate_rollout", "normalized_rewards", "reward_func"]


async def generate(args: Any, sample: Any, sampling_params: dict[str, Any], evaluation: bool = False) -> Any:
    return await rolled_out(args, sample, sampling_params, evaluation, router_url(args))


async def reward_func(args: Any, sample: Any, **_: Any) -> Any:
    return rewards_of(args, sample)


def dynamic_filter(args: Any, samples: list[Any], **_: Any) -> Any:
    return filtered("slime", samples)


def generate_rollout(args: Any, rollout_id: int, data_source: Any, evaluation: bool = False) -> Any:
    """slime's own rollout function, with `agent/*` added to its metrics."""
    own = import_module("slime.rollout.sglang_rollout").generate_rollout
    return finished(args, own(args, rollout_id, data_source, evaluation=evaluation))
