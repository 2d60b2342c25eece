"""Verdicts and graders as the page shows them: tables, and the points of its charts.

Pure: frames and reports in, values out. Knows nothing about pages.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import polars as pl

from nightschool.dashboard.charts import Estimate
from nightschool.dashboard.comparison import means
from nightschool.dashboard.markup import Cell, Column, data_table
from nightschool.dashboard.outcome_charts import Curve, DimensionScore, KindError, Margin, StandingCount
from nightschool.dashboard.palette import ArmStyle
from nightschool.dashboard.wording import ABSENT, count, decimal, percent, signed
from nightschool.experiments.labelling import Judged, Queued
from nightschool.experiments.report import Report
from nightschool.outcomes.calibration import Calibration, Spread
from nightschool.outcomes.labels import Agreed, Label, PeopleAgreement, agreed
from nightschool.outcomes.noise import Standing
from nightschool.outcomes.tiers import DIMENSIONS, Tier, sweep

__all__ = [
    "calibration_table",
    "curves",
    "dimension_scores",
    "judged_of",
    "kind_errors",
    "margins",
    "people_table",
    "queue_rows",
    "score_table",
    "standing_counts",
    "standing_table",
]

_SWEPT: Final = tuple(step / 200 for step in range(201))


def dimension_scores(report: Report) -> list[DimensionScore]:
    """Return each arm's mean in each dimension that was scored, in the dimensions' order."""
    return [
        DimensionScore(arm=arm, dimension=dimension, estimate=estimate)
        for dimension in DIMENSIONS
        for arm, estimate in means(report, dimension).items()
    ]


def score_table(scores: Sequence[DimensionScore], styles: Mapping[str, ArmStyle]) -> str:
    """Return the same as a table: a dimension that a suite does not have has no column."""
    dimensions = list(dict.fromkeys(score.dimension for score in scores))
    columns = [Column(name="Arm", numeric=False)]
    columns += [Column(name=dimension.capitalize(), unit="0–1") for dimension in dimensions]
    found = {(score.arm, score.dimension): score.estimate for score in scores}
    rows = [
        [
            Cell(text=arm, colour=styles[arm].colour),
            *(_estimate(found.get((arm, each))) for each in dimensions),
        ]
        for arm in dict.fromkeys(score.arm for score in scores)
    ]
    return data_table(columns, rows, caption="Dimension scores by arm")


def _estimate(estimate: Estimate | None) -> Cell:
    if estimate is None:
        return Cell(text=ABSENT)
    known = estimate.low is not None and estimate.high is not None
    span = f"[{decimal(estimate.low)}, {decimal(estimate.high)}]" if known else ""
    return Cell(text=decimal(estimate.value), note=span)


def curves(
    results: Iterable[Judged], tier: Tier, weights: Mapping[str, float], arms: Sequence[str]
) -> list[Curve]:
    """Return each arm's pass rate over thresholds, as the tier reads a result; from kept scores."""
    scores: dict[str, list[Mapping[str, float]]] = {}
    for each in results:
        scores.setdefault(each.arm, []).append(each.scores)
    return [
        Curve(
            arm=arm,
            points=[(at.threshold, at.share) for at in sweep(tier, scores[arm], _SWEPT, weights)],
            results=len(scores[arm]),
        )
        for arm in arms
        if arm in scores
    ]


def judged_of(results: pl.DataFrame, labels: pl.DataFrame) -> list[Judged]:
    """Return the results of ``questions.sql: judged`` with what people say of them (``labels``)."""
    said: dict[str, list[Label]] = {}
    for row in labels.iter_rows(named=True):
        label = Label(
            decision=row["decision"],
            score=row["score"],
            note=row["comment"] or "",
            given_by=row["given_by"] or "unknown",
            given_at=row["given_at"],
        )
        said.setdefault(row["session_id"], []).append(label)
    return [
        Judged(
            trial_id=row["trial_id"],
            session_id=row["session_id"],
            arm=row["arm"],
            sample_id=row["sample_id"],
            epoch=row["epoch"],
            scores=scores,
            said=agreed(said.get(row["session_id"], ())),
        )
        for row in results.iter_rows(named=True)
        if (scores := json.loads(row["scores"] or "{}"))
    ]


def standing_counts(queue: Iterable[Queued], arms: Sequence[str]) -> list[StandingCount]:
    """Return how many verdicts of each arm stand how."""
    counts = Counter((each.judged.arm, str(each.reading.standing)) for each in queue)
    return [
        StandingCount(arm=arm, standing=str(standing), results=counts[arm, str(standing)])
        for arm in arms
        for standing in Standing
    ]


def standing_table(queue: Sequence[Queued], arms: Sequence[str], styles: Mapping[str, ArmStyle]) -> str:
    """Return for each arm what the plain rule says, the three values, and how sure they are."""
    columns = [
        Column(name="Arm", numeric=False),
        Column(name="Plain rule", unit="pass"),
        Column(name="Pass", unit="results"),
        Column(name="Inside the band", unit="results"),
        Column(name="Fail", unit="results"),
        Column(name="Margin", unit="mean"),
        Column(name="Turned over", unit="expected by a fresh grading"),
    ]
    rows = [_standing_row(arm, [each for each in queue if each.judged.arm == arm], styles) for arm in arms]
    return data_table(columns, rows, caption="How the verdicts of each arm stand")


def _standing_row(arm: str, own: Sequence[Queued], styles: Mapping[str, ArmStyle]) -> list[Cell]:
    counts = Counter(each.reading.standing for each in own)
    total = len(own) or 1
    plain = sum(each.reading.passed for each in own)
    return [
        Cell(text=arm, colour=styles[arm].colour),
        Cell(text=percent(plain / total) if own else ABSENT, note=f"{plain} of {len(own)}"),
        *(Cell(text=count(counts[standing])) for standing in (Standing.PASS, Standing.NOISE, Standing.FAIL)),
        Cell(text=signed(math.fsum(each.reading.margin for each in own) / total, 3) if own else ABSENT),
        Cell(
            text=percent(math.fsum(each.reading.flip_probability for each in own) / total) if own else ABSENT
        ),
    ]


def margins(queue: Iterable[Queued], arms: Sequence[str]) -> list[Margin]:
    """Return every result's margin, in the order of the arms."""
    found = [
        Margin(
            arm=each.judged.arm,
            label=f"{each.judged.sample_id} · repeat {each.judged.epoch + 1}",
            margin=each.reading.margin,
            flip_probability=each.reading.flip_probability,
        )
        for each in queue
    ]
    return sorted(found, key=lambda each: arms.index(each.arm))


def queue_rows(queue: Iterable[Queued]) -> pl.DataFrame:
    """Return the review queue as a table, what asks for a word most in front."""
    return pl.DataFrame(
        [
            {
                "arm": each.judged.arm,
                "document": each.judged.sample_id,
                "repeat": each.judged.epoch + 1,
                "verdict": str(each.reading.standing),
                "margin": each.reading.margin,
                "flips": each.reading.flip_probability,
                "labelled": _said(each.judged.said),
                "trial": each.judged.trial_id,
            }
            for each in queue
        ]
    )


def _said(said: Agreed | None) -> str | None:
    if said is None:
        return None
    decision = "disputed" if said.acceptable is None else "accepted" if said.acceptable else "rejected"
    return f"{decision} by {', '.join(said.people)}"


def calibration_table(found: Calibration) -> str:
    """Return what is known of a grader, a row a measure."""
    total = math.fsum(found.parts) or 1.0
    parts = " / ".join(percent(part / total) for part in found.parts)
    rows = [
        ("SD of one grading", decimal(found.parts.grader_sd, 3), ""),
        ("Variance by task / answer / grader", parts, ""),
        ("κ with the labels", _plain(found.kappa), "accept or reject, beyond chance"),
        ("Krippendorff's α", _plain(found.alpha), "of the repeated gradings"),
        ("False accepts", *_share(found.false_accepts, "adversarial answers")),
        ("False rejects", *_share(found.false_rejects, "acceptable answers")),
        ("Length bias", _plain(found.length_bias), "rank correlation of error with length"),
        ("Position bias", _plain(found.position_bias), "same answer in another order"),
    ]
    return _measures(rows, caption="What is known of the grader")


def people_table(found: PeopleAgreement) -> str:
    """Return how far the recorded verdicts agree with people."""
    mean, span = _share(found.mean_error, "results with a score")
    rows = [
        ("κ", _plain(found.kappa), "verdict against label, beyond chance"),
        ("Passed though people reject", *_share(found.false_accepts, "rejected results")),
        ("Failed though people accept", *_share(found.false_rejects, "accepted results")),
        ("Score minus people's score", signed(found.mean_error.value) if found.mean_error else mean, span),
    ]
    return _measures(rows, caption="Recorded verdicts against people's labels")


def _measures(rows: Iterable[tuple[str, str, str]], *, caption: str) -> str:
    columns = [Column(name="Measure", numeric=False), Column(name="Value")]
    return data_table(
        columns,
        [[Cell(text=name), Cell(text=value, note=note)] for name, value, note in rows],
        caption=caption,
    )


def _plain(value: float | None) -> str:
    return "not defined" if value is None else signed(value)


def _share(spread: Spread | None, of: str) -> tuple[str, str]:
    if spread is None:
        return ABSENT, f"no {of}"
    low, high = (f"{end * 100:.0f}" for end in (spread.low, spread.high))
    ends = f"[{low}, {high}] " if math.isfinite(spread.low) else ""
    return percent(spread.value), f"{ends}of {spread.n} {of}"


def kind_errors(found: Calibration) -> list[KindError]:
    """Return how far the grader is off on each kind of answer."""
    return [KindError(kind=kind, estimate=_finite(spread)) for kind, spread in found.error_by_kind.items()]


def _finite(spread: Spread) -> Estimate:
    if not math.isfinite(spread.low):
        return Estimate(value=spread.value, n=spread.n)
    return Estimate(value=spread.value, low=spread.low, high=spread.high, n=spread.n)
