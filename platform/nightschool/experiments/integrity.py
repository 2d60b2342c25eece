"""What is wrong with an experiment, found without being asked: by name, and whether its result may be used.

Pure. A *refusal* means that no claim may be made from these trials; a *warning* that a reader must know.
Knows nothing about who shows it. What the text of sessions gives away is looked for in `leaks`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from scipy import stats

from nightschool.experiments.ledger import Ledger, TrialState, TrialStatus
from nightschool.experiments.measures import bounds_of
from nightschool.experiments.report import ArmReport, Report
from nightschool.experiments.statistics import MINIMUM_PAIRS

__all__ = ["OF_THE_LOG", "Severity", "Threat", "Weakness", "refusals", "threats"]

_MAY_ERR: Final = 0.1
"""The share of an arm's trials that may end without a result before the rest is no longer the experiment."""
_NEAR_THE_END: Final = 0.02
"""How near to the best (or least) possible mean no difference can show any more, as a share of the scale."""
_UNSTEADY: Final = 0.2


class Severity(StrEnum):
    """What follows."""

    REFUSAL = "refusal"
    """No claim may be made."""
    WARNING = "warning"
    """A reader must know."""


class Weakness(StrEnum):
    """What can be wrong, by name."""

    MISSING_ARM = "missing arm"
    MISSING_TRIALS = "missing trials"
    DUPLICATED_TRIALS = "duplicated trials"
    FOREIGN_TRIALS = "foreign trials"
    ERRORED_TRIALS = "errored trials"
    UNEVEN_ERRORS = "uneven errors"
    LEAKED_GOLD = "leaked gold"
    PEEKING = "peeking"
    ASKED_BEFORE = "asked before"
    STOPPED_EARLY = "stopped early"
    TOO_FEW_PAIRS = "too few pairs"
    UNPAIRED_SAMPLES = "unpaired samples"
    CEILING = "ceiling"
    FLOOR = "floor"
    GRADER_NOISE = "grader noise"
    GRADER_UNKNOWN = "grader unknown"
    GAMEABLE = "gameable"
    SIMULATED = "simulated"


OF_THE_LOG: Final = frozenset(
    {
        Weakness.ASKED_BEFORE,
        Weakness.DUPLICATED_TRIALS,
        Weakness.FOREIGN_TRIALS,
        Weakness.LEAKED_GOLD,
        Weakness.PEEKING,
        Weakness.STOPPED_EARLY,
    }
)
"""What is wrong with a log as a whole, whichever of its arms are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Threat:
    """One threat to what the experiment claims."""

    weakness: Weakness
    severity: Severity
    text: str
    """What was found, with its numbers."""

    def __str__(self) -> str:
        """Name and finding."""
        return f"{self.weakness}: {self.text}"


def refusals(found: Iterable[Threat]) -> list[Threat]:
    """Return those that forbid a claim."""
    return [threat for threat in found if threat.severity is Severity.REFUSAL]


def threats(report: Report, ledger: Ledger, *, earlier: Sequence[str] = ()) -> list[Threat]:
    """Return everything that can be found in the trials and the declaration, the gravest first.

    Args:
        report: what the experiment found.
        ledger: what its log adds up to.
        earlier: experiments before it that asked the same of the same samples.
    """
    found = [
        *_accounted(report, ledger),
        *_errors(report),
        *_looks(report, ledger, earlier),
        *_samples(report),
        *_scale(report),
        *_instrument(report),
    ]
    return sorted(found, key=lambda threat: threat.severity is not Severity.REFUSAL)


def _refuse(weakness: Weakness, text: str) -> Threat:
    return Threat(weakness=weakness, severity=Severity.REFUSAL, text=text)


def _warn(weakness: Weakness, text: str) -> Threat:
    return Threat(weakness=weakness, severity=Severity.WARNING, text=text)


def _accounted(report: Report, ledger: Ledger) -> Iterator[Threat]:
    manifest, trials = report.manifest, list(ledger.trials.values())
    for arm in report.arms:
        counts = arm.counts
        if not counts.recorded:
            yield _refuse(Weakness.MISSING_ARM, f"`{arm.arm}` has none of its {counts.expected} trials")
        elif not counts.reconcile:
            text = f"`{arm.arm}`: {counts.recorded} of {counts.expected} ended, {counts.graded} are graded"
            yield _refuse(Weakness.MISSING_TRIALS, text)
    ended = sum(trial.status is not TrialStatus.STARTED for trial in trials)
    if manifest.stop_rule == "sequence" and ledger.stopped is None and ended < manifest.expected:
        text = f"{ended} of {manifest.expected} ended, and the stop rule has no answer yet"
        yield _refuse(Weakness.MISSING_TRIALS, text)
    places = Counter((t.arm, t.sample_id, t.epoch) for t in trials if t.status is TrialStatus.COMPLETED)
    twice = [place for place, count in places.items() if count > 1]
    if twice:
        name, sample, epoch = twice[0]
        text = f"{len(twice)} trials have more than one result, the first: {name}, {sample}, repeat {epoch}"
        yield _refuse(Weakness.DUPLICATED_TRIALS, text)
    foreign = [
        trial
        for trial in trials
        if trial.arm not in manifest.arms
        or trial.sample_id not in manifest.samples
        or not 0 <= trial.epoch < manifest.repeats
    ]
    if foreign:
        yield _refuse(Weakness.FOREIGN_TRIALS, f"{len(foreign)} were not declared, as {_place(foreign[0])}")


def _place(trial: TrialState) -> str:
    return f"{trial.arm}, {trial.sample_id}, repeat {trial.epoch}"


def _errors(report: Report) -> Iterator[Threat]:
    expected = sum(arm.counts.expected for arm in report.arms)
    errored = sum(arm.counts.errored for arm in report.arms)
    if errored:
        worst = max(report.arms, key=lambda arm: arm.counts.errored / arm.counts.expected)
        share = worst.counts.errored / worst.counts.expected
        text = f"{errored} of {expected} trials ended without a result ({share:.0%} in `{worst.arm}`)"
        yield (_refuse if share > _MAY_ERR else _warn)(Weakness.ERRORED_TRIALS, text)
    for arm in report.arms[1:]:
        first = report.arms[0]
        table = [[each.counts.errored, each.counts.expected - each.counts.errored] for each in (first, arm)]
        if stats.fisher_exact(table).pvalue < report.manifest.alpha:
            text = (
                f"{table[0][0]} in `{first.arm}` and {table[1][0]} in `{arm.arm}`: what is left is not alike"
            )
            yield _warn(Weakness.UNEVEN_ERRORS, text)


def _looks(report: Report, ledger: Ledger, earlier: Sequence[str]) -> Iterator[Threat]:
    if ledger.stopped is not None:
        stopped = ledger.stopped
        text = f"after {stopped.recorded} of {stopped.expected} trials, by its rule: {stopped.reason}"
        yield _warn(Weakness.STOPPED_EARLY, text)
    early = [look for look in ledger.looks if look.recorded < look.expected]
    if early and report.manifest.stop_rule != "sequence":
        text = (
            f"results were read {len(early)} times before the last trial though nothing was declared to allow"
            " it; only the interval for repeated looks holds"
        )
        yield _warn(Weakness.PEEKING, text)
    if earlier:
        text = (
            f"the same was asked of the same samples {len(earlier)} times before ({', '.join(earlier[-3:])})"
        )
        yield _warn(Weakness.ASKED_BEFORE, text)


def _samples(report: Report) -> Iterator[Threat]:
    for contrast in report.confirmatory:
        found = contrast.comparison
        if found is None:
            continue
        if found.p is None:
            text = (
                f"{contrast.treatment} − {contrast.baseline} has {found.n_pairs}; {MINIMUM_PAIRS} are needed"
            )
            yield _refuse(Weakness.TOO_FEW_PAIRS, text)
        if found.missing:
            pair = f"{contrast.treatment} − {contrast.baseline}"
            text = f"{len(found.missing)} have no result on one side of {pair}"
            yield _warn(Weakness.UNPAIRED_SAMPLES, text)


def _scale(report: Report) -> Iterator[Threat]:
    metric = report.manifest.primary_metric
    low, high = bounds_of(metric)
    for arm in report.arms:
        mean = arm.metrics[metric].mean if metric in arm.metrics else None
        if mean is None or not high < float("inf"):
            continue
        if mean >= high - _NEAR_THE_END * (high - low):
            yield _warn(
                Weakness.CEILING, f"`{arm.arm}` has {metric} {mean:.3f} of {high:g}: no room above it"
            )
        if mean <= low + _NEAR_THE_END * (high - low):
            yield _warn(Weakness.FLOOR, f"`{arm.arm}` has {metric} {mean:.3f}: no room below it")


def _instrument(report: Report) -> Iterator[Threat]:
    manifest = report.manifest
    if report.is_simulated:
        yield _warn(Weakness.SIMULATED, "every number was drawn from a declared distribution, none measured")
    for probe in manifest.gameable_by:
        yield _warn(Weakness.GAMEABLE, f"`{probe}` passes Standard without doing the work")
    if report.noise is None:
        yield _warn(Weakness.GRADER_UNKNOWN, "nobody measured how the grader scatters")
    for arm in report.arms:
        yield from _noise(arm, manifest.tier)


def _noise(arm: ArmReport, tier: str) -> Iterator[Threat]:
    steady = arm.steadiness.get(tier)
    if steady is not None and steady.share_inside > _UNSTEADY:
        share = f"{steady.share_inside:.0%} of `{arm.arm}`'s verdicts at {tier}"
        text = f"{share} could turn over in a fresh grading"
        yield _warn(Weakness.GRADER_NOISE, text)
