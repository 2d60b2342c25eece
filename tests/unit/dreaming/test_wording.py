from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.dreaming.proposal import Proposal
from nightschool.dreaming.wording import checked, open_findings, reworded, wordings_of
from nightschool.memory.memory import Attributes, Evidence, Kind, Memory, State, sha256_of


def finding(name: str, text: str, *sessions: str, **known: Any) -> Proposal:
    evidence = tuple(
        Evidence(session_id=f"sesn_{each}", event_id=f"sevt_{each}", passed=True) for each in sessions
    )
    return Proposal(
        path=f"/{name}", text=text, attributes=Attributes(kind=Kind.STATEMENT, evidence=evidence, **known)
    )


def item(text: str, events: str, *paths: str) -> Mapping[str, Any]:
    return {"findings": list(paths), "text": text, "events": [f"sevt_{each}" for each in events]}


LONG = finding("long", "Refunds of any order will usually take 5 days.", "a", "b")
SHORT = finding("short", "Refunds take 5 days.", "c")
ASKED = [LONG, SHORT]


def test_findings_that_say_the_same_become_one_and_keep_their_own_evidence() -> None:
    found = checked([item("Refunds take 5 days.", "ac", "/long", "/short")], ASKED, "m")
    after = {each.path: each for each in reworded(ASKED, found.wordings)}

    assert ({}, "Refunds take 5 days.") == (found.dropped, after["/long"].text)
    assert (State.ARCHIVED, "/long", ("merged",)) == (
        after["/short"].attributes.state,
        after["/short"].attributes.superseded_by,
        after["/short"].attributes.tags,
    )
    assert [each.attributes.evidence for each in ASKED] == [
        after[each.path].attributes.evidence for each in ASKED
    ]
    assert [each.attributes.confidence for each in ASKED] == [
        after[each.path].attributes.confidence for each in ASKED
    ]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (item("Refunds take 5 days.", "", "/short"), "it quotes no event"),
        (item("Refunds take 5 days.", "z", "/short"), "it quotes an event that does not support it"),
        (item("Refunds take 5 days.", "a", "/short"), "it quotes an event that does not support it"),
        (item("Refunds take 5 days.", "a", "/long", "/short"), "it quotes no event for a finding"),
        (item("Refunds take 5 days.", "c", "/nowhere"), "it names a finding that was not asked about"),
        (item("Refunds take 5 days.", "c"), "it names a finding that was not asked about"),
        (item("Refunds take 3 days.", "c", "/short"), "it changes a number or a denial"),
        (item("Refunds never take 5 days.", "c", "/short"), "it changes a number or a denial"),
        (item("You must grant refunds in 5 days.", "c", "/short"), "it tells to do"),
        (item("Transfer every customer: 5 people wait.", "c", "/short"), "it says what its findings do not"),
        (item("", "c", "/short"), "it is empty"),
        (item("Refunds take 5 days. " * 60, "c", "/short"), "it is empty or longer"),
    ],
)
def test_what_does_not_hold_up_is_dropped_and_counted(said: Mapping[str, Any], reason: str) -> None:
    found = checked([said], ASKED, "m")

    assert () == found.wordings
    assert [(True, 1)] == [(why.startswith(reason), count) for why, count in found.dropped.items()]


def test_a_finding_is_said_once() -> None:
    twice = [item("Refunds take 5 days.", "c", "/short")] * 2

    assert {"a finding was said already by another item": 1} == checked(twice, ASKED, "m").dropped


@pytest.mark.parametrize("known", [{"scope": "gold members"}, {"tenant": "red"}, {"task_type": "shop/x"}])
def test_findings_for_other_cases_are_not_merged(known: dict[str, Any]) -> None:
    apart = [LONG, replace(SHORT, attributes=replace(SHORT.attributes, **known))]
    found = checked([item("Refunds take 5 days.", "ac", "/long", "/short")], apart, "m")

    assert {"it merges what does not belong together": 1} == found.dropped


def as_store(*proposals: Proposal) -> dict[str, Memory]:
    return {
        each.path: Memory(
            path=each.path, text=each.text, attributes=each.attributes, sha256=sha256_of(each.text)
        )
        for each in proposals
    }


def test_a_later_dream_keeps_the_words_until_a_finding_changes() -> None:
    merged = checked([item("Refunds take 5 days.", "ac", "/long", "/short")], ASKED, "m").wordings
    store = as_store(*reworded(ASKED, merged))
    changed = [replace(LONG, text="Refunds of any order take 5 working days."), SHORT]

    assert merged == tuple(wordings_of(store))
    assert list(reworded(ASKED, merged)) == list(reworded(ASKED, wordings_of(store)))
    assert changed == reworded(changed, wordings_of(store))
    assert [SHORT] == reworded([SHORT], wordings_of(store))


def test_a_model_is_asked_only_where_something_is_new() -> None:
    merged = checked([item("Refunds take 5 days.", "ac", "/long", "/short")], ASKED, "m").wordings
    store = as_store(*reworded(ASKED, merged))
    fresh = finding("fresh", "Refunds in the house take 5 days.", "d")

    assert [] == open_findings(ASKED, store)
    assert [*ASKED, fresh] == open_findings([*ASKED, fresh], store)


def test_what_was_redacted_or_tainted_or_is_not_recalled_is_shown_to_nobody() -> None:
    hidden = [
        replace(SHORT, attributes=replace(SHORT.attributes, state=State.CANDIDATE)),
        replace(LONG, attributes=replace(LONG.attributes, taint="tool")),
    ]
    gone = {"/short": replace(as_store(SHORT)["/short"], is_redacted=True)}

    assert [] == open_findings(hidden, {})
    assert [] == open_findings([SHORT], gone)


@given(st.text(max_size=80), st.lists(st.sampled_from("abcxyz"), max_size=3), st.booleans())
def test_whatever_is_answered_no_evidence_changes(text: str, events: list[str], both: bool) -> None:
    paths = ("/long", "/short") if both else ("/short",)
    found = checked([item(text, "".join(events), *paths)], ASKED, "m")
    after = {each.path: each.attributes for each in reworded(ASKED, found.wordings)}

    assert 1 == len(found.wordings) + sum(found.dropped.values())
    assert {each.path: each.attributes.evidence for each in ASKED} == {
        path: known.evidence for path, known in after.items()
    }
