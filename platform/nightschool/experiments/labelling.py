"""Labels of results: put into the log, read from it, and the order in which results ask for one.

A label is an event of the session whose result it judges, so it stays and goes with that session. Knows
nothing about pages or commands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from nightschool.core.errors import NotFound
from nightschool.events.base import EventBase
from nightschool.events.experiment import FeedbackRecorded, TrialCompleted
from nightschool.experiments.ledger import Ledger
from nightschool.harness import record
from nightschool.outcomes.labels import Agreed, Label, agreed
from nightschool.outcomes.noise import GraderNoise, Reading, read_verdict
from nightschool.outcomes.tiers import Tier
from nightschool.sessions.log import SessionLog

__all__ = ["Judged", "Queued", "labels_of", "read_judged", "record_label", "review_queue"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One result with the scores recorded and what people say of it."""

    trial_id: str
    session_id: str
    arm: str
    sample_id: str
    epoch: int
    scores: Mapping[str, float] = field(default_factory=dict)
    said: Agreed | None = None
    """None: nobody has labelled it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """A result and how its verdict stands."""

    judged: Judged
    reading: Reading


async def record_label(log: SessionLog, session_id: str, label: Label) -> None:
    """Append a label to the session whose result it judges; whoever is writing that session goes on.

    Raises:
        NotFound: there is no such session in the journal.
        StoreError: nothing was stored; the kind says why.
    """
    if not await log.exists(session_id):
        raise NotFound(f"there is no session {session_id} to label", session_id=session_id)
    writer = await log.create(session_id)
    worth = float(label.decision == "accept") if label.score is None else label.score
    said = record.event(
        writer,
        FeedbackRecorded,
        source="user",
        value=worth,
        comment=label.note or None,
        decision=label.decision,
        score=label.score,
        given_by=label.given_by,
    )
    await writer.emit_event(said)


def labels_of(events: Iterable[EventBase]) -> list[Label]:
    """Return the labels among a session's events, oldest first."""
    return [
        Label(
            decision=event.decision,
            score=event.score,
            note=event.comment or "",
            given_by=event.given_by or "unknown",
            given_at=event.processed_at,
        )
        for event in events
        if isinstance(event, FeedbackRecorded) and event.decision is not None
    ]


async def read_judged(log: SessionLog, ledger: Ledger) -> list[tuple[Judged, TrialCompleted]]:
    """Return the graded results of an experiment with what people say of them."""
    found = []
    for result in ledger.results():
        if result.session_id is not None and result.scores:
            said = await log.get_events(result.session_id, types=("feedback.recorded",))
            found.append((_judged(result, result.session_id, labels_of(said)), result))
    return found


def _judged(result: TrialCompleted, session_id: str, labels: Sequence[Label]) -> Judged:
    return Judged(
        trial_id=result.trial_id,
        session_id=session_id,
        arm=result.arm,
        sample_id=result.sample_id,
        epoch=result.epoch,
        scores=result.scores,
        said=agreed(labels),
    )


def review_queue(
    results: Iterable[Judged], *, tier: Tier, noise: GraderNoise, weights: Mapping[str, float]
) -> list[Queued]:
    """Return results in the order in which a person's word is worth most.

    Those that nobody labelled stand first, then those on which people disagree; among equals the verdict
    that is least sure, by its probability of being turned over and its distance from the threshold.
    """
    queued = [
        Queued(judged=each, reading=read_verdict(tier, each.scores, noise, weights)) for each in results
    ]
    return sorted(queued, key=_urgency)


def _urgency(queued: Queued) -> tuple[int, float, float, str]:
    said, reading = queued.judged.said, queued.reading
    settled = 0 if said is None else 1 if said.is_disputed else 2
    return settled, -reading.flip_probability, abs(reading.margin), queued.judged.trial_id
