"""What differs between two experiments: in their declarations, and in each arm's results on like documents.

Pure. An arm is compared with itself: a change of code, prompt or brain between two experiments shows here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from nightschool.experiments.design import Manifest
from nightschool.experiments.measures import Trial, is_lower_better
from nightschool.experiments.statistics import Comparison, Verdict, compare, holm, judge, pair
from nightschool.experiments.tally import Tally

__all__ = ["Change", "Side", "changes", "declared_differences", "is_comparable"]

_SEEDS: Final = 2**32


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two experiments."""

    manifest: Manifest
    trials: Sequence[Trial]

    def tally(self, arm: str) -> Tally:
        """Return one arm's trials."""
        own = [trial for trial in self.trials if trial.arm == arm]
        return Tally.of(own, samples=self.manifest.samples, repeats=self.manifest.repeats)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One arm, newer against older, on the primary metric."""

    arm: str
    comparison: Comparison
    p_holm: float | None
    verdict: Verdict
    per_document: dict[str, float]
    """The difference on each document that both met, repeats averaged."""


def is_comparable(newer: Manifest, older: Manifest) -> bool:
    """Return whether the two met the same documents drawn alike, by the same brain and the same metric."""
    same = _key(newer) == _key(older)
    return same and bool(set(newer.samples) & set(older.samples)) and bool(set(newer.arms) & set(older.arms))


def _key(manifest: Manifest) -> tuple[object, ...]:
    return manifest.suite, manifest.seed, manifest.primary_metric, manifest.brain


def changes(newer: Side, older: Side) -> list[Change]:
    """Return how each arm that both have did against its former self, corrected for the number of arms."""
    arms = [arm for arm in newer.manifest.arms if arm in older.manifest.arms]
    compared = {arm: _compare(newer, older, arm) for arm in arms}
    adjusted = holm({arm: found.p for arm, found in compared.items()})
    return [_change(newer, older, arm, compared[arm], adjusted[arm]) for arm in arms]


def _compare(newer: Side, older: Side, arm: str) -> Comparison:
    metric, manifest = newer.manifest.primary_metric, newer.manifest
    return compare(
        newer.tally(arm).values(metric),
        older.tally(arm).values(metric),
        level=1 - manifest.alpha,
        seed=manifest.seed % _SEEDS,
    )


def _change(newer: Side, older: Side, arm: str, comparison: Comparison, p_holm: float | None) -> Change:
    manifest = newer.manifest
    higher = not is_lower_better(manifest.primary_metric, manifest.lower_is_better)
    return Change(
        arm=arm,
        comparison=comparison,
        p_holm=p_holm,
        verdict=judge(comparison, p_holm, higher_is_better=higher, alpha=manifest.alpha),
        per_document=pair(
            newer.tally(arm).values(manifest.primary_metric), older.tally(arm).values(manifest.primary_metric)
        ).differences,
    )


def declared_differences(newer: Manifest, older: Manifest) -> list[str]:
    """Return in words what the declarations differ in; what was changed besides cannot be seen here."""
    named: Iterable[tuple[str, object, object]] = (
        ("suite's files", newer.suite_hash, older.suite_hash),
        ("version", newer.code_version, older.code_version),
        ("brain", newer.brain, older.brain),
        ("tier", newer.tier, older.tier),
        ("limits", newer.limits, older.limits),
        ("documents", newer.samples, older.samples),
        ("repeats", newer.repeats, older.repeats),
        *((f"arm {arm}", newer.arm_hashes[arm], older.arm_hashes.get(arm)) for arm in newer.arms),
    )
    return [_said(name, new, old) for name, new, old in named if new != old]


def _said(name: str, new: object, old: object) -> str:
    is_short = isinstance(new, str | int) and isinstance(old, str | int) and len(f"{new}{old}") < 40
    if old is None:
        return f"{name} is new"
    return f"{name}: {old} → {new}" if is_short else f"{name} changed"
