from __future__ import annotations

import pytest

from nightschool.dreaming.shortcuts import new_shortcuts, shortcut_of
from nightschool.memory.memory import Attributes, Kind, Memory, State, sha256_of


def memory(text: str, kind: Kind = Kind.STATEMENT, state: State = State.ACTIVE) -> Memory:
    return Memory(path="/m", text=text, attributes=Attributes(kind=kind, state=state), sha256=sha256_of(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You should do nothing when the customer is angry.", "do nothing"),
        ("Always stop after the first section.", "stop early"),
        ("Never mind: do not check the appendix.", "stop early"),
        ("Always transfer the customer to a human.", "hand over"),
        ("You must refuse such work.", "refuse"),
        ("Always change the tests until they pass.", "touch the tests"),
        ("Always read the definitions first.", ""),
        ("Refunds take 5 days.", ""),
        ("The seller may refuse an order.", ""),
    ],
)
def test_advice_to_do_less_is_known_by_its_words(text: str, expected: str) -> None:
    assert expected == shortcut_of(memory(text))


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("get_order(id=<id>) → transfer_to_human_agents(summary=<text>)", "hand over"),
        ("get_order(id=<id>) → update_order(id=<id>)", ""),
    ],
)
def test_a_path_that_hands_over_is_a_shortcut(steps: str, expected: str) -> None:
    text = f"For tasks of type shop/cancel, this order of calls succeeded: {steps}"

    assert shortcut_of(memory(text, Kind.TEMPLATE)).startswith(expected)
    assert bool(expected) == bool(shortcut_of(memory(text, Kind.TEMPLATE)))


def test_only_what_is_new_in_recall_is_named() -> None:
    bad = {"/m": memory("Always do nothing.")}
    hidden = {"/m": memory("Always do nothing.", state=State.CANDIDATE)}

    assert ["/m advises to do nothing"] == new_shortcuts({}, bad) == new_shortcuts(hidden, bad)
    assert [] == new_shortcuts(bad, bad) == new_shortcuts({}, hidden)
