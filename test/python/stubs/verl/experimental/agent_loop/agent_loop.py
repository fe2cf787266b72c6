"""The base of verl's agent loops, with a tokenizer of bytes."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from types import SimpleNamespace

_agent_loop_registry: dict = {}


def register(name):
    def decorator(subclass):
        _agent_loop_registry[name] = subclass
        return subclass

    return decorator


@dataclass
class DictConfigWrap:
    config: object


@dataclass
class AgentLoopMetrics:
    generate_sequences: float = 0.0
    tool_calls: float = 0.0
    compute_score: float = 0.0


@dataclass
class AgentLoopOutput:
    prompt_ids: list
    response_ids: list
    response_mask: list
    metrics: AgentLoopMetrics
    response_logprobs: list | None = None
    reward_score: float | None = None
    num_turns: int = 0
    extra_fields: dict = field(default_factory=dict)


class AgentLoopBase(ABC):
    def __init__(self, trainer_config, server_manager, tokenizer, processor, dataset_cls, data_config, **kwargs):
        self.config = trainer_config.config
        self.rollout_config = self.config.actor_rollout_ref.rollout
        self.server_manager, self.tokenizer = server_manager, tokenizer

    async def ct_build_initial_tokens(self, messages):
        return self.tokenizer.written(messages)

    async def ct_merge_assistant_token(self, ids, reply, mask):
        return SimpleNamespace(token_ids=[*ids, *reply]), [1] * len(reply), None

    async def ct_merge_context_msg(self, before, now, ids, mask):
        added = self.tokenizer.written(now[len(before) :])
        return SimpleNamespace(token_ids=[*ids, *added]), [*mask, *[0] * len(added)], None

    @abstractmethod
    async def run(self, sampling_params, **kwargs): ...
