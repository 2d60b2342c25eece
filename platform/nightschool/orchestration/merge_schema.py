"""Joining structured results by a declared schema: pure.

    merge:
      strategy: union          # lists are put together; `join`: a list is one value like any other
      key: id                  # items with one key are one item, joined field by field
      tolerance: {price: 0.01} # numbers this close are the same
      stake: 2                 # tasks with this stake or more: a grader settles what conflicts

Two values for one field are settled by confidence. What was in conflict is named in the result.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nightschool.core.errors import Malformed

__all__ = ["Claim", "MergeSchema", "Strategy", "merge_results", "parse_merge"]

_CONFLICTS: Final = "conflicts"
_UNSURE: Final = 0.5
"""The confidence of who states none."""


class Strategy(StrEnum):
    """How lists are joined."""

    JOIN = "join"
    UNION = "union"


class MergeSchema(BaseModel):
    """How the results that a task waits for become one."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="A merge schema of nightschool")

    strategy: Strategy = Field(
        default=Strategy.JOIN, description="union: lists are put together; join: a list is one value."
    )
    key: str | None = Field(default=None, description="The field that says which items of lists are one.")
    tolerance: dict[str, float] = Field(
        default_factory=dict, description="Field to how far apart numbers may be and count as the same."
    )
    confidence: str = Field(default="confidence", description="The field that says how sure an author is.")
    stake: float | None = Field(
        default=None, description="From this stake of the task on, a grader settles what conflicts."
    )


class Claim(NamedTuple):
    """One author's value for one field."""

    value: Any
    confidence: float
    source: str


Settle = Callable[[str, Sequence[Claim]], Awaitable[int | None]]
"""Says which of several claims on a field stands; None: confidence decides."""


@dataclass(frozen=True, slots=True)
class _Merging:
    schema: MergeSchema
    settle: Settle | None
    conflicts: list[dict[str, Any]]

    async def objects(self, given: Sequence[tuple[str, Mapping[str, Any]]], path: str) -> dict[str, Any]:
        """Join objects field by field, in the order in which their fields first appear."""
        names = dict.fromkeys(name for _, each in given for name in each if name != _CONFLICTS)
        joined: dict[str, Any] = {}
        for name in names:
            claims = [
                Claim(each[name], self._confidence(each), source) for source, each in given if name in each
            ]
            place = f"{path}.{name}" if path else name
            joined[name] = await self._field(name, place, claims)
        return joined

    def _confidence(self, each: Mapping[str, Any]) -> float:
        stated = each.get(self.schema.confidence)
        return float(stated) if isinstance(stated, int | float) and not isinstance(stated, bool) else _UNSURE

    async def _field(self, name: str, place: str, claims: Sequence[Claim]) -> Any:
        if name == self.schema.confidence:
            return max(claims, key=lambda claim: _number(claim.value)).value
        if self.schema.strategy is Strategy.UNION and all(isinstance(c.value, list) for c in claims):
            return await self._union(place, claims)
        return await self._settled(name, place, claims)

    async def _union(self, place: str, claims: Sequence[Claim]) -> list[Any]:
        groups: dict[str, list[tuple[str, Any]]] = {}
        for claim in claims:
            for item in claim.value:
                groups.setdefault(self._identity(item), []).append((claim.source, item))
        return [
            items[0][1]
            if len(items) == 1 or not isinstance(items[0][1], dict)
            else await self.objects(items, f"{place}[{identity}]")
            for identity, items in groups.items()
        ]

    def _identity(self, item: Any) -> str:
        key = self.schema.key
        keyed = key is not None and isinstance(item, dict) and key in item
        return json.dumps(item[key] if keyed else item, sort_keys=True)

    async def _settled(self, name: str, place: str, claims: Sequence[Claim]) -> Any:
        ranked = sorted(
            claims, key=lambda claim: (-claim.confidence, json.dumps(claim.value, sort_keys=True))
        )
        if all(self._same(name, ranked[0].value, claim.value) for claim in ranked):
            return ranked[0].value
        chosen = await self.settle(place, ranked) if self.settle is not None else None
        winner = ranked[chosen or 0]
        self.conflicts.append(
            {
                "field": place,
                "chosen": winner.value,
                "by": "confidence" if chosen is None else "grader",
                "claims": [
                    {"value": claim.value, "confidence": claim.confidence, "from": claim.source}
                    for claim in ranked
                ],
            }
        )
        return winner.value

    def _same(self, name: str, first: Any, second: Any) -> bool:
        if _is_number(first) and _is_number(second):
            return bool(abs(first - second) <= self.schema.tolerance.get(name, 0.0))
        return bool(first == second)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Any) -> float:
    return float(value) if _is_number(value) else 0.0


def parse_merge(value: Mapping[str, Any], *, name: str = "merge") -> MergeSchema:
    """Read a merge schema.

    Raises:
        Malformed: a field is unknown or wrong.
    """
    try:
        return MergeSchema.model_validate(dict(value))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise Malformed(f"{name}: field `{field}`: {first['msg']}", field=field) from error


async def merge_results(
    schema: MergeSchema, given: Mapping[str, Mapping[str, Any]], settle: Settle | None = None
) -> dict[str, Any]:
    """Return the joined result; what was in conflict, and how it was settled, is under `conflicts`.

    The order of ``given`` decides the order of lists and fields, and nothing else.

    Args:
        schema: how to join.
        given: task id to its result.
        settle: asked about each conflict; without it confidence decides, and of two equally sure the
            value that comes first as JSON.
    """
    merging = _Merging(schema, settle, [])
    joined = await merging.objects(list(given.items()), "")
    return joined | ({_CONFLICTS: merging.conflicts} if merging.conflicts else {})
