from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from nightschool.experiments.statistics import benjamini_hochberg

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@given(P_VALUES)
def test_it_agrees_with_statsmodels(p_values: list[float]) -> None:
    family: dict[str, float | None] = {f"c{i}": p for i, p in enumerate(p_values)}
    expected = multipletests(p_values, method="fdr_bh")[1]
    assert pytest.approx(list(expected)) == list(benjamini_hochberg(family).values())


def test_a_member_without_p_stays_without_and_costs_the_others_nothing() -> None:
    assert {"a": 0.03, "b": None} == benjamini_hochberg({"a": 0.03, "b": None})


def test_an_empty_family_stays_empty() -> None:
    assert {} == benjamini_hochberg({})
