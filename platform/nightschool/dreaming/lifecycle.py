"""How long memories live. Pure: a memory and a time in, what becomes of it out.

Use extends life only when the outcome was not worse. What expires is hidden first, then counts as cold,
then is purged; until then it can be restored with its whole history.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from nightschool.dreaming.episode import Episode, Result
from nightschool.memory.memory import Attributes, Evidence, State

__all__ = ["Lifetimes", "aged", "outcomes_of"]

_FEWEST_USES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifetimes:
    """How long, in days."""

    unused_days: int = 90
    """Without proving right, before it is hidden."""
    hidden_days: int = 90
    """Hidden, before it counts as cold."""
    cold_days: int = 365
    """Cold, before it is purged."""


def outcomes_of(episodes: Iterable[Episode]) -> dict[str, tuple[Evidence, ...]]:
    """Return by path how the sessions ended that recalled and used a memory; shared use is shared credit."""
    found: dict[str, list[Evidence]] = defaultdict(list)
    for episode in episodes:
        if episode.result not in {Result.SUCCESS, Result.FAILURE} or episode.is_environmental:
            continue
        for path in episode.used:
            found[path].append(
                Evidence(
                    session_id=episode.session_id,
                    event_id=episode.labels[0].event_id,
                    passed=episode.result is Result.SUCCESS,
                    label=episode.label_source or "",
                    at=episode.at,
                    weight=1.0 / len(episode.used),
                )
            )
    return {path: tuple(sorted(all_of, key=lambda each: each.session_id)) for path, all_of in found.items()}


def aged(known: Attributes, now: datetime, lifetimes: Lifetimes) -> Attributes | None:
    """Return what is known about a memory now; None when its time is over for good."""
    if _is_harmful(known) and known.state is State.ACTIVE:
        return replace(
            known,
            state=State.ARCHIVED,
            tags=tuple(sorted({*known.tags, "harmful"})),
            reason="it was used in sessions that mostly failed",
        )
    known = _extended(known, lifetimes)
    if not known.expires_at or known.state not in {State.ACTIVE, State.EXPIRED, State.COLD}:
        return known
    hidden = datetime.fromisoformat(known.expires_at)
    cold = hidden + timedelta(days=lifetimes.hidden_days)
    if now >= cold + timedelta(days=lifetimes.cold_days):
        return None
    if now >= cold:
        return replace(known, state=State.COLD)
    if now >= hidden:
        return replace(known, state=State.EXPIRED)
    return known


def _extended(known: Attributes, lifetimes: Lifetimes) -> Attributes:
    proofs = [each.at for each in (*known.evidence, *known.outcomes) if each.passed and each.at]
    if not proofs:
        return known
    checked = max(proofs)
    until = (datetime.fromisoformat(checked) + timedelta(days=lifetimes.unused_days)).isoformat()
    return replace(known, checked_at=checked, expires_at=max(until, known.expires_at))


def _is_harmful(known: Attributes) -> bool:
    """Whether it was used often enough to tell, and mostly in sessions that failed."""
    worse = sum(each.weight for each in known.outcomes if not each.passed)
    better = sum(each.weight for each in known.outcomes if each.passed)
    return len(known.outcomes) >= _FEWEST_USES and worse > better
