"""
`agent/*` metrics over the rollouts of one training step, by the names and formulas of Miles' SWE agent, and
how many of the tokens that the model wrote are trained.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

_log = logging.getLogger(__name__)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


_STEP: tuple[tuple[str, str, Callable[[Sequence[float]], float]], ...] = (
    ("agent/turns_mean", "turns", _mean),
    ("agent/turns_sum", "turns", sum),
    ("agent/tool_calls_mean", "tool_calls", _mean),
    ("agent/tool_calls_sum", "tool_calls", sum),
    ("agent/model_query_time_sum_mean", "model_query_time_sum", _mean),
    ("agent/env_execution_time_sum_mean", "env_execution_time_sum", _mean),
    ("agent/eval_time_mean", "eval_time", _mean),
    ("agent/agent_run_time_mean", "agent_run_time", _mean),
    ("agent/time_per_turn", "time_per_turn", _mean),
    ("agent/model_query_time_avg", "model_query_time_avg", _mean),
    ("agent/env_execution_time_avg", "env_execution_time_avg", _mean),
    ("agent/model_time_ratio", "model_time_ratio", _mean),
    ("agent/env_time_ratio", "env_time_ratio", _mean),
    ("agent/eval_time_ratio", "eval_time_ratio", _mean),
    ("agent/total_time_mean", "total_time", _mean),
    ("agent/total_time_max", "total_time", max),
    ("agent/total_time_min", "total_time", min),
)


def step_metrics(rollouts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """A rollout without a metric is not counted for it. A metric that no rollout has is left out."""
    reported = [one for one in rollouts if one]
    metrics: dict[str, float] = {}
    for name, of, how in _STEP:
        values = [one[of] for one in reported if one.get(of) is not None]
        if values:
            metrics[name] = float(how(values))
    return metrics


def token_metrics(written: int, trained: int) -> dict[str, float]:
    """Of one training step: tokens that the model wrote, those that are trained, and the share that is dropped, which is also logged."""
    dropped = 1 - trained / written if written else 0.0
    if dropped > 0:
        _log.warning(
            "%d of %d tokens that the model wrote are not trained (%.1f %%)", written - trained, written, 100 * dropped
        )
    return {
        "agent/written_tokens": float(written),
        "agent/trained_tokens": float(trained),
        "agent/dropped_tokens_share": dropped,
    }
