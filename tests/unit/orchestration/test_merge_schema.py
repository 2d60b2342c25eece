from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

import jsonschema
import pytest

from nightschool.core.errors import Malformed
from nightschool.orchestration.merge_schema import Claim, MergeSchema, Strategy, merge_results, parse_merge

pytestmark = pytest.mark.anyio

ORDERS: list[dict[str, Any]] = [
    {"items": [{"id": 1, "price": 10.0, "confidence": 0.9}, {"id": 2, "price": 5.0}], "region": "north"},
    {"items": [{"id": 1, "price": 10.004, "confidence": 0.4}, {"id": 3, "price": 7.0}]},
]


def _given(*results: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {f"t{number}": result for number, result in enumerate(results)}


async def test_lists_are_put_together_and_items_of_one_key_are_one() -> None:
    schema = MergeSchema(strategy=Strategy.UNION, key="id", tolerance={"price": 0.01})

    merged = await merge_results(schema, _given(*ORDERS))

    assert [1, 2, 3] == [item["id"] for item in merged["items"]]
    assert {"id": 1, "price": 10.0, "confidence": 0.9} == merged["items"][0]
    assert "north" == merged["region"]
    assert "conflicts" not in merged


async def test_without_tolerance_the_surer_value_wins_and_the_conflict_is_named() -> None:
    merged = await merge_results(MergeSchema(strategy=Strategy.UNION, key="id"), _given(*ORDERS))

    (conflict,) = merged["conflicts"]
    assert ("items[1].price", 10.0, "confidence") == (conflict["field"], conflict["chosen"], conflict["by"])
    assert ["t0", "t1"] == [claim["from"] for claim in conflict["claims"]]


async def test_joined_a_list_is_one_value() -> None:
    merged = await merge_results(
        MergeSchema(), _given({"tags": ["a"], "confidence": 0.2}, {"tags": ["b"], "confidence": 0.8})
    )

    assert ["b"] == merged["tags"]
    assert 0.8 == merged["confidence"]


async def test_a_grader_settles_where_it_is_asked() -> None:
    asked: list[str] = []

    async def last(field: str, claims: Sequence[Claim]) -> int:
        asked.append(field)
        return len(claims) - 1

    given = _given({"n": 1, "confidence": 0.9}, {"n": 2, "confidence": 0.1})
    merged = await merge_results(MergeSchema(), given, last)

    assert ["n"] == asked
    assert (2, "grader") == (merged["n"], merged["conflicts"][0]["by"])


async def test_who_came_first_does_not_decide() -> None:
    results: list[dict[str, Any]] = [{"n": 1}, {"n": 2}, {"n": 3, "confidence": 0.4}]

    merged = [await merge_results(MergeSchema(), _given(*order)) for order in permutations(results)]

    assert {1} == {each["n"] for each in merged}


@pytest.mark.parametrize(("value", "field"), [({"strategy": "guess"}, "strategy"), ({"colour": 1}, "colour")])
def test_a_schema_that_cannot_be_read_is_refused_by_field(value: dict[str, Any], field: str) -> None:
    with pytest.raises(Malformed, match=f"field `{field}`"):
        parse_merge(value)


def test_the_published_schema_says_the_same() -> None:
    published = jsonschema.Draft202012Validator(MergeSchema.model_json_schema())

    assert published.is_valid({"strategy": "union", "key": "id", "tolerance": {"price": 0.01}})
    assert not published.is_valid({"strategy": "guess"})
