from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.orchestration.mediation import Mediation, mediate_by_rule, three_way

OBJECTS = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3))


@pytest.mark.parametrize(
    ("base", "present", "proposed", "joined", "clashes"),
    [
        ({"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 1, "b": 3}, {"a": 2, "b": 3}, []),
        ({"a": 1}, {"a": 2}, {"a": 3}, {"a": 3}, ["a"]),
        ({"a": 1, "b": 1}, {"a": 1, "b": 1, "c": 1}, {"a": 1}, {"a": 1, "c": 1}, []),
        (None, {"a": 1}, {"b": 2}, {"a": 1, "b": 2}, []),
        ([1], [1, 2], [1, 3], [1, 3], ["value"]),
    ],
)
def test_what_either_side_changed_is_kept(
    base: Any, present: Any, proposed: Any, joined: Any, clashes: list[str]
) -> None:
    assert (joined, clashes) == three_way(base, present, proposed)


@given(OBJECTS, OBJECTS)
def test_a_side_that_changed_nothing_is_in_nobodys_way(base: dict[str, int], other: dict[str, int]) -> None:
    assert (other, []) == three_way(base, base, other)
    assert (other, []) == three_way(base, other, base)


@pytest.mark.anyio
async def test_the_rule_says_who_prevailed() -> None:
    case = Mediation(resource="table:t", task_id="x", base={"a": 1}, present={"a": 2}, proposed={"a": 3})

    ruling = await mediate_by_rule(case)

    assert ({"a": 3}, "both changed a; x prevails") == (ruling.value, ruling.note)
