from __future__ import annotations

import pytest

from nightschool.dreaming.conflicts import Conflict, Statement, Winner, classify, resolve, scope_of
from nightschool.dreaming.rules import PLAIN, SHARPENED

FIVE = "Refunds take 5 days."


@pytest.mark.parametrize(
    ("newer", "conflict"),
    [
        ("Refunds take 3 days for gold members.", Conflict.SCOPE),
        ("Refunds now take 3 days for all.", Conflict.CHANGE),
        ("Actually, refunds take 3 days.", Conflict.CORRECTION),
        ("Refunds take 3 days.", Conflict.CONTRADICTION),
        ("Refunds take 5 days.", Conflict.NONE),
        ("Parcels take 3 days.", Conflict.NONE),
        ("Refunds of parcels by air freight take 3 days.", Conflict.NONE),
    ],
)
def test_the_kind_of_conflict_is_told(newer: str, conflict: Conflict) -> None:
    assert conflict is classify(Statement(text=FIVE), Statement(text=newer))


def test_other_types_of_task_are_not_searched() -> None:
    older, newer = Statement(text=FIVE, task_type="a"), Statement(text="Refunds take 3 days.", task_type="b")

    assert Conflict.NONE is classify(older, newer)


@pytest.mark.parametrize(
    ("newer", "weight", "sharpened"),
    [
        ("Refunds take 3 days for gold members.", 1.0, Winner.BOTH),
        ("Refunds now take 3 days.", 1.0, Winner.NEWER),
        ("Refunds take 3 days.", 1.0, Winner.OLDER),
        ("Refunds take 3 days.", 10.0, Winner.NEWER),
    ],
)
def test_evidence_decides_a_contradiction_unless_the_rule_is_plain(
    newer: str, weight: float, sharpened: Winner
) -> None:
    older, later = Statement(text=FIVE, weight=10.0), Statement(text=newer, weight=weight)

    assert sharpened is resolve(older, later, SHARPENED)[1]
    assert Winner.NEWER is resolve(older, later, PLAIN)[1]


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("Refunds take 3 days for gold members.", "gold members"),
        ("Refunds take 3 days for all.", ""),
        ("Refunds take 3 days.", ""),
        ("When it rains, refunds take 3 days.", "it rains"),
    ],
)
def test_the_scope_is_read(text: str, scope: str) -> None:
    assert scope == scope_of(text)
