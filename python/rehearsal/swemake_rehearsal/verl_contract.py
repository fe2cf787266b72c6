"""
Stand-ins for the parts of verl that agent loops use: their base, what they give, the registry, and the tokens of messages, for which the
engine's tokenizer is asked.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any


def agent_loop(package, module):
    registry = {}

    def register(name):
        def decorator(subclass):
            registry[name] = {"_target_": f"{subclass.__module__}.{subclass.__qualname__}"}
            return subclass

        return decorator

    @dataclass
    class AgentLoopMetrics:
        generate_sequences: float = 0.0
        tool_calls: float = 0.0
        compute_score: float = 0.0
        num_preempted: int = -1

    @dataclass
    class AgentLoopOutput:
        prompt_ids: list
        response_ids: list
        response_mask: list
        metrics: Any
        response_logprobs: list | None = None
        reward_score: float | None = None
        num_turns: int = 0
        extra_fields: dict = field(default_factory=dict)

    class AgentLoopBase(ABC):
        def __init__(self, trainer_config, server_manager, tokenizer, processor, dataset_cls, data_config, **_):
            self.config = trainer_config.config
            self.rollout_config = self.config.actor_rollout_ref.rollout
            self.server_manager, self.tokenizer, self.processor = server_manager, tokenizer, processor
            self.dataset_cls, self.data_config = dataset_cls, data_config.config

        async def ct_build_initial_tokens(self, messages, **_):
            return self.tokenizer.written(messages)[-self.rollout_config.prompt_length :]

        async def ct_merge_assistant_token(self, runtime_token_ids, assistant_token_ids, response_mask, *_, **__):
            return SimpleNamespace(token_ids=[*runtime_token_ids, *assistant_token_ids]), [*response_mask, *[1] * len(assistant_token_ids)], None

        async def ct_merge_context_msg(self, previous_messages, updated_messages, runtime_token_ids, response_mask, *_, **__):
            added = self.tokenizer.written(updated_messages[len(previous_messages) :])
            return SimpleNamespace(token_ids=[*runtime_token_ids, *added]), [*response_mask, *[0] * len(added)], None

        @abstractmethod
        async def run(self, sampling_params, **kwargs): ...

    module.AgentLoopBase, module.AgentLoopMetrics, module.AgentLoopOutput = AgentLoopBase, AgentLoopMetrics, AgentLoopOutput
    module.register, module._agent_loop_registry = register, registry
    module.DictConfigWrap = lambda config: SimpleNamespace(config=config)


MODULES = {"verl.experimental.agent_loop.agent_loop": agent_loop}
