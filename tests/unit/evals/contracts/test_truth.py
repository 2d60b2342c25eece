"""What is true of a contract before a word of it is written."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from evals.contracts.library import Stance, library
from evals.contracts.playbook import policies
from evals.contracts.truth import Position, Truth, draw_truth

PAGES = st.integers(5, 200)
SEEDS = st.integers(0, 10_000)


def truths(pages: int, seed: int) -> tuple[Truth, ...]:
    return draw_truth(policies(), library().clause_types, pages, random.Random(seed))


@settings(deadline=None)
@given(PAGES, SEEDS)
def test_a_quarter_to_nearly_half_of_the_policies_are_violated(pages: int, seed: int) -> None:
    violated = sum(truth.position is Position.VIOLATION for truth in truths(pages, seed))

    assert 0.25 <= violated / len(policies()) <= 0.45


@settings(deadline=None)
@given(PAGES, SEEDS)
def test_one_to_three_required_clauses_are_missing(pages: int, seed: int) -> None:
    required = {policy.id for policy in policies() if policy.required}
    missing = {truth.policy for truth in truths(pages, seed) if truth.position is Position.MISSING}

    assert 1 <= len(missing) <= 3
    assert missing <= required


@settings(deadline=None)
@given(PAGES, SEEDS)
def test_only_an_optional_clause_may_be_absent(pages: int, seed: int) -> None:
    required = {policy.id for policy in policies() if policy.required}
    absent = {truth.policy for truth in truths(pages, seed) if truth.position is Position.ABSENT}

    assert set() == absent & required


@settings(deadline=None)
@given(PAGES, SEEDS)
def test_a_clause_that_is_there_has_a_way_and_the_library_knows_it(pages: int, seed: int) -> None:
    for truth in truths(pages, seed):
        if truth.position in {Position.MISSING, Position.ABSENT}:
            assert truth.via is None
        else:
            stance = Stance.RISKY if truth.position is Position.VIOLATION else Stance.SAFE
            assert truth.via is not None
            assert library().clause_types[truth.policy].wordings[stance, truth.via]


def test_a_longer_contract_has_more_kinds_of_clause() -> None:
    def clauses(pages: int) -> int:
        return sum(truth.via is not None for seed in range(20) for truth in truths(pages, seed))

    assert clauses(5) < clauses(12) < clauses(30)
