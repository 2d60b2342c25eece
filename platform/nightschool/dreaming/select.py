"""Which sessions a dream reads: from the journal, since a position or named, one tenant's only.

Knows nothing about what is learnt from them. Only reads; takes no lock that live work could wait for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from nightschool.core.errors import NotFound
from nightschool.dreaming.digest import digest
from nightschool.dreaming.episode import Episode, Label, LabelSource
from nightschool.events.experiment import TrialCompleted
from nightschool.events.session import SessionCreated
from nightschool.journal.journal import Journal

__all__ = ["Selection", "read_episodes", "select"]

_PAGE: Final = 2000
_PREFIX: Final = "sesn_"
_DREAMER: Final = "dreamer"
"""Role of the sessions in which a dream asks a model: it is not dreamt about what it said."""
_PARTS: Final = frozenset({_DREAMER, "grader", "lead", "orchestrator"})
"""Parts of a trial that do none of its work: their paths are no example."""
_TIER: Final = "standard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Sessions to read."""

    session_ids: tuple[str, ...]
    labels: dict[str, list[Label]] = field(default_factory=dict)
    """What trials say about sessions."""
    watermark: int = 0
    """The log's position up to which was looked."""


def select(journal: Journal, *, after: int = 0, session_ids: Collection[str] = ()) -> Selection:
    """Return the sessions touched after a position, or those named.

    Raises:
        NotFound: a named session does not exist.
    """
    missing = [each for each in session_ids if not journal.epoch(each)]
    if missing:
        raise NotFound(f"there is no session {missing[0]} to dream about", session_id=missing[0])
    touched: dict[str, None] = {}
    labels: dict[str, list[Label]] = {}
    own: set[str] = set()
    position = after
    while page := journal.tail(position, _PAGE):
        position = page[-1].position
        for entry in page:
            if entry.session_id.startswith(_PREFIX):
                touched[entry.session_id] = None
                if isinstance(entry.event, SessionCreated) and entry.event.metadata.get("role") == _DREAMER:
                    own.add(entry.session_id)
            elif entry.type == "trial.completed" and isinstance(entry.event, TrialCompleted):
                _note_trial(entry.event, labels, touched)
    chosen = tuple(session_ids) or tuple(each for each in touched if each not in own)
    return Selection(session_ids=chosen, labels=labels, watermark=position)


def _note_trial(trial: TrialCompleted, labels: dict[str, list[Label]], touched: dict[str, None]) -> None:
    if trial.session_id is not None and _TIER in trial.tiers:
        label = Label(source=LabelSource.TRUE_CHECK, passed=trial.tiers[_TIER], event_id=trial.id)
        labels.setdefault(trial.session_id, []).append(label)
        touched[trial.session_id] = None


def read_episodes(
    journal: Journal,
    selection: Selection,
    *,
    source: str | None = None,
    tenant: str = "",
    memory_text: Callable[[str], str | None] = lambda _: None,
) -> Iterable[Episode]:
    """Yield the episodes of the selected sessions that have a source and belong to a tenant."""
    for session_id in selection.session_ids:
        first = journal.read(session_id, limit=1)
        created = first[0].event if first else None
        if not isinstance(created, SessionCreated) or created.metadata.get("role") in _PARTS:
            continue
        if created.metadata.get("tenant", "") != tenant:
            continue
        if source is None or created.metadata.get("source", "run").startswith(source):
            yield digest(
                session_id,
                [entry.event for entry in journal.read(session_id)],
                further=selection.labels.get(session_id, ()),
                memory_text=memory_text,
                not_after=first[0].recorded_at,
            )
