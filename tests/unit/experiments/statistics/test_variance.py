from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import InvalidInput
from nightschool.experiments.statistics import variance_parts

Gradings = dict[str, dict[int, list[float]]]


def drawn(task: float, run: float, grader: float, shape: tuple[int, int, int], seed: int = 0) -> Gradings:
    rng, (samples, repeats, gradings) = np.random.default_rng(seed), shape
    table: Gradings = {}
    for sample in range(samples):
        level = rng.normal(0.5, task)
        table[f"s{sample}"] = {
            epoch: [float(value) for value in level + rng.normal(0, run) + rng.normal(0, grader, gradings)]
            for epoch in range(repeats)
        }
    return table


def test_a_balanced_design_agrees_with_statsmodels() -> None:
    """Where no part is estimated below zero, the analysis of variance and REML give the same."""
    table = drawn(0.3, 0.2, 0.1, (20, 4, 3))
    rows = [(s, f"{s}.{e}", v) for s, runs in table.items() for e, vs in runs.items() for v in vs]
    frame = pd.DataFrame(rows, columns=["sample", "run", "score"])
    model = smf.mixedlm("score ~ 1", frame, groups="sample", re_formula="1", vc_formula={"run": "0 + C(run)"})
    fitted = model.fit(reml=True)
    found = variance_parts(table)
    expected = (float(fitted.cov_re.iloc[0, 0]), float(fitted.vcomp[0]), float(fitted.scale))
    assert expected == pytest.approx((found.task, found.run, found.grader), rel=0.01)


def test_unbalanced_parts_are_right_on_average() -> None:
    rng, sums = np.random.default_rng(8), np.zeros(3)
    for seed in range(300):
        table = drawn(0.3, 0.2, 0.1, (12, 3, 2), seed)
        for sample in list(table)[::2]:
            del table[sample][2]
            table[sample][0] = table[sample][0][: int(rng.integers(1, 3))]
        found = variance_parts(table)
        sums += [found.task or 0.0, found.run or 0.0, found.grader or 0.0]
    assert [0.09, 0.04, 0.01] == pytest.approx(list(sums / 300), rel=0.1)


def test_answers_graded_once_leave_the_graders_part_inside_the_runs() -> None:
    found = variance_parts(drawn(0.3, 0.2, 0.0, (200, 3, 1)))
    assert (None, 600) == (found.grader, found.gradings)
    assert pytest.approx(0.04, rel=0.2) == found.run


def test_one_repeat_shows_no_part_of_the_run() -> None:
    found = variance_parts(drawn(0.3, 0.2, 0.1, (20, 1, 1)))
    assert (None, None) == (found.run, found.grader)


def test_a_single_task_shows_no_part_of_the_task() -> None:
    assert variance_parts(drawn(0.3, 0.2, 0.1, (1, 5, 2))).task is None


def test_shares_and_the_variance_of_a_mean_follow_from_the_parts() -> None:
    found = variance_parts(drawn(0.3, 0.2, 0.1, (30, 4, 3)))
    assert pytest.approx(1.0) == sum(found.shares.values())
    assert found.of_mean(samples=60) < found.of_mean(samples=30)
    assert found.of_mean(samples=30, repeats=4) < found.of_mean(samples=30)
    assert {} == variance_parts({"a": {0: [1.0, 1.0], 1: [1.0]}, "b": {0: [1.0]}}).shares


@given(st.integers(0, 500), st.floats(-100, 100))
def test_moving_every_score_changes_no_part(seed: int, shift: float) -> None:
    table = drawn(0.3, 0.2, 0.1, (5, 3, 2), seed)
    moved = {s: {e: [v + shift for v in vs] for e, vs in runs.items()} for s, runs in table.items()}
    before, after = variance_parts(table), variance_parts(moved)
    assert (before.task, before.run, before.grader) == pytest.approx(
        (after.task, after.run, after.grader), abs=1e-8
    )


def test_nothing_has_no_parts() -> None:
    with pytest.raises(InvalidInput, match="no score"):
        variance_parts({"a": {}})
