"""
SkyRL: `SwemakeGenerator(model_url=…)` in the place of its own generator. A fault is a row whose mask is 0 and whose reward is
the mean of its group. With `step_wise` each sequence of a rollout is a row, the last one marked: SkyRL makes the advantage of a
rollout of the reward in its last row, and gives it to all of its rows. It reads the rows in this way only where its own
`generator.step_wise_trajectories` is set, or with the StepWiseTrainer of skyrl-train's examples. Otherwise a rollout is one row.
"""

from __future__ import annotations

import asyncio
from typing import Any

try:
    from skyrl.train.generators.base import GeneratorInput, GeneratorInterface, GeneratorOutput
except ModuleNotFoundError:  # skyrl-train, the generation before
    from skyrl_train.generators.base import GeneratorInput, GeneratorInterface, GeneratorOutput

from .client import AgentServers, servers
from .metrics import step_metrics, token_metrics
from .rollout import Rollout, Sequence, neutral_rewards, only_sequence
from .rows import instance_of

_SAMPLING = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "stop")


class SwemakeGenerator(GeneratorInterface):  # type: ignore[misc]
    def __init__(
        self, model_url: str | None = None, step_wise: bool = False, asked: AgentServers | None = None, pad: int = 0
    ) -> None:
        self.model_url, self.step_wise, self.pad = model_url, step_wise, pad
        self.servers = servers() if asked is None else asked

    async def generate(self, input_batch: GeneratorInput) -> GeneratorOutput:
        rollouts = await asyncio.gather(*(self._ask(input_batch, index) for index in range(len(input_batch["prompts"]))))
        groups = [_group(input_batch, index) for index in range(len(rollouts))]
        neutral = neutral_rewards([rollout.value for rollout in rollouts], groups)
        rows = [row for index, rollout in enumerate(rollouts) for row in self._rows(index, rollout, neutral[index])]
        known = all(row["logprobs"] is not None for row in rows)
        ids = input_batch.get("trajectory_ids")
        faults = sum(rollout.is_fault for rollout in rollouts)
        if self.step_wise and ids is None:
            raise ValueError("step-wise training needs trajectory_ids, which name the rollout of each row")
        written = sum(one.trained for rollout in rollouts if not rollout.is_fault for one in rollout.sequences)
        return {  # type: ignore[return-value]
            "prompt_token_ids": [row["prompt"] for row in rows],
            "response_ids": [row["response"] for row in rows],
            "rewards": [row["reward"] for row in rows],
            "loss_masks": [row["mask"] for row in rows],
            "stop_reasons": [row["stop"] for row in rows],
            "rollout_metrics": {
                **step_metrics(rollout.agent_metrics for rollout in rollouts),
                **token_metrics(written, sum(sum(row["mask"]) for row in rows)),
                "agent/faults": faults,
            },
            "rollout_logprobs": [row["logprobs"] for row in rows] if known else None,
            "trajectory_ids": None if ids is None else [ids[row["index"]] for row in rows],
            "is_last_step": [row["last"] for row in rows] if self.step_wise else None,
        }

    async def _ask(self, batch: GeneratorInput, index: int) -> Rollout:
        extras = (batch.get("env_extras") or [{}] * (index + 1))[index]
        about, ids = batch.get("batch_metadata"), batch.get("trajectory_ids")
        given = batch.get("sampling_params") or {}
        sampling = {key: given[key] for key in _SAMPLING if given.get(key) not in (None, [], -1)}
        length = given.get("max_generate_length") or given.get("max_tokens")
        if length:
            sampling["max_tokens"] = length
        step = None if about is None else about.global_step
        phase = "train" if about is None else about.training_phase
        name = None if ids is None or about is None else f"{phase}/{step}/{ids[index].instance_id}_{ids[index].repetition_id}"
        return await self.servers.run(
            instance_of(extras),
            id=name,
            sample=None if ids is None else f"{step}.{ids[index].repetition_id}",
            step=step,
            base_url=self.model_url,
            sampling_params=sampling,
        )

    def _rows(self, index: int, rollout: Rollout, neutral: float) -> list[dict[str, Any]]:
        chosen = rollout.chosen(self.servers.settings.sequences)
        if not chosen:
            masked = {"prompt": [self.pad], "response": [self.pad], "mask": [0], "logprobs": [0.0]}
            return [{**masked, "index": index, "reward": neutral, "stop": rollout.status, "last": True}]
        if not self.step_wise:
            chosen = [only_sequence(rollout, chosen, "SkyRL without generator.step_wise_trajectories")]
        return [self._row(index, rollout, sequence, sequence is chosen[-1]) for sequence in chosen]

    def _row(self, index: int, rollout: Rollout, sequence: Sequence, last: bool) -> dict[str, Any]:
        return {
            "index": index,
            "prompt": sequence.prompt_ids,
            "response": sequence.response_ids,
            "mask": sequence.response_mask,
            "logprobs": sequence.response_logprobs,
            "reward": float(rollout.value or 0.0),
            "stop": "length" if rollout.is_cut else "stop",
            "last": last,
        }


def _group(batch: GeneratorInput, index: int) -> Any:
    ids = batch.get("trajectory_ids")
    return index if ids is None else ids[index].instance_id
