"""The simulated author errs, mends and breaks as often as is declared, the same for the same seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from nightschool.models.simulated_author import Decision, Habits, SimulatedAuthor

NAMES = [f"d{number}" for number in range(400)]
FEEDBACK = "Feedback:\n"


class Lines:
    """Work that is the list of what is wrong with it."""

    def decisions(self, _document: str) -> Sequence[Decision]:
        return [Decision(name=name, kind="rule") for name in NAMES]

    def made(self, _document: str, wrong: frozenset[str]) -> dict[str, Any]:
        return {"wrong": sorted(wrong)}

    def faults(self, _document: str, answer: Mapping[str, Any]) -> Mapping[str, str]:
        return dict.fromkeys(answer["wrong"], "wrong")


def author(seed: str = "1", **habits: Any) -> SimulatedAuthor:
    return SimulatedAuthor(
        craft=Lines(),
        tool="hand_in",
        feedback_heading=FEEDBACK,
        closing="Over",
        habits=replace(Habits(errors={"rule": 0.25}), **habits),
        seed=seed,
    )


def feedback(*names: str) -> str:
    return FEEDBACK + "\n".join(f"{name}: mend it" for name in names)


def request(*said: str, answered: bool = False, tool: str = "hand_in") -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": words} for words in ("Do it.", *said)]
    if answered:
        result = {"type": "tool_result", "tool_use_id": "t", "content": "accepted"}
        messages += [{"role": "user", "content": [result]}]
    return {"messages": messages, "tools": [{"name": tool}]}


def test_a_first_draft_is_wrong_as_often_as_declared_and_the_same_each_time() -> None:
    wrong = author().errors_after("Do it.", [])
    assert 0.19 < len(wrong) / len(NAMES) < 0.31
    assert wrong == author().errors_after("Do it.", [])
    assert wrong != author("2").errors_after("Do it.", [])
    assert wrong != author().errors_after("Do that.", [])


def test_feedback_puts_right_what_it_names_as_often_as_declared_and_nothing_else() -> None:
    first = author().errors_after("Do it.", [])
    named = sorted(first)[:60]
    left = author(mends=0.5, breaks=0.0).errors_after("Do it.", [feedback(*named)])
    assert left <= first
    assert first - set(named) <= left
    assert 0.3 < len(set(named) - left) / len(named) < 0.7


def test_what_is_right_and_named_may_be_spoilt_and_a_revision_may_break_something() -> None:
    first = author().errors_after("Do it.", [])
    right = sorted(set(NAMES) - first)
    spoilt = author(spoils=1.0, breaks=0.0).errors_after("Do it.", [feedback(*right[:10])])
    broken = author(breaks=0.1).errors_after("Do it.", [feedback()])
    assert first | set(right[:10]) == spoilt
    assert 0.04 < len(broken - first) / len(right) < 0.18


def test_a_blind_spot_stays_whatever_is_said() -> None:
    first = author(blind={"rule": 1.0}).errors_after("Do it.", [])
    assert first == author(blind={"rule": 1.0}, mends=1.0).errors_after("Do it.", [feedback(*first)])


def test_looking_again_finds_as_much_as_is_declared() -> None:
    first = author().errors_after("Do it.", [])
    again = author(finds=0.3).errors_after("Do it.", ["Look again."])
    assert 0.15 < len(first - again) / len(first) < 0.45
    assert first == author(finds=0.0).errors_after("Do it.", ["Look again."])


def test_good_and_bad_days_move_all_errors_together() -> None:
    rates = [len(author(str(seed), spread=0.8).errors_after("Do it.", [])) / len(NAMES) for seed in range(30)]
    assert min(rates) < 0.15
    assert 0.4 < max(rates)


def test_it_hands_in_once_a_round_and_ends_its_turn_after_an_answer() -> None:
    call = author().answer(request()).content[0]
    assert ("tool_use", "hand_in") == (call["type"], call["name"])
    assert sorted(author().errors_after("Do it.", [])) == call["input"]["wrong"]
    assert "end_turn" == author().answer(request(answered=True)).stop_reason


@pytest.mark.parametrize("asked", [request("Over: it stands."), request(tool="other")])
def test_it_hands_in_nothing_when_it_is_over_or_it_cannot(asked: dict[str, Any]) -> None:
    assert "end_turn" == author().answer(asked).stop_reason
