"""
Rollouts as samples of slime and Miles, which differ in their name alone. Each sequence of a rollout is a sample. With a judge
(`--prm-enable`) there is one for each step, with its value. A fault is a sample that is aborted, masked and
without a reward: `dynamic_filter` drops its group, and where nothing filters, `generate_rollout` gives it the mean of its group,
so that nobody's advantage moves.
"""

from __future__ import annotations

import asyncio
import copy
import sys
import uuid
from collections.abc import Coroutine, Iterator
from importlib import import_module
from typing import Any

from .client import servers
from .metrics import step_metrics, token_metrics
from .rollout import Rollout, RolloutFault, Sequence, neutral_rewards, only_sequence
from .rows import instance_of

#: Keys of `sampling_params` that are passed to the agent server.
_SAMPLING = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "max_new_tokens", "stop")
#: Seconds between checks whether the framework has enough rollouts.
_LOOK = 0.5


async def rolled_out(args: Any, sample: Any, sampling_params: dict[str, Any], evaluation: bool, base_url: str | None) -> Any:
    """The sample with its rollout, or a sample for each sequence where there are several."""
    asked = servers()
    step = _step(sample)
    # Indices of an evaluation begin at 0 each time.
    name = uuid.uuid4().hex if evaluation or sample.index is None else str(sample.index)
    instance = instance_of(sample.metadata)
    judge = None if evaluation else _judge(args)
    by_step = judge is not None or bool(getattr(args, "dynamic_history", None))
    more: dict[str, Any] = {} if judge is None else {"judge": judge}
    if by_step:
        more["dynamic_history"] = True
    running = asked.run(
        instance,
        id=f"{'eval' if evaluation else 'train'}/{name}",
        sample=_sample_name(sample, name),
        step=step,
        base_url=base_url,
        sampling_params={key: value for key in _SAMPLING if (value := sampling_params.get(key)) not in (None, [], -1)},
        **more,
    )
    rollout = await _unless_aborted(sample, running)
    if rollout is None:
        rollout = Rollout.fault(name, instance, "the framework needs it no more")
    if judge is not None and not rollout.is_fault and rollout.step_coefficient is None:
        raise RolloutFault("the agent server asked no judge, though --prm-enable starts one: it is older than these hooks")
    if evaluation:
        # Nothing of it is trained.
        _fill(args, sample, rollout, rollout.longest, 0, 1)
        if rollout.is_fault:
            sample.reward = _no_reward(args)
        return sample
    sequences = rollout.chosen(asked.settings.sequences)
    if len(sequences) > 1 and not _takes_several(args, sample):
        sequences = [only_sequence(rollout, sequences, _FIXED)]
    if len(sequences) <= 1:
        _fill(args, sample, rollout, sequences[0] if sequences else None, 0, 1)
        return sample
    copies = [copy.deepcopy(sample) for _ in sequences]
    for index, (one, sequence) in enumerate(zip(copies, sequences, strict=True)):
        # Siblings are one rollout to the loss.
        if getattr(one, "rollout_id", None) is None:
            one.rollout_id = sample.index
        _fill(args, one, rollout, sequence, index, len(sequences))
    return copies


#: Named in the error.
_FIXED = "a trainer whose global batch counts samples (OpenClaw-RL's slime without --dynamic_history, older Miles)"


def _takes_several(args: Any, sample: Any) -> bool:
    """
    Whether several samples may stand for a rollout. slime and Miles count rollouts, by `rollout_id`. OpenClaw-RL's slime and Miles before
    that count samples, and cut what is over a multiple of the global batch, unless the batch is as large as what was rolled out.
    """
    if getattr(args, "dynamic_history", None) is not None:
        return bool(args.dynamic_history or getattr(args, "use_dynamic_global_batch_size", None))
    return hasattr(sample, "rollout_id") or bool(getattr(args, "use_dynamic_global_batch_size", None))


def _judge(args: Any) -> dict[str, Any] | None:
    """The judge that slime serves, as `/run` takes it; None: there is none."""
    if not getattr(args, "prm_enable", None):
        return None
    address, port = getattr(args, "prm_router_ip", None), getattr(args, "prm_router_port", None)
    if not address or not port:
        raise RuntimeError("--prm-enable is set, and slime gives no address of the judge (prm_router_ip, prm_router_port)")
    model = getattr(args, "prm_model_path", None) or args.hf_checkpoint
    asked = {
        "votes": getattr(args, "prm_m", None),
        "coefficient": getattr(args, "prm_step_coef", None),
        "temperature": getattr(args, "prm_temperature", None),
        "max_tokens": getattr(args, "prm_max_new_tokens", None),
    }
    given = {key: value for key, value in asked.items() if value is not None}
    return {"base_url": f"http://{address}:{port}/v1", "model": str(model), **given}


async def _unless_aborted(sample: Any, running: Coroutine[Any, Any, Rollout]) -> Rollout | None:
    """The rollout; None when the framework ended its batch and cancels what is still running."""
    task = asyncio.ensure_future(running)
    try:
        while not task.done() and not _is_aborted(sample):
            await asyncio.wait({task}, timeout=_LOOK)
        return task.result() if task.done() else None
    finally:
        # Closing the connection ends the rollout on the server.
        task.cancel()


def _is_aborted(sample: Any) -> bool:
    module = sys.modules.get(f"{type(sample).__module__.split('.')[0]}.rollout.sglang_rollout")
    state = getattr(module, "GenerateState", None)
    known = getattr(type(state), "_instances", {}).get(state)
    return bool(getattr(known, "aborted", False))


def _fill(args: Any, sample: Any, rollout: Rollout, sequence: Sequence | None, index: int, count: int) -> None:
    metadata = sample.metadata = dict(sample.metadata or {})
    metadata.update(
        exit_status=rollout.exit_status,
        error=rollout.error,
        eval_report=rollout.eval_report,
        agent_metrics=rollout.agent_metrics if index == 0 else {},
        messages=rollout.messages,
        rollout=rollout.id,
    )
    status = type(sample).Status
    if rollout.is_fault:
        sample.status = status.ABORTED
        sample.reward = None
    else:
        sample.status = status.TRUNCATED if rollout.is_cut else status.COMPLETED
        metadata.update(reward=rollout.reward, step_rewards=rollout.step_rewards)
        metadata["written_tokens"] = sum(one.trained for one in rollout.sequences) if index == 0 else 0
        sample.reward = shaped(args, rollout.value, rollout.reward)
        if count > 1:
            metadata.update(dynamic_step_index=index, num_steps=count, dynamic_outcome_reward=rollout.reward)
        if rollout.step_coefficient is not None and sequence is not None:
            metadata.update(_judged(rollout, sequence))
    if sequence is None:
        # A sample with nothing to train.
        sample.tokens, sample.response, sample.response_length = [0, 0], "", 1
        sample.loss_mask, sample.rollout_log_probs, sample.remove_sample = [0], [0.0], True
        return
    sample.tokens = sequence.token_ids
    sample.response = rollout.text
    sample.response_length = len(sequence.response_ids)
    sample.loss_mask = sequence.response_mask
    sample.rollout_log_probs = sequence.response_logprobs
    # A sample that was aborted before may be requested again.
    sample.remove_sample = False
    sample.weight_versions = [str(version) for version in sequence.policy_versions or ()]


def _judged(rollout: Rollout, sequence: Sequence) -> dict[str, Any]:
    """
    The value of a step, in the form that OpenClaw-RL's estimator `step_wise` reads: it normalises `step_scores_with_outcome` over the
    same step of all rollouts of a task. A step that was not judged counts by the outcome alone.
    """
    score = sequence.step_reward or 0.0
    details = [
        {"step_index": index, "scores": votes, "mean_score": value, "status": "ok"}
        for index, (value, votes) in enumerate(zip(rollout.step_rewards, rollout.step_votes, strict=True))
        if value is not None
    ]
    scores = [one["mean_score"] for one in details]
    return {
        "dynamic_step_index": sequence.calls[0],
        "dynamic_outcome_reward": rollout.outcome,
        "step_wise": {
            "step_scores": [score],
            "step_indices": [sequence.calls[0]],
            "step_token_spans": [[0, len(sequence.response_ids)]],
            "step_scores_with_outcome": [rollout.value_of(sequence)],
            "outcome_reward": rollout.outcome,
        },
        "prm": {"enabled": True, "step_scores": scores, "step_mean_score": rollout.step_mean, "step_details": details},
    }


def shaped(args: Any, value: float | None, reward: float | None) -> Any:
    """A number, or a table for `--reward-key`."""
    key = getattr(args, "reward_key", None)
    return value if value is None or not key else {"score": value, "acc": reward, key: value}


def _no_reward(args: Any) -> Any:
    """The reward in an evaluation, whose own function reads it before `finished` removes it."""
    key = getattr(args, "eval_reward_key", None) or getattr(args, "reward_key", None)
    return {key: None} if key else None


def rewards_of(args: Any, samples: Any) -> Any:
    """The rewards of the rollouts."""
    many = samples if isinstance(samples, list) else [samples]
    rewards = []
    for sample in many:
        if sample.reward is None:
            raise RolloutFault(f"there is no verdict on {instance_of(sample.metadata)}: {sample.metadata.get('error')}")
        rewards.append(sample.reward)
    return rewards if isinstance(samples, list) else rewards[0]


def flat(groups: Any) -> Iterator[Any]:
    """Samples of groups whose members may be lists of samples."""
    for one in groups:
        if isinstance(one, list):
            yield from flat(one)
        else:
            yield one


def filtered(framework: str, samples: Any) -> Any:
    """Drops a group with a fault, in the form of the framework's own filter."""
    output = import_module(f"{framework}.rollout.filter_hub.base_types").DynamicFilterOutput
    has_aborted = any(sample.status == type(sample).Status.ABORTED for sample in flat(samples))
    return output(keep=not has_aborted, reason="group_has_aborted" if has_aborted else None)


def finished(args: Any, output: Any) -> Any:
    """The result of a rollout function, with faults masked and `agent/*` in its metrics."""
    evaluations = getattr(output, "data", None)
    if evaluations is not None:
        output.data = {name: kept for name, one in evaluations.items() if (kept := _without_faults(one)) is not None}
        return output
    groups = getattr(output, "samples", None)
    if groups is None:
        return output
    mask_faults(args, groups)
    # Frameworks look at the first member to see whether members are lists.
    groups[:] = [list(flat(group)) for group in groups]
    fill_batch(args, groups)
    samples = list(flat(groups))
    metrics = dict(output.metrics or {})
    metrics.update(step_metrics(sample.metadata.get("agent_metrics") or {} for sample in samples))
    written = sum(sample.metadata.get("written_tokens") or 0 for sample in samples)
    trained = sum(sum(sample.loss_mask or []) for sample in samples if not sample.remove_sample)
    metrics.update(token_metrics(written, trained))
    metrics["agent/padding"] = sum(bool(sample.metadata.get("padding")) for sample in samples)
    metrics["agent/faults"] = sum(sample.status == type(sample).Status.ABORTED for sample in samples)
    output.metrics = metrics
    return output


def fill_batch(args: Any, groups: list[Any]) -> None:
    """
    Masked copies of the last sample, so that the number of samples is a multiple of the trainer's processes and of its optimizer steps:
    where the global batch is as large as what was rolled out, OpenClaw-RL's slime and older Miles round it down and cut the rest. A
    copy has the group and the rollout of its sample, so it moves no baseline.
    """
    by_size = getattr(args, "dynamic_history", None) or getattr(args, "use_dynamic_global_batch_size", None)
    if not by_size or not groups:
        return
    share = 1
    for key in ("tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size"):
        share *= getattr(args, key, None) or 1
    processes = max(1, (args.actor_num_nodes * args.actor_num_gpus_per_node) // share)
    multiple = processes * (getattr(args, "num_steps_per_rollout", None) or 1)
    count = sum(len(group) for group in groups)
    last = groups[-1][-1]
    for _ in range(-count % multiple):
        copied = copy.deepcopy(last)
        kept = {key: value for key, value in copied.metadata.items() if key not in ("step_wise", "prm", "agent_metrics", "written_tokens")}
        copied.metadata = {**kept, "padding": True}
        copied.loss_mask = [0] * copied.response_length
        copied.remove_sample = True
        groups[-1].append(copied)


def normalized_rewards(args: Any, samples: list[Any]) -> tuple[list[float], list[float]]:
    """
    `--custom-reward-post-process-path`: rewards as they are, and normalised as the group of each task asks for: over its rollouts, each
    counted once however many samples it makes, without those that came to no verdict. Frameworks that normalise samples would weigh a
    rollout by its number, or, where groups have other sizes, compare the rollouts of all tasks with one another.
    """
    raw = [float(sample.get_reward_value(args)) for sample in samples]
    grouped = args.advantage_estimator in ("grpo", "gspo", "cispo", "reinforce_plus_plus_baseline")
    if not grouped or not getattr(args, "rewards_normalization", True):
        return raw, raw
    groups: dict[Any, dict[Any, float]] = {}
    for sample, reward in zip(samples, raw, strict=True):
        if sample.status != type(sample).Status.ABORTED:
            groups.setdefault(sample.group_index, {})[sample.index] = reward
    scales = {}
    for group, rewards in groups.items():
        values = list(rewards.values())
        mean = sum(values) / len(values)
        divisor = 1.0
        if args.advantage_estimator != "reinforce_plus_plus_baseline" and getattr(args, "grpo_std_normalization", True):
            # As torch's std, which divides by one less than there are.
            divisor = (sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)) ** 0.5 + 1e-6
        scales[group] = (mean, divisor)
    def one(sample: Any, reward: float) -> float:
        if sample.status == type(sample).Status.ABORTED:
            return 0.0
        mean, divisor = scales[sample.group_index]
        return (reward - mean) / divisor

    return raw, [one(sample, reward) for sample, reward in zip(samples, raw, strict=True)]


def _without_faults(evaluation: dict[str, Any]) -> dict[str, Any] | None:
    """The evaluation of samples with a verdict; None when there are none."""
    samples = evaluation["samples"]
    kept = [index for index, sample in enumerate(samples) if sample.status != type(sample).Status.ABORTED]
    if not kept:
        return None
    lists = {key: value for key, value in evaluation.items() if isinstance(value, list) and len(value) == len(samples)}
    return {**evaluation, **{key: [value[index] for index in kept] for key, value in lists.items()}}


def mask_faults(args: Any, groups: list[Any]) -> None:
    """Gives samples without a reward the mean of their group, and takes them out of the loss."""
    samples = list(flat(groups))
    key = getattr(args, "reward_key", None)
    number = [
        None if sample.reward is None else float(sample.reward[key] if key else sample.reward) for sample in samples
    ]
    if None not in number:
        return
    neutral = neutral_rewards(number, [sample.group_index for sample in samples])
    for sample, had, value in zip(samples, number, neutral, strict=True):
        if had is None:
            sample.reward = shaped(args, value, None)
            sample.remove_sample = True
            sample.loss_mask = [0] * sample.response_length


def _step(sample: Any) -> int | None:
    """The framework's step, if it tells hooks."""
    package = type(sample).__module__.split(".")[0]
    try:
        step = import_module(f"{package}.rollout.sample_hooks")._current_rollout_id
    except (ImportError, AttributeError):
        return None
    return step if isinstance(step, int) else None


def _sample_name(sample: Any, name: str) -> str:
    return f"{sample.group_index}.{name}" if sample.group_index is not None else name


def router_url(args: Any) -> str | None:
    """The address of the engines' router; None: as the settings say."""
    address = getattr(args, "sglang_router_ip", None)
    return None if address is None else f"http://{address}:{args.sglang_router_port}/v1"
