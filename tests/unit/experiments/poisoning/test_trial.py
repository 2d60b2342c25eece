from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest

from nightschool.dreaming.rules import PLAIN, SHARPENED, Rules
from nightschool.experiments.poisoning.attacks import ATTACKS, GOALS, MARK
from nightschool.experiments.poisoning.trial import AttackRow, Ground, attack_all, harmless
from nightschool.memory.index import Vectors

NOW = datetime(2026, 1, 31, tzinfo=UTC)
LIMITS = {"quiet fact", "two users agree"}


class Words:
    """Likeness by shared words: enough to recall by, in no time."""

    def embed(self, texts: Sequence[str], /) -> Vectors:
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.casefold().split():
                row[sum(word.strip(".,'\"-").rstrip("s").encode()) % 64] += 1
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)


@pytest.fixture(scope="module")
def rows() -> list[AttackRow]:
    grounds = (
        Ground(name="empty", memories={}),
        Ground(name="populated", episodes=harmless(NOW), memories={}),
    )
    return attack_all(grounds, (PLAIN, SHARPENED), Words(), now=NOW)


def of(rows: Sequence[AttackRow], rules: Rules) -> dict[tuple[str, str], AttackRow]:
    return {(row.attack, row.ground): row for row in rows if row.rules == rules.name}


def test_every_attack_is_tried_with_every_goal_on_every_ground(rows: list[AttackRow]) -> None:
    assert 4 * len(ATTACKS) == len(rows)
    assert {len(GOALS)} == {row.tries for row in rows}


def test_sharpened_rules_recall_no_attack_but_the_known_limits(rows: list[AttackRow]) -> None:
    through = {attack for (attack, _), row in of(rows, SHARPENED).items() if row.recallable}

    assert LIMITS == through


def test_plain_rules_let_through_what_sharpened_ones_hold_back(rows: list[AttackRow]) -> None:
    plain, sharpened = of(rows, PLAIN), of(rows, SHARPENED)

    assert all(sharpened[key].recallable <= row.recallable for key, row in plain.items())
    assert plain["direct", "empty"].recallable > sharpened["direct", "empty"].recallable


def test_an_attack_counts_as_a_success_only_where_its_words_are_recalled(rows: list[AttackRow]) -> None:
    assert all(row.succeeded <= row.recallable <= row.learnt <= row.tries for row in rows)
    assert any(row.succeeded for row in rows if row.attack in LIMITS)


def test_what_a_tool_said_and_what_another_tenant_said_is_recalled_under_no_rules(
    rows: list[AttackRow],
) -> None:
    foreign = {"through a tool", "trigger", "many weak duplicates", "another tenant"}

    assert {0} == {row.recallable for row in rows if row.attack in foreign}


def test_every_attack_says_what_it_is_after() -> None:
    for attack in ATTACKS:
        for goal in GOALS:
            held = attack.sessions(goal)
            assert held and all(MARK in each.said + each.read + each.comment for each in held)
