from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as reference

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics import mcnemar, sign_flip_test

OUTCOMES = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=60)


def sides(pairs: list[tuple[int, int]]) -> tuple[dict[str, float], dict[str, float]]:
    ours = {f"s{i}": float(a) for i, (a, _) in enumerate(pairs)}
    return ours, {f"s{i}": float(b) for i, (_, b) in enumerate(pairs)}


@given(OUTCOMES)
def test_it_agrees_with_statsmodels(pairs: list[tuple[int, int]]) -> None:
    found = mcnemar(*sides(pairs))
    table = [[pairs.count((1, 1)), pairs.count((1, 0))], [pairs.count((0, 1)), pairs.count((0, 0))]]
    assert (pairs.count((1, 0)), pairs.count((0, 1))) == (found.gained, found.lost)
    if found.gained + found.lost:
        assert pytest.approx(reference(table, exact=True).pvalue, abs=1e-9) == found.p
    else:
        assert 1.0 == found.p


@given(OUTCOMES)
def test_the_sign_flip_test_of_single_outcomes_is_mcnemars(pairs: list[tuple[int, int]]) -> None:
    """So a comparison of right-or-wrong outcomes is exact however many samples there are."""
    found = sign_flip_test([a - b for a, b in pairs])
    assert ("exact", pytest.approx(mcnemar(*sides(pairs)).p)) == (found.method, found.p)


def test_an_outcome_between_right_and_wrong_is_refused() -> None:
    with pytest.raises(InvalidInput, match="0 and 1"):
        mcnemar({"a": 0.5}, {"a": 1.0})


def test_samples_that_one_side_lacks_are_left_out() -> None:
    assert 0 == mcnemar({"a": 1.0}, {"b": 0.0}).gained
