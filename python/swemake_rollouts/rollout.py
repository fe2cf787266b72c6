"""An answer of the agent server. A rollout without a verdict has no reward, and is never taken for one with reward 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class RolloutFault(RuntimeError):
    """There is no verdict, and the caller cannot continue without one."""


@dataclass(frozen=True)
class Sequence:
    """Token ids as the model saw and wrote them."""

    token_ids: list[int]
    #: 1 on what the model wrote.
    loss_mask: list[int]
    #: 0 where the mask is 0; None when they are not known.
    logprobs: list[float] | None = None
    #: Lowest and highest version of the weights that wrote it.
    policy_versions: tuple[int, int] | None = None
    #: The judge's value, for a sequence of one step.
    step_reward: float | None = None
    #: First and last call of the model.
    calls: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        lengths = {len(self.token_ids), len(self.loss_mask)}
        if self.logprobs is not None:
            lengths.add(len(self.logprobs))
        if len(lengths) != 1:
            raise ValueError(f"ids, mask and log-probabilities of a sequence have other lengths: {sorted(lengths)}")

    @property
    def prompt_length(self) -> int:
        """Ids before the first that the model wrote."""
        return self.loss_mask.index(1) if 1 in self.loss_mask else len(self.loss_mask)

    @property
    def prompt_ids(self) -> list[int]:
        return self.token_ids[: self.prompt_length]

    @property
    def response_ids(self) -> list[int]:
        """Ids from the first that the model wrote, with what it was shown in between."""
        return self.token_ids[self.prompt_length :]

    @property
    def response_mask(self) -> list[int]:
        return self.loss_mask[self.prompt_length :]

    @property
    def response_logprobs(self) -> list[float] | None:
        return None if self.logprobs is None else self.logprobs[self.prompt_length :]

    @property
    def trained(self) -> int:
        """Ids that are trained."""
        return sum(self.loss_mask)


@dataclass(frozen=True)
class Rollout:
    id: str
    instance_id: str
    #: ok, truncated, timeout, error or aborted.
    status: str
    #: None: there is no verdict.
    reward: float | None
    sequences: list[Sequence] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    patch: str = ""
    exit_status: str = ""
    error: str | None = None
    #: Whether the same request may come to a verdict later.
    retryable: bool = False
    #: The judge's value of each step; None for one that it did not score.
    step_rewards: list[float | None] = field(default_factory=list)
    #: The votes behind each of them.
    step_votes: list[list[int | None] | None] = field(default_factory=list)
    #: Weight of the steps in the final reward; None: no judge was asked.
    step_coefficient: float | None = None
    agent_metrics: dict[str, float] = field(default_factory=dict)
    eval_report: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, answer: Mapping[str, Any], tokens: bool = True) -> Rollout:
        """Reads an answer of `/run` or of the last `/step`. With `tokens` one without token ids is an error."""
        reward = answer.get("reward")
        rollout = cls(
            id=str(answer.get("id") or ""),
            instance_id=str(answer.get("instance_id") or ""),
            status=str(answer.get("status") or "error"),
            reward=None if reward is None else float(reward),
            sequences=[_sequence(one) for one in answer.get("sequences") or []],
            messages=list(answer.get("messages") or []),
            patch=str(answer.get("patch") or ""),
            exit_status=str(answer.get("exit_status") or ""),
            error=answer.get("error"),
            retryable=bool(answer.get("retryable")),
            step_rewards=list(answer.get("step_rewards") or []),
            step_votes=list(answer.get("step_votes") or []),
            step_coefficient=answer.get("step_coefficient"),
            agent_metrics=dict(answer.get("agent_metrics") or {}),
            eval_report=dict(answer.get("eval_report") or {}),
        )
        nothing = not rollout.sequences and rollout.agent_metrics.get("turns", 0) > 0
        without = int(answer.get("replies_without_ids") or 0)
        if tokens and rollout.reward is not None and (nothing or without > 0):
            which = "no token ids" if nothing else f"no token ids of {without} replies, which would not be trained"
            raise RolloutFault(
                f"the rollout of {rollout.instance_id} holds {which}: use an endpoint that gives them "
                "(vLLM, SGLang), or set agent.model.tokenizer in the project"
            )
        return rollout

    @classmethod
    def fault(cls, id: str, instance_id: str, error: str) -> Rollout:
        return cls(id=id, instance_id=instance_id, status="error", reward=None, error=error, retryable=True)

    @property
    def is_fault(self) -> bool:
        return self.reward is None

    @property
    def is_cut(self) -> bool:
        """A limit ended it."""
        return self.status in ("truncated", "timeout")

    @property
    def text(self) -> str:
        """All text that the model wrote."""
        replies = [message.get("content") or "" for message in self.messages if message.get("role") == "assistant"]
        return "\n".join(str(one) for one in replies)

    @property
    def longest(self) -> Sequence | None:
        """The sequence with the most trained ids."""
        return max(self.sequences, key=lambda sequence: sequence.trained, default=None)

    def chosen(self, sequences: str) -> list[Sequence]:
        """What is trained of it: `all` its sequences, or the `longest`; nothing of a fault."""
        if self.is_fault:
            return []
        longest = self.longest
        return self.sequences if sequences == "all" or longest is None else [longest]

    @property
    def outcome(self) -> float | None:
        """+1 or -1, as judged rewards count the outcome."""
        return None if self.reward is None else 2 * self.reward - 1

    @property
    def step_mean(self) -> float:
        """Mean of the steps that the judge scored; 0 without any."""
        scored = [one for one in self.step_rewards if one is not None]
        return _mean(scored) if scored else 0.0

    @property
    def value(self) -> float | None:
        """The final reward: the grader's; where a judge was asked, +1 or -1 plus coefficient times the mean of the steps."""
        outcome = self.outcome
        if outcome is None or self.step_coefficient is None:
            return self.reward
        return outcome + self.step_coefficient * self.step_mean

    def value_of(self, sequence: Sequence) -> float | None:
        """What a sequence of one step is worth: the outcome plus coefficient times the judge's value of this step."""
        outcome = self.outcome
        if outcome is None or self.step_coefficient is None:
            return self.reward
        return outcome + self.step_coefficient * (sequence.step_reward or 0.0)


def only_sequence(rollout: Rollout, chosen: list[Sequence], where: str) -> Sequence:
    """The only one, for frameworks that take no more; several are an error, since turns that the model wrote would be dropped."""
    if len(chosen) == 1:
        return chosen[0]
    raise RolloutFault(
        f"the rollout of {rollout.instance_id} makes {len(chosen)} sequences, since its prompts do not go on from one another, and "
        f"{where} takes one of a rollout: let the agent show its whole history (no agent.context, no agent.history), or set "
        "SWEMAKE_SEQUENCES=longest, which trains the longest one only and logs what that drops"
    )


def _sequence(given: Mapping[str, Any]) -> Sequence:
    versions, calls = given.get("policy_versions"), given.get("calls")
    return Sequence(
        token_ids=list(given["token_ids"]),
        loss_mask=list(given["loss_mask"]),
        logprobs=None if given.get("logprobs") is None else list(given["logprobs"]),
        policy_versions=None if versions is None else (versions[0], versions[1]),
        step_reward=given.get("step_reward"),
        calls=(0, 0) if calls is None else (calls[0], calls[1]),
    )


def check_verdicts(rollouts: list[Rollout]) -> None:
    """Raises where no rollout of a batch has a verdict, with what the first one says."""
    if rollouts and all(one.is_fault for one in rollouts):
        raise RolloutFault(
            "no rollout of this batch came to a verdict; there is nothing to train on. The first one, of "
            f"{rollouts[0].instance_id}: {rollouts[0].error or rollouts[0].status}"
        )


def neutral_rewards(rewards: list[float | None], groups: list[Any]) -> list[float]:
    """
    The rewards with numbers in place of those that are missing, for frameworks that need one each: the mean of the group, or
    of all where the whole group is missing. So a sample that is masked moves no other sample's baseline.
    """
    known = [reward for reward in rewards if reward is not None]
    if not known:
        raise RolloutFault("no rollout of this batch came to a verdict; there is nothing to train on")
    by_group: dict[Any, list[float]] = {}
    for reward, group in zip(rewards, groups, strict=True):
        if reward is not None:
            by_group.setdefault(group, []).append(reward)
    return [
        reward if reward is not None else _mean(by_group.get(group, known))
        for reward, group in zip(rewards, groups, strict=True)
    ]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
