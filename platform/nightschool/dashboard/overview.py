"""What the home page says: which experiments need a look, and why. Pure; knows nothing about pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from nightschool.dashboard.experiment import Experiment
from nightschool.dashboard.wording import percent, plural, seconds

__all__ = ["QUIET_SECONDS", "Look", "looks"]

QUIET_SECONDS: Final = 120.0
"""A run that has recorded nothing for so long has probably been stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One reason to look at something."""

    experiment: Experiment
    reason: str
    command: str = ""
    """What to run, where something is to be done."""
    is_serious: bool = False


def looks(
    experiments: Iterable[Experiment], last_changes: Mapping[str, datetime | None], now: datetime
) -> list[Look]:
    """Return what needs a look, the serious in front.

    Args:
        experiments: newest first.
        last_changes: when something last happened in the experiments under way.
        now: the time to measure quiet by.
    """
    found = [look for each in experiments for look in _of_one(each, last_changes.get(each.id), now)]
    return sorted(found, key=lambda look: not look.is_serious)


def _of_one(each: Experiment, last: datetime | None, now: datetime) -> Iterator[Look]:
    if not each.is_complete:
        done = each.recorded + each.errored
        quiet = 0.0 if last is None else (now - last).total_seconds()
        if quiet > QUIET_SECONDS:
            so_far = f"{done} of {plural(each.expected, 'trial')}"
            reason = f"stopped at {so_far}: nothing recorded for {seconds(quiet)}"
            yield Look(
                experiment=each,
                reason=reason,
                command=f"nightschool run --resume {each.id}",
                is_serious=True,
            )
        else:
            yield Look(experiment=each, reason=f"running: {done} of {plural(each.expected, 'trial')}")
    if each.errored:
        share = percent(each.errored / each.expected)
        reason = f"{plural(each.errored, 'trial')} ended without a result ({share} of those expected)"
        yield Look(experiment=each, reason=reason, is_serious=each.errored > each.expected / 20)
