"""
TRL: `GRPOTrainer(rollout_func=rollout_func, reward_funcs=reward_func, train_dataset=prompts(PROMPT_DATA))`. TRL takes one
sequence of a rollout, so several are an error unless SWEMAKE_SEQUENCES is `longest`. A fault has the reward None, which TRL leaves
out of the baseline, and an empty mask; a batch of faults alone is an error, since TRL would count it as a step.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from .client import servers
from .metrics import step_metrics, token_metrics
from .rollout import Rollout, check_verdicts, only_sequence
from .rows import instance_of


def prompts(path: str) -> list[dict[str, Any]]:
    """Rows of `rl-data` (JSON lines) as TRL's: the instance is named inside of the message, where TRL leaves it."""
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    return [{"prompt": [_message(row)]} for row in rows]


def _message(row: Mapping[str, Any]) -> dict[str, str]:
    text = row.get("text") or row.get("prompt") or ""
    return {"role": "user", "content": str(text), "instance_id": instance_of(row)}


def rollout_func(prompts: list[Any], trainer: Any) -> dict[str, list[Any]]:
    """One rollout for each prompt; a prompt that comes several times is a group."""
    step = int(trainer.state.global_step)
    trains = bool(trainer.model.training)
    rollouts = asyncio.run(_rollouts(prompts, trainer, step, trains))
    check_verdicts(rollouts)
    end = trainer.processing_class.eos_token_id
    sequences = servers().settings.sequences
    samples = [_sample(rollout, sequences, 0 if end is None else int(end)) for rollout in rollouts]
    written = sum(one.trained for rollout in rollouts if not rollout.is_fault for one in rollout.sequences)
    tokens = token_metrics(written, sum(sum(sample["env_mask"]) for sample in samples))
    logged = trainer._metrics["train" if trains else "eval"]
    for name, value in {**step_metrics(one.agent_metrics for one in rollouts), **tokens}.items():
        logged[name].append(value)
    logged["agent/faults"].append(float(sum(one.is_fault for one in rollouts)))
    known = all(sample["logprobs"] is not None for sample in samples)
    names = ("prompt_ids", "completion_ids", "env_mask", "swemake_reward")
    return {
        **{name: [sample[name] for sample in samples] for name in names},
        "logprobs": [sample["logprobs"] for sample in samples] if known else None,  # type: ignore[dict-item]
    }


def reward_func(completions: list[Any], swemake_reward: list[float | None], **_: Any) -> list[float | None]:
    return list(swemake_reward)


async def _rollouts(prompts: list[Any], trainer: Any, step: int, trains: bool) -> list[Rollout]:
    asked = servers()
    await asked.weights(step)
    process = getattr(trainer.accelerator, "process_index", 0)
    # How often TRL has asked within this step, which it does where several batches make one.
    round_ = _round(trainer, step, trains)
    seen: Counter[str] = Counter()

    def ask(index: int, prompt: Any) -> Any:
        instance = instance_of(prompt[0]) if isinstance(prompt, list) else str(prompt)
        sample = seen[instance]
        seen[instance] += 1
        name = f"{'train' if trains else 'eval'}/{step}/{round_}/{process}/{index}"
        # Samples of other rounds, processes and steps belong to other groups.
        return asked.run(instance, id=name, sample=f"{step}.{round_}.{process}.{sample}", step=step)

    return list(await asyncio.gather(*(ask(index, prompt) for index, prompt in enumerate(prompts))))


def _round(trainer: Any, step: int, trains: bool) -> int:
    rounds: Counter[tuple[int, bool]] = trainer.__dict__.setdefault("_swemake_rounds", Counter())
    rounds[(step, trains)] += 1
    return rounds[(step, trains)]


def _sample(rollout: Rollout, sequences: str, end: int) -> dict[str, Any]:
    chosen = rollout.chosen(sequences)
    if not chosen:
        # TRL does not take an empty completion.
        masked = {"prompt_ids": [end], "completion_ids": [end], "env_mask": [0], "logprobs": [0.0]}
        return {**masked, "swemake_reward": rollout.value}
    sequence = only_sequence(rollout, chosen, "TRL")
    return {
        "prompt_ids": sequence.prompt_ids,
        "completion_ids": sequence.response_ids,
        "env_mask": sequence.response_mask,
        "logprobs": sequence.response_logprobs,
        "swemake_reward": rollout.value,
    }
