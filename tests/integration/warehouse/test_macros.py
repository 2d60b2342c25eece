"""The statistics in SQL against scipy and statsmodels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from nightschool.warehouse.schema import macros_sql

CLOSE = 1e-9


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute(macros_sql())
        yield opened


def value(connection: duckdb.DuckDBPyConnection, sql: str, *parameters: object) -> Any:
    return connection.execute(f"SELECT {sql}", parameters).fetchall()[0][0]


@pytest.mark.parametrize("p", [1e-300, 1e-12, 0.001, 0.05, 0.075, 0.5, 0.9, 0.975, 0.9999999])
def test_the_normals_quantile(connection: duckdb.DuckDBPyConnection, p: float) -> None:
    assert stats.norm.ppf(p) == pytest.approx(
        value(connection, "normal_quantile(?::DOUBLE)", p), rel=CLOSE, abs=CLOSE
    )


@pytest.mark.parametrize("df", [1, 2, 3, 4, 10, 23, 24, 100, 500, 501, 5000])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_students_critical_value(connection: duckdb.DuckDBPyConnection, df: int, confidence: float) -> None:
    expected = stats.t.ppf(0.5 + confidence / 2, df)
    found = value(connection, "student_t_critical(?::DOUBLE, ?)", confidence, df)
    assert expected == pytest.approx(found, rel=CLOSE)


@pytest.mark.parametrize("df", [1, 2, 3, 8, 23, 1000])
@pytest.mark.parametrize("t", [0.0, 0.3, 2.0, 12.0])
def test_what_lies_within_t(connection: duckdb.DuckDBPyConnection, df: int, t: float) -> None:
    found = value(connection, "student_t_within(?::DOUBLE, ?)", t, df)
    assert 1 - 2 * stats.t.sf(t, df) == pytest.approx(found, abs=CLOSE)


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10), (3, 7), (500, 1000)])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_wilsons_interval(
    connection: duckdb.DuckDBPyConnection, successes: int, trials: int, confidence: float
) -> None:
    low, high = proportion_confint(successes, trials, alpha=1 - confidence, method="wilson")
    found = value(connection, "wilson_interval(?, ?, confidence := ?)", successes, trials, confidence)
    assert (trials, successes / trials) == (found["n"], found["share"])
    assert [low, high] == pytest.approx([found["low"], found["high"]], abs=CLOSE)


def test_a_share_of_nothing_is_null(connection: duckdb.DuckDBPyConnection) -> None:
    assert value(connection, "wilson_interval(0, 0)") is None


def test_wilsons_interval_over_groups(connection: duckdb.DuckDBPyConnection) -> None:
    """Aggregates given as arguments are those of the question, not of the macro."""
    rows = connection.execute(
        "SELECT wilson_interval(count_if(v), count(*)).n FROM range(6) r(i), (VALUES (true), (false)) t(v)"
        " GROUP BY i % 2"
    ).fetchall()
    assert [(6,), (6,)] == rows


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=3, max_size=40))
def test_a_paired_difference(connection: duckdb.DuckDBPyConnection, pairs: list[tuple[float, float]]) -> None:
    frame = pl.DataFrame(pairs, schema={"a": pl.Float64, "b": pl.Float64}, orient="row")
    differences = frame["a"] - frame["b"]
    spread = differences.std()
    if not isinstance(spread, float) or spread < 1e-6:
        return
    connection.register("pairs", frame)
    found = connection.execute("SELECT paired_difference(a, b) FROM pairs").fetchall()[0][0]
    expected = stats.ttest_rel(frame["a"], frame["b"])
    interval = expected.confidence_interval(0.95)
    assert [differences.mean(), interval.low, interval.high, expected.pvalue] == pytest.approx(
        [found["difference"], found["low"], found["high"], found["p"]], abs=CLOSE
    )
    assert expected.statistic == pytest.approx(found["t"], rel=1e-7)


def test_a_paired_difference_leaves_incomplete_pairs_out(connection: duckdb.DuckDBPyConnection) -> None:
    found = connection.execute(
        "SELECT paired_difference(a, b) FROM (VALUES (3, 1), (2, NULL), (NULL, 5), (6, 2)) t(a, b)"
    ).fetchall()[0][0]
    assert (2, 3.0) == (found["n"], found["difference"])


def test_one_pair_has_a_difference_and_no_interval(connection: duckdb.DuckDBPyConnection) -> None:
    found = connection.execute("SELECT paired_difference(a, b) FROM (VALUES (3, 1)) t(a, b)").fetchall()[0][0]
    assert (1, 2.0, None, None) == (found["n"], found["difference"], found["low"], found["p"])


def test_a_mean_over_clusters_agrees_with_statsmodels(connection: duckdb.DuckDBPyConnection) -> None:
    rng = np.random.default_rng(7)
    arm = rng.integers(0, 2, 300)
    cluster = rng.integers(0, 24, 300)
    measured = rng.random(300) + cluster / 24
    frame = pl.DataFrame({"arm": arm, "cluster": cluster, "v": measured})
    connection.register("measured", frame)
    rows = connection.execute(
        "SELECT arm, clustered_mean(list(v), list(cluster), confidence := 0.9) FROM measured GROUP BY arm"
    ).fetchall()
    assert 2 == len(rows)
    for chosen, found in rows:
        mine = frame.filter(pl.col("arm") == chosen)
        groups = mine["cluster"].to_numpy()
        fit = sm.OLS(mine["v"].to_numpy(), np.ones(mine.height)).fit(
            cov_type="cluster", cov_kwds={"groups": groups}
        )
        half = stats.t.ppf(0.95, len(set(groups)) - 1) * fit.bse[0]
        mean = fit.params[0]
        assert (mine.height, len(set(groups))) == (found["n"], found["clusters"])
        assert [mean, fit.bse[0], mean - half, mean + half] == pytest.approx(
            [found["mean"], found["standard_error"], found["low"], found["high"]], abs=CLOSE
        )
