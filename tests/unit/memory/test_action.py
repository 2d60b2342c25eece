from __future__ import annotations

import pytest

from nightschool.memory.action import action_of, is_opposed


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Please cancel my flight", "cancel"),
        ("I want to book a flight and then cancel it", "book"),
        ("update_reservation_flights", "change"),
        ("Good morning", ""),
        ("facebook is down", ""),
    ],
)
def test_the_first_act_named_is_the_act(text: str, action: str) -> None:
    assert action == action_of(text)


def test_undoing_is_opposed_to_doing() -> None:
    assert is_opposed("book", "cancel") and not is_opposed("book", "find")
