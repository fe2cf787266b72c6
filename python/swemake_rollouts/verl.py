"""
verl: an agent loop named `swemake`. With a model address (`SWEMAKE_MODEL_URL`, or `model_url` in the loop's configuration) the
agent server asks the model; without one this loop generates with verl's own engine and steps the server's environment, so that
ids and log-probabilities are the engine's. Each sequence of a rollout is an output, which verl takes with `trainer.use_v1` (its
default), and all of them get the reward of the last one. A fault is an exception: verl marks its session as failed and trains on the others.
"""

from __future__ import annotations

import uuid
from typing import Any

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput, register

from .client import servers
from .metrics import token_metrics
from .rollout import Rollout, RolloutFault, Sequence, only_sequence
from .rows import instance_of

_SAMPLING = ("temperature", "top_p", "top_k", "repetition_penalty", "max_tokens")


@register("swemake")
class SwemakeAgentLoop(AgentLoopBase):  # type: ignore[misc]
    def __init__(self, *args: Any, model_url: str | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # verl's older trainer, without `use_v1`, takes one output of a rollout.
        trainer = getattr(self.config, "trainer", None)
        self.takes_several = bool(trainer is None or trainer.get("use_v1", True))
        self.servers = servers()
        self.model_url = model_url or self.servers.settings.model_url

    async def run(self, sampling_params: dict[str, Any], **kwargs: Any) -> Any:
        instance, longest = instance_of(kwargs), self.servers.settings.max_response
        if longest is not None:
            sampling_params = {**sampling_params, "max_tokens": longest}
        if self.model_url is None:
            rollout = await self._generated(instance, sampling_params)
        else:
            given = {key: sampling_params[key] for key in _SAMPLING if sampling_params.get(key) not in (None, -1)}
            rollout = await self.servers.run(instance, base_url=self.model_url, sampling_params=given)
        if rollout.is_fault:
            raise RolloutFault(f"there is no verdict on {instance}: {rollout.error}")
        if not rollout.sequences:
            raise RolloutFault(f"the model wrote nothing for {instance}")
        chosen = rollout.chosen(self.servers.settings.sequences)
        if not self.takes_several:
            chosen = [only_sequence(rollout, chosen, "verl without trainer.use_v1")]
        outputs = [self._output(rollout, sequence) for sequence in chosen]
        trained = sum(sum(output.response_mask) for output in outputs)
        tokens = token_metrics(sum(one.trained for one in rollout.sequences), trained)
        for output in outputs:
            output.extra_fields["reward_extra_info"].update(tokens)
        return outputs if self.takes_several else outputs[0]

    async def _generated(self, instance: str, sampling_params: dict[str, Any]) -> Rollout:
        """A rollout in the server's environment whose replies verl's engine generates."""
        dynamic = self.servers.settings.dynamic_history or None
        asked = {} if dynamic is None else {"dynamic_history": dynamic}
        server, answer = await self.servers.reset(instance, sample=uuid.uuid4().hex, **asked)
        session, request_id = answer.get("session_id"), uuid.uuid4().hex
        try:
            messages: list[dict[str, Any]] = answer.get("messages") or []
            ids = [] if answer.get("done") else await self.ct_build_initial_tokens(messages)
            while not answer.get("done"):
                generated = await self.server_manager.generate(
                    request_id=request_id, prompt_ids=ids, sampling_params=sampling_params
                )
                text = self.tokenizer.decode(generated.token_ids, skip_special_tokens=True)
                body = {"session_id": session, "content": text, "prompt_ids": ids, "token_ids": list(generated.token_ids)}
                if generated.log_probs:
                    body["logprobs"] = list(generated.log_probs)
                answer = await self.servers.call(server, "/step", body)
                if not answer.get("done"):
                    ids, messages = await self._next_prompt(messages, answer["messages"], ids, list(generated.token_ids))
            session = None
            return Rollout.of(answer)
        finally:
            if session is not None:
                await self.servers.call(server, "/close", {"session_id": session})

    async def _next_prompt(
        self, before: list[dict[str, Any]], now: list[dict[str, Any]], prompt: list[int], reply: list[int]
    ) -> tuple[list[int], list[dict[str, Any]]]:
        """Ids of the next prompt: the last prompt, the reply as it was sampled, and the new messages. If the history was
        shortened, verl renders the messages anew."""
        goes_on = len(now) > len(before) + 1 and now[: len(before)] == before and now[len(before)]["role"] == "assistant"
        if not goes_on:
            return await self.ct_build_initial_tokens(now), now
        merged, mask, _ = await self.ct_merge_assistant_token(prompt, reply, [])
        earlier = now[: len(before) + 1]
        merged, _, _ = await self.ct_merge_context_msg(earlier, now, merged.token_ids, mask)
        return list(merged.token_ids), now

    def _output(self, rollout: Rollout, sequence: Sequence) -> Any:
        length = self.rollout_config.response_length
        logprobs, metrics = sequence.response_logprobs, rollout.agent_metrics
        extra: dict[str, Any] = {"turn_scores": [], "tool_rewards": [], "reward_extra_info": {"acc": rollout.reward}}
        if sequence.policy_versions is not None:
            extra["min_global_steps"], extra["max_global_steps"] = sequence.policy_versions
        return AgentLoopOutput(
            prompt_ids=sequence.prompt_ids[-self.rollout_config.prompt_length :],
            response_ids=sequence.response_ids[:length],
            response_mask=sequence.response_mask[:length],
            response_logprobs=None if logprobs is None else logprobs[:length],
            reward_score=rollout.value,
            num_turns=int(metrics.get("turns", 0)) * 2,
            # By verl's own names, under which its log has them.
            metrics=AgentLoopMetrics(
                generate_sequences=metrics.get("model_query_time_sum", 0.0),
                tool_calls=metrics.get("env_execution_time_sum", 0.0),
                compute_score=metrics.get("eval_time", 0.0),
            ),
            extra_fields=extra,
        )
