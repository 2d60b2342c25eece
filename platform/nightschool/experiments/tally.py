"""One arm's trials by sample and repeat: what is there, what is missing, and what the missing could hide.

Pure. Knows nothing about comparisons or intervals.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from nightschool.experiments.ledger import TrialStatus
from nightschool.experiments.measures import Trial, bounds_of
from nightschool.experiments.statistics import Repeats

__all__ = ["Bounds", "Counts", "Tally", "difference_bounds", "mean_bounds"]

Read = Callable[[Trial], float | None]

_CONSISTENCY = "consistency"


class Bounds(NamedTuple):
    """Where a number would lie if every trial without a result had gone as badly, or as well, as can be."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The trials of an arm, accounted for."""

    expected: int
    recorded: int
    """Those that ended, with a result or without."""
    errored: int
    graded: int
    errors: Mapping[str, int] = field(default_factory=dict)
    """Errored trials by code."""

    @property
    def missing(self) -> int:
        """Expected, and not ended."""
        return self.expected - self.recorded

    @property
    def reconcile(self) -> bool:
        """Whether every expected trial ended, and each that did is either errored or graded."""
        return self.missing == 0 and self.recorded == self.errored + self.graded


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The trials that one arm has, and those it should have."""

    samples: tuple[str, ...]
    repeats: int
    trials: Mapping[tuple[str, int], Trial]
    """By sample and repeat, in that order."""
    counts: Counts
    """The trials accounted for."""
    graded: Mapping[tuple[str, int], Trial]
    """Those of them that have a score."""

    @classmethod
    def of(cls, trials: Iterable[Trial], *, samples: Sequence[str], repeats: int) -> Tally:
        """Sort an arm's trials; those of other samples or repeats are not its own."""
        wanted = frozenset(samples)
        own = (trial for trial in trials if trial.sample_id in wanted and 0 <= trial.epoch < repeats)
        found = dict(sorted({(trial.sample_id, trial.epoch): trial for trial in own}.items()))
        return cls(
            samples=tuple(samples),
            repeats=repeats,
            trials=found,
            counts=_counted(found.values(), expected=len(samples) * repeats),
            graded={place: trial for place, trial in found.items() if trial.is_graded},
        )

    def only(self, samples: Sequence[str]) -> Tally:
        """Return the part about some samples."""
        return Tally.of(self.trials.values(), samples=samples, repeats=self.repeats)

    @property
    def metrics(self) -> frozenset[str]:
        """Every metric some trial has; stability over repeats among them where there are repeats."""
        found = frozenset(metric for trial in self.trials.values() for metric in trial.values)
        return found | {_CONSISTENCY} if self.repeats > 1 and "accuracy" in found else found

    def values(self, metric: str) -> Repeats:
        """Return a metric by sample and repeat.

        Consistency that no single trial can have is taken over the repeats of a sample: one minus the mean
        distance between the accuracies of any two.
        """
        found = self._collect(lambda trial: trial.values.get(metric))
        if metric == _CONSISTENCY and not found:
            return {
                sample: {0: 1 - _mean_distance(list(repeats.values()))}
                for sample, repeats in self.values("accuracy").items()
                if len(repeats) > 1
            }
        return found

    def passes(self, tier: str) -> Repeats:
        """Return 1 for each trial that passes the tier and 0 for each that does not."""
        return self._collect(lambda trial: float(trial.tiers[tier]) if tier in trial.tiers else None)

    def pages(self) -> dict[str, float]:
        """Return the length of each sample of which some trial says it, averaged over its draws."""
        known = self._collect(lambda trial: trial.pages)
        return {sample: math.fsum(draws.values()) / len(draws) for sample, draws in known.items()}

    def lacks(self, sample: str, epoch: int) -> bool:
        """Return whether there is no graded result of this repeat."""
        return (sample, epoch) not in self.graded

    def _collect(self, read: Read) -> dict[str, dict[int, float]]:
        found: dict[str, dict[int, float]] = {}
        for (sample, epoch), trial in self.graded.items():
            value = read(trial)
            if value is not None:
                found.setdefault(sample, {})[epoch] = value
        return found


def _counted(trials: Iterable[Trial], *, expected: int) -> Counts:
    ended = [trial for trial in trials if trial.status is not TrialStatus.STARTED]
    errors = Counter(
        trial.error_code or "unexpected" for trial in ended if trial.status is TrialStatus.ERRORED
    )
    return Counts(
        expected=expected,
        recorded=len(ended),
        errored=errors.total(),
        graded=sum(trial.is_graded for trial in ended),
        errors=dict(sorted(errors.items())),
    )


def mean_bounds(tally: Tally, repeats: Repeats, limits: tuple[float, float]) -> Bounds | None:
    """Return the range of the mean over what the missing results could have been.

    None if none is missing, or if nothing bounds what it could have been.
    """
    if tally.counts.graded == tally.counts.expected or not all(map(math.isfinite, limits)):
        return None
    lowest, highest = (
        _mean_of_samples(_filled(tally, sample, repeats, limit) for sample in tally.samples)
        for limit in limits
    )
    return None if lowest is None or highest is None else Bounds(lowest, highest)


def difference_bounds(treatment: Tally, baseline: Tally, metric: str) -> Bounds | None:
    """Return the same for the paired difference of a metric that has a least and a greatest value."""
    limits = bounds_of(metric)
    complete = all(tally.counts.graded == tally.counts.expected for tally in (treatment, baseline))
    if complete or metric == _CONSISTENCY or not all(map(math.isfinite, limits)):
        return None
    ours, theirs = treatment.values(metric), baseline.values(metric)
    low, high = limits
    extremes = [
        _mean_of_samples(
            _differences(
                _filled(treatment, sample, ours, our_fill), _filled(baseline, sample, theirs, their_fill)
            )
            for sample in treatment.samples
        )
        for our_fill, their_fill in ((low, high), (high, low))
    ]
    return None if extremes[0] is None or extremes[1] is None else Bounds(extremes[0], extremes[1])


def _filled(tally: Tally, sample: str, repeats: Repeats, fill: float) -> dict[int, float]:
    """Return a sample's values; a metric that a graded result left out stays out."""
    values = dict(repeats.get(sample, {}))
    values |= {epoch: fill for epoch in range(tally.repeats) if tally.lacks(sample, epoch)}
    return values


def _differences(ours: Mapping[int, float], theirs: Mapping[int, float]) -> dict[int, float]:
    return {epoch: ours[epoch] - theirs[epoch] for epoch in sorted(ours.keys() & theirs.keys())}


def _mean_of_samples(samples: Iterable[Mapping[int, float]]) -> float | None:
    means = [math.fsum(values.values()) / len(values) for values in samples if values]
    return math.fsum(means) / len(means) if means else None


def _mean_distance(values: Sequence[float]) -> float:
    distances = [abs(a - b) for a, b in _couples(values)]
    return math.fsum(distances) / len(distances)


def _couples(values: Sequence[float]) -> Iterator[tuple[float, float]]:
    return itertools.combinations(values, 2)
