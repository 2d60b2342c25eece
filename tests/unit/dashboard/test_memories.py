from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from nightschool.dashboard.memories import (
    conflicts_in,
    counts_of,
    labels_of,
    memories_of,
    said,
    steps_of,
    told_of,
)
from nightschool.memory.edit import edits_between
from nightschool.memory.memory import Attributes, Evidence, Memory, State, sha256_of


def memory(path: str, text: str = "a text", **known: object) -> Memory:
    attributes = Attributes(**known)  # type: ignore[arg-type]
    return Memory(path=path, text=text, attributes=attributes, sha256=sha256_of(text))


def evidence(number: int, *, passed: bool = True, at: str = "", label: str = "user") -> Evidence:
    return Evidence(session_id=f"sesn_{number}", event_id=f"sevt_{number}", passed=passed, at=at, label=label)


def test_a_change_is_named_for_what_happens_to_the_memory() -> None:
    before = {
        "/gone": memory("/gone"),
        "/kept": memory("/kept"),
        "/said": memory("/said"),
        "/old": memory("/old"),
    }
    after = {
        "/kept": before["/kept"],
        "/new": memory("/new"),
        "/old": memory("/old", state=State.ARCHIVED),
        "/said": memory("/said", "another text"),
    }

    changes = edits_between(before, after)

    assert {"/gone": "purged", "/new": "created", "/old": "archived", "/said": "modified"} == {
        change.path: change.what for change in changes
    }
    assert ["created", "modified", "purged", "archived"] == list(counts_of(changes))
    assert before["/gone"] == changes[0].memory


def test_a_conflict_is_one_pair_and_open_ones_stand_in_front() -> None:
    known = {
        "/a": memory("/a", conflicts_with=("/b",), superseded_by="/b"),
        "/b": memory("/b", conflicts_with=("/a",)),
        "/c": memory("/c", conflicts_with=("/d", "/elsewhere")),
        "/d": memory("/d", conflicts_with=("/c",)),
    }

    assert [("/c", "/d", True), ("/a", "/b", False)] == [
        (each.one.path, each.other.path, each.is_open) for each in conflicts_in(known)
    ]


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["", "2026-01-01", "2026-01-02"])), max_size=12))
def test_the_last_step_is_the_memorys_confidence_and_steps_are_in_order_of_time(
    told: list[tuple[bool, str]],
) -> None:
    found = memory("/a", evidence=tuple(evidence(n, passed=p, at=at) for n, (p, at) in enumerate(told)))

    steps = steps_of(found)

    assert sorted(at for _, at in told) == [step.evidence.at for step in steps]
    assert list(range(1, len(told) + 1)) == [step.number for step in steps]
    if steps:
        assert abs(steps[-1].confidence - found.attributes.confidence) < 1e-9


def test_labels_are_counted_by_who_gave_them() -> None:
    given_ = (evidence(1), evidence(2, passed=False), evidence(3, label="true_check"))

    assert {"true_check": (1, 0), "user": (1, 1)} == labels_of(given_)


def test_a_memory_is_read_with_its_text_and_says_so_when_the_text_is_gone() -> None:
    rows = pl.DataFrame(
        {
            "path": ["/a", "/b"],
            "content_sha256": [sha256_of("x"), "removed"],
            "versions": [1, 2],
            "dream_id": ["drm_1", None],
            "attributes": [json.dumps({"state": "candidate"}), None],
        }
    )

    found = memories_of(rows, {sha256_of("x"): "x"})

    assert ("x", State.CANDIDATE) == (said(found["/a"]), found["/a"].attributes.state)
    assert found["/b"].is_redacted
    assert said(replace(found["/b"])).startswith("(its text was removed")


def test_the_history_is_told_oldest_first() -> None:
    at = [datetime(2026, 1, day, tzinfo=UTC) for day in (2, 1)]
    rows = pl.DataFrame(
        {
            "store_id": ["memstore_2", "memstore_1"],
            "type": ["memory.deleted", "memory.created"],
            "actor": ["user", "dream"],
            "dream_id": [None, "drm_1"],
            "content_sha256": [None, "f"],
            "at": at,
            "attributes": [None, json.dumps({"kind": "lesson"})],
        }
    )

    assert [("created", "active"), ("deleted", "deleted")] == [
        (each.what, each.state) for each in told_of(rows)
    ]
