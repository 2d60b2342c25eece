"""A trial as numbers: every metric by name, which way is better, and what bounds it.

Pure. Knows nothing about statistics. Trials come in at two rims, the experiment's own log and the view
`v1_trials`, and are the same afterwards.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import polars as pl

from nightschool.core.errors import Malformed
from nightschool.events.experiment import TrialCompleted
from nightschool.experiments.ledger import Ledger, TrialState, TrialStatus
from nightschool.experiments.scoring import regrade

__all__ = [
    "OF_EVERY_TRIAL",
    "Trial",
    "bounds_of",
    "from_frame",
    "from_ledger",
    "is_lower_better",
    "regrade_all",
]

_CONSUMED: Final = frozenset({"cost_usd", "duration_seconds", "model_calls", "tokens", "tool_calls"})
OF_EVERY_TRIAL: Final = _CONSUMED | {"consistency", "efficiency"}
"""What can be compared whatever the suite counts: what was consumed, and what comes from several trials."""
_SHARES: Final = frozenset(
    {"accuracy", "completeness", "consistency", "efficiency", "format", "precision", "recall"}
)
_TOKEN_CLASSES: Final = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)
_TIERS: Final = ("strict", "standard", "lenient")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One trial of an experiment, whatever became of it."""

    arm: str
    sample_id: str
    epoch: int
    status: TrialStatus
    values: Mapping[str, float] = field(default_factory=dict)
    """Every metric that was measured: scores, the suite's counts, and what was consumed."""
    scores: Mapping[str, float] = field(default_factory=dict)
    tiers: Mapping[str, bool] = field(default_factory=dict)
    pages: float | None = None
    error_code: str | None = None

    @property
    def is_graded(self) -> bool:
        """Whether there is a result and it was scored."""
        return self.status is TrialStatus.COMPLETED and bool(self.scores)


def is_lower_better(metric: str, declared: Iterable[str]) -> bool:
    """Return whether less of the metric is better: what is consumed, and what the manifest declares."""
    return metric in _CONSUMED or metric in declared


def bounds_of(metric: str) -> tuple[float, float]:
    """Return the least and the greatest value a metric can have; infinite where there is none."""
    if metric in _SHARES:
        return (0.0, 1.0)
    return (0.0, math.inf) if metric in _CONSUMED else (-math.inf, math.inf)


def from_ledger(ledger: Ledger) -> list[Trial]:
    """Read trials from the experiment's own log."""
    return [_from_state(state) for state in ledger.trials.values()]


def from_frame(frame: pl.DataFrame) -> list[Trial]:
    """Read the trials of one experiment from rows of `v1_trials`.

    Raises:
        Malformed: a column is missing or a JSON column is not JSON.
    """
    try:
        return [_from_row(row) for row in frame.iter_rows(named=True)]
    except KeyError as error:
        raise Malformed(f"frame of trials: no column {error}; give it the columns of v1_trials") from error
    except ValueError as error:
        raise Malformed(f"frame of trials: {error}") from error


def regrade_all(trials: Iterable[Trial], weights: Mapping[str, float]) -> list[Trial]:
    """Judge kept scores anew, with other weights or newer rules; no trial is run."""
    return [
        replace(trial, tiers=regrade(trial.scores, weights)) if trial.is_graded else trial for trial in trials
    ]


def _from_state(state: TrialState) -> Trial:
    trial = Trial(arm=state.arm, sample_id=state.sample_id, epoch=state.epoch, status=state.status)
    if state.completed is not None:
        result = state.completed
        return replace(
            trial,
            values=_values(result),
            scores=result.scores,
            tiers=result.tiers,
            pages=_number(result.sample.get("pages")),
        )
    if state.failed is not None and state.status is TrialStatus.ERRORED:
        return replace(trial, error_code=str(state.failed.error.get("code", "unexpected")))
    return trial


def _values(result: TrialCompleted) -> dict[str, float]:
    consumed = {
        "tokens": sum(_number(result.usage.get(name)) or 0.0 for name in _TOKEN_CLASSES),
        "tool_calls": float(result.tool_calls),
        "model_calls": float(result.model_calls),
        "duration_seconds": result.duration_seconds,
        "cost_usd": None if result.cost_usd is None else float(result.cost_usd),
    }
    return _measured(result.scores, result.metrics, consumed, result.attempt)


def _from_row(row: Mapping[str, Any]) -> Trial:
    status = TrialStatus(row["status"])
    trial = Trial(arm=row["arm"], sample_id=row["sample_id"], epoch=row["epoch"], status=status)
    if status is not TrialStatus.COMPLETED:
        code = str(row["error"] or "unexpected") if status is TrialStatus.ERRORED else None
        return replace(trial, error_code=code)
    scores, metrics = _object(row["scores"]), _object(row["metrics"])
    consumed = {
        "tokens": row["total_tokens"],
        "tool_calls": row["tool_calls"],
        "model_calls": row["model_calls"],
        "duration_seconds": row["duration_seconds"],
        "cost_usd": row["cost_usd"],
    }
    return replace(
        trial,
        values=_measured(scores, metrics, consumed, row["attempt"]),
        scores=scores,
        tiers={tier: row[tier] for tier in _TIERS if row[tier] is not None},
        pages=_number(row["pages"]),
    )


def _measured(
    scores: Mapping[str, float],
    metrics: Mapping[str, float],
    consumed: Mapping[str, float | None],
    attempt: int,
) -> dict[str, float]:
    values = {**metrics, **scores, **{k: float(v) for k, v in consumed.items() if v is not None}}
    if attempt > 1:
        # Only the last stretch of an interrupted trial was timed.
        values.pop("duration_seconds", None)
    return values


def _object(value: Any) -> dict[str, float]:
    parsed = json.loads(value) if isinstance(value, str) else value
    return {name: float(number) for name, number in (parsed or {}).items() if number is not None}


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
