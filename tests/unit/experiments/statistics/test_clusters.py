from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics import clustered_mean, compare, has_shared_sources

VALUES = st.lists(st.floats(-10, 10).map(lambda v: round(v, 3)), min_size=6, max_size=30).filter(
    lambda values: np.ptp(values) > 0.01
)


def named(values: list[float]) -> dict[str, float]:
    return {f"s{index:03}": value for index, value in enumerate(values)}


@given(VALUES)
def test_without_shared_sources_it_is_students_t(values: list[float]) -> None:
    found = clustered_mean(named(values), {})
    assert found is not None
    expected = stats.ttest_1samp(values, 0.0)
    assert pytest.approx(expected.pvalue, abs=1e-9) == found.p
    assert pytest.approx(tuple(expected.confidence_interval())) == (found.interval.low, found.interval.high)
    assert pytest.approx(1.0) == found.design_effect


def test_with_equal_clusters_the_error_is_that_of_statsmodels() -> None:
    """With clusters of one size, CR2 is CR1 without its small factor for the number of parameters."""
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(10), 4)
    values = rng.normal(0.2, 1, 40) + rng.normal(0, 1, 10)[groups]
    fitted = sm.OLS(values, np.ones(40)).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    found = clustered_mean(named(list(values)), {f"s{i:03}": str(g) for i, g in enumerate(groups)})
    assert found is not None
    assert pytest.approx(float(fitted.bse[0]) * np.sqrt(10 / 9)) == found.standard_error
    assert pytest.approx(9.0) == found.degrees_of_freedom
    assert found.design_effect > 1


def test_unequal_clusters_leave_fewer_degrees_of_freedom_than_there_are_clusters() -> None:
    sources = {f"s{i:03}": "big" for i in range(15)}
    rng = np.random.default_rng(2)
    found = clustered_mean(named(list(rng.normal(size=24))), sources)
    assert found is not None
    assert (10, True) == (found.clusters, found.degrees_of_freedom < 9)


@pytest.mark.parametrize("values", [[1.0, 1.0, 1.0], [0.5]])
def test_where_nothing_varies_there_is_no_interval(values: list[float]) -> None:
    assert clustered_mean(named(values), {}) is None


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        clustered_mean(named([1.0, 2.0]), {}, level=1.0)


def test_only_a_source_that_two_samples_have_is_shared() -> None:
    assert not has_shared_sources(["a", "b"], {"a": "x", "b": "y"})
    assert not has_shared_sources(["a", "b"], {})
    assert has_shared_sources(["a", "b"], {"a": "x", "b": "x"})


def test_a_comparison_of_samples_that_share_sources_is_cluster_robust() -> None:
    rng = np.random.default_rng(9)
    ours = {f"s{i:03}": {0: float(v)} for i, v in enumerate(rng.normal(0.3, 1, 40))}
    theirs = {f"s{i:03}": {0: 0.0} for i in range(40)}
    sources = {f"s{i:03}": f"report {i // 5}" for i in range(40)}
    found = compare(ours, theirs, sources=sources)
    assert found.interval is not None
    assert ("clustered t", "clustered", 40, 8) == (
        found.p_method,
        found.interval.method,
        found.n_pairs,
        found.n_sources,
    )


def test_too_few_sources_are_not_tested_however_many_samples_they_have() -> None:
    ours = {f"s{i:03}": {0: float(i)} for i in range(40)}
    sources = {f"s{i:03}": f"report {i // 10}" for i in range(40)}
    found = compare(ours, {sample: {0: 0.0} for sample in ours}, sources=sources)
    assert (None, None) == (found.interval, found.p)
    assert "4 sources" in found.note


def test_the_interval_covers_as_promised_with_few_unequal_clusters() -> None:
    rng, covered, runs = np.random.default_rng(3), 0, 400
    sizes = [1, 1, 2, 3, 4, 6, 8, 10]
    groups = np.repeat(np.arange(8), sizes)
    sources = {f"s{i:03}": str(g) for i, g in enumerate(groups)}
    for _ in range(runs):
        values = rng.normal(0, 1, 35) + rng.normal(0, 0.5, 8)[groups]
        found = clustered_mean(named(list(values)), sources)
        assert found is not None
        covered += found.interval.low <= 0 <= found.interval.high
    assert 0.92 <= covered / runs <= 0.98
