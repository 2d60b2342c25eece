"""What two answers to one document say differently."""

from __future__ import annotations

from nightschool.dashboard.side_by_side import answer_differences


def position(policy: str, said: str, section: str | None = None) -> dict[str, object]:
    return {"policy": policy, "position": said, "section": section, "quote": None}


def test_positions_are_compared_by_policy_and_those_alike_are_left_out() -> None:
    one = {"positions": [position("P01", "violation", "6.1"), position("P02", "compliant")]}
    other = {"positions": [position("P02", "compliant"), position("P01", "missing")]}

    assert [("P01", "violation · section 6.1", "missing")] == answer_differences(one, other)


def test_what_only_one_answer_holds_is_said_not_to_be_handed_in() -> None:
    found = answer_differences({"positions": [position("P01", "missing")]}, {})

    assert [("P01", "missing", "not handed in")] == found


def test_answers_without_positions_are_compared_field_by_field() -> None:
    assert [("total", "12", "13")] == answer_differences(
        {"total": 12, "unit": "€"}, {"total": 13, "unit": "€"}
    )
