"""Ids: how they look, that those derived stay what they are, that those made sort by time."""

from __future__ import annotations

import random

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource, derived_id


def test_a_derived_id_is_the_same_in_every_version() -> None:
    """Work that a former version began is found again by its id."""
    assert "sevt_zdc8mcb0745hjawa2x7tcz" == derived_id("event", "a", 1, "b")
    assert "sesn_pvqj1zzzjwhjjeqprwa1rv" == derived_id("session", "x", "y")


def test_new_ids_sort_by_the_time_they_were_made() -> None:
    clock = FrozenClock()
    ids = IdSource(clock, random.Random(3))
    made = []
    for _ in range(50):
        made.append(ids.new("event"))
        clock.advance(0.001)

    assert sorted(made) == made
    assert "sevt_01kdvdna00jyvn14yepfzx" == made[0]
