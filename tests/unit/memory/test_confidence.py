from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.memory.confidence import lower_bound


@pytest.mark.parametrize(
    ("wins", "losses", "bound"), [(1, 0, 0.32), (3, 0, 0.56), (5, 0, 0.68), (10, 2, 0.64)]
)
def test_little_evidence_is_little_confidence(wins: int, losses: int, bound: float) -> None:
    assert bound == pytest.approx(lower_bound(wins, losses), abs=0.005)


@given(st.integers(0, 50), st.integers(0, 50))
def test_a_success_raises_it_and_a_failure_lowers_it(wins: int, losses: int) -> None:
    assert lower_bound(wins, losses + 1) < lower_bound(wins, losses) < lower_bound(wins + 1, losses)
