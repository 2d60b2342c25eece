from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from nightschool.events.agent import AgentMessage, AgentToolResult, AgentToolUse
from nightschool.events.base import TextBlock
from nightschool.events.session import AgentSnapshot, SessionCreated
from nightschool.events.union import Event
from nightschool.events.user import UserMessage
from nightschool.experiments.leaks import find_leak, gold_pieces

GOLD = [{"policy": "P01", "position": "violation", "section": "4"}, {"total": 918_273_645}]


def text(words: str) -> tuple[TextBlock, ...]:
    return (TextBlock(text=words),)


def told(words: str) -> Event:
    return UserMessage(id="evt_1", content=text(words))


@pytest.mark.parametrize(
    "event",
    [
        told(f"Review this. Key: {json.dumps(GOLD[0])}"),
        told(f"Review this. Key:\n{json.dumps(GOLD[0], indent=2)}"),
        told(f"{GOLD[0]}"),
        told("The total is 918273645."),
        SessionCreated(id="evt_2", agent=AgentSnapshot(name="a", model="m", system=json.dumps(GOLD[0]))),
        AgentToolResult(id="evt_3", tool_use_id="evt_0", content=text(json.dumps(GOLD[0]))),
    ],
)
def test_gold_that_an_agent_was_told_is_found(event: Event) -> None:
    assert find_leak(gold_pieces(GOLD, "a contract"), [event]) is not None


def test_what_the_agent_said_first_is_an_answer_and_no_leak() -> None:
    said = AgentToolUse(id="evt_1", name="submit", input={"total": 918_273_645})
    echoed = AgentToolResult(id="evt_2", tool_use_id="evt_1", content=text("accepted 918273645"))
    assert find_leak(gold_pieces(GOLD, "a contract"), [said, echoed]) is None
    assert find_leak(gold_pieces(GOLD, "a contract"), [echoed, said]) is not None
    spoken = AgentMessage(id="evt_3", content=text("I make it 918273645"))
    assert find_leak(gold_pieces(GOLD, "a contract"), [spoken, echoed]) is None


def test_what_stands_in_the_document_gives_nothing_away() -> None:
    quote = "The supplier is liable without any limit whatsoever."
    pieces = gold_pieces({"quote": quote}, f"1. Liability\n{quote}")
    assert find_leak(pieces, [told(quote)]) is None


def test_short_words_and_small_numbers_prove_nothing() -> None:
    assert [] == gold_pieces(["violation", 12, True, None], "")


def test_gold_of_a_class_of_its_own_is_looked_through() -> None:
    @dataclass
    class Truth:
        reason: str

    pieces = gold_pieces(Truth(reason="the cut-off was moved by one quarter"), "")
    assert find_leak(pieces, [told("note: the  cut-off was\nmoved by one quarter")]) is not None
