"""Where one memory comes from, and what it stands beside: facts, sessions, versions, links, conflicts.

Pure: memories in, HTML out. Knows nothing about pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from nightschool.dashboard.markup import Cell, Column, Tone, data_table, escaped, folded
from nightschool.dashboard.memories import Conflict, Told, labels_of, said
from nightschool.dashboard.wording import ABSENT, count, decimal, moment, plural, short_id
from nightschool.memory.memory import Attributes, Evidence, Memory

__all__ = [
    "MOST_SESSIONS",
    "address",
    "conflict_cards",
    "evidence_table",
    "history_table",
    "linked_table",
    "memory_facts",
]

MOST_SESSIONS: Final = 200
"""Sessions of one memory that are listed."""
_SHOWN: Final = 300
"""Characters of a text in a row."""
_LABELS: Final = {
    "true_check": "a check",
    "grader": "a grader",
    "user": "a person",
    "self": "the agent itself",
    "": "nobody",
}
_TONES: Final[Mapping[str, Tone]] = {"active": "good", "quarantined": "warn", "archived": "muted"}


def address(**parameters: str) -> str:
    """Return an address of this page."""
    return "?" + urlencode(parameters)


def memory_facts(memory: Memory) -> list[tuple[str, str]]:
    """Return what is known about a memory."""
    known = memory.attributes
    labels = labels_of((*known.evidence, *known.outcomes))
    facts = [
        ("state", str(known.state)),
        ("sure", f"{decimal(known.confidence)} ({known.successes:g} for, {known.failures:g} against)"),
        ("kind · tier", f"{known.kind} · {known.tier}"),
        ("judged by", ", ".join(f"{_label(each)} ({sum(n)})" for each, n in labels.items()) or ABSENT),
        ("taint", f"said by a {known.taint}: never recalled" if known.taint else "none"),
    ]
    optional = (
        ("task type", known.task_type),
        ("action", known.action),
        ("scope", known.scope),
        ("tenant", known.tenant),
        ("tags", ", ".join(known.tags)),
        ("true since", known.valid_at),
        ("proved right", known.checked_at),
        ("expires", known.expires_at),
        ("written by dream", memory.dream_id or ""),
        ("why it is there", known.reason),
    )
    return [*facts, *((name, value) for name, value in optional if value)]


def _label(source: str) -> str:
    return _LABELS.get(source, source)


def evidence_table(known: Attributes) -> str:
    """Return the sessions a memory rests on, each with its event; the first `MOST_SESSIONS`."""
    columns = [
        Column(name="Session", numeric=False),
        Column(name="Event quoted", numeric=False),
        Column(name="Counts as", numeric=False),
        Column(name="Ended", numeric=False),
        Column(name="Judged by", numeric=False),
        Column(name="Weight", unit="sessions"),
        Column(name="When (UTC)", numeric=False),
    ]
    rows = [_session(each, "learnt from") for each in known.evidence]
    rows += [_session(each, "used in") for each in known.outcomes]
    return data_table(columns, rows[:MOST_SESSIONS], caption="Sessions and events it rests on")


def _session(each: Evidence, how: str) -> list[Cell]:
    session = urlencode({"session": each.session_id})
    event = urlencode({"session": each.session_id, "event": each.event_id})
    return [
        Cell(text=short_id(each.session_id), title=each.session_id, link=f"session?{session}"),
        Cell(text=short_id(each.event_id), title=each.event_id, link=f"session?{event}"),
        Cell(text=how),
        Cell(text="passed" if each.passed else "failed", tone="good" if each.passed else "bad"),
        Cell(text=_label(each.label)),
        Cell(text=decimal(each.weight)),
        Cell(text=each.at[:16].replace("T", " ") or ABSENT),
    ]


def history_table(told: Sequence[Told], *, head: str | None) -> str:
    """Return what each version of the store said of one memory, newest first."""
    columns = [
        Column(name="When (UTC)", numeric=False),
        Column(name="Store version", numeric=False),
        Column(name="What", numeric=False),
        Column(name="By", numeric=False),
        Column(name="State", numeric=False),
        Column(name="Sure", unit="0–1"),
        Column(name="Sessions"),
        Column(name="Text", unit="hash", numeric=False),
    ]
    rows = [
        [
            Cell(text=moment(each.at)),
            Cell(
                text=short_id(each.store_id),
                note="recalled from now" if each.store_id == head else "",
                title=each.store_id,
            ),
            Cell(text=each.what),
            Cell(text=each.actor),
            Cell(text=each.state, tone=_TONES.get(each.state, "")),
            Cell(text=decimal(each.confidence) if each.what != "deleted" else ABSENT),
            Cell(text=count(each.sessions)),
            Cell(text=each.content_sha256[:10] or ABSENT),
        ]
        for each in reversed(told)
    ]
    return data_table(columns, rows, caption="The memory in each version of its store")


def conflict_cards(conflicts: Iterable[Conflict], *, store: str, dream: str) -> str:
    """Return both sides of each conflict beside one another."""
    return "".join(_conflict(each, {"store": store, "dream": dream}) for each in conflicts)


def _conflict(each: Conflict, place: Mapping[str, str]) -> str:
    sides = "".join(_side(memory, place) for memory in (each.one, each.other))
    return f'<div class="ns-verdicts ns-sides">{sides}</div>'


def _side(memory: Memory, place: Mapping[str, str]) -> str:
    known = memory.attributes
    kind = "is-better" if memory.is_recallable else "is-undecided"
    sessions = plural(len(known.sessions), "session")
    lines = [
        f"{known.state}, sure {decimal(known.confidence)}, {sessions}",
        f"{known.successes:g} for, {known.failures:g} against",
        *([f"holds for: {known.scope}"] if known.scope else []),
        *([known.reason] if known.reason else []),
    ]
    where = escaped(address(**{name: value for name, value in place.items() if value}, memory=memory.path))
    link = f'<p><a href="{where}" target="_self">{escaped(memory.path)}</a></p>'
    told = "".join(f'<p dir="auto">{escaped(line)}</p>' for line in lines)
    return f'<div class="ns-verdict {kind}">{folded(said(memory))}{told}{link}</div>'


def linked_table(memory: Memory, memories: Mapping[str, Memory], *, store: str, dream: str) -> str:
    """Return the memories that one replaced, was replaced by, or disagrees with; empty without any."""
    known = memory.attributes
    links = [("replaces", path) for path in known.supersedes]
    links += [("replaced by", known.superseded_by)] if known.superseded_by else []
    links += [("disagrees with", path) for path in known.conflicts_with]
    if not links:
        return ""
    columns = [
        Column(name="Memory", numeric=False),
        Column(name="Relation", numeric=False),
        Column(name="State", numeric=False),
        Column(name="Says", numeric=False, wraps=True),
    ]
    rows = [_link(how, path, memories.get(path), {"store": store, "dream": dream}) for how, path in links]
    return data_table(columns, rows, caption="Memories it is linked with")


def _link(how: str, path: str, other: Memory | None, place: Mapping[str, str]) -> list[Cell]:
    if other is None:
        return [Cell(text=path), Cell(text=how), Cell(text="not in this version"), Cell(text=ABSENT)]
    where = address(**{name: value for name, value in place.items() if value}, memory=path)
    return [
        Cell(text=path, link=where),
        Cell(text=how),
        Cell(text=str(other.attributes.state)),
        Cell(text=said(other)[:_SHOWN]),
    ]
