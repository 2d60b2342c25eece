from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from nightschool.dashboard.memory_charts import curve_chart, flip_chart
from nightschool.dashboard.memory_worth import claim, curve_points, flips, gains, worth_table
from nightschool.dashboard.palette import arm_styles
from nightschool.events.effect import MemoryEffectMeasured


def effect(**changed: Any) -> dict[str, Any]:
    usual = {
        "arm": "dreamt <b>",
        "baseline": "none",
        "success": 0.8,
        "baseline_success": 0.4,
        "gain": 0.4,
        "low": 0.2,
        "high": 0.6,
        "n": 20,
        "verdict": "better",
        "gained": 0.75,
        "harmed": None,
        "failed_without": 12,
        "passed_without": 0,
        "tokens": 256.0,
    }
    return usual | changed


def report(*rivals: dict[str, Any]) -> MemoryEffectMeasured:
    return MemoryEffectMeasured(
        id="sevt_1",
        experiment_id="exp_1",
        suite="memory",
        brain="reader",
        rules="plain",
        seed=0,
        repeats=1,
        train_sessions=40,
        test_samples=20,
        memories=3,
        store_hash="f",
        effects=(effect(),),
        rivals=rivals,
        curve_shares=(0.25, 1.0),
        curve_samples=10,
        curves=((0.5, 0.9), (0.7, 0.7)),
        retention={},
    )


def test_a_gain_carries_its_interval_and_n() -> None:
    (found,) = gains([effect(), effect(gain=None)])

    assert {"value": 0.4, "low": 0.2, "high": 0.6, "n": 20} == asdict(found.estimate)


def test_gain_and_harm_are_shares_with_wilsons_interval() -> None:
    (found,) = flips([effect()], repeats=1)

    assert ("gained", 12) == (found.way, found.estimate.n)
    assert found.estimate.low == pytest.approx(0.4677, abs=1e-4)
    assert found.estimate.high == pytest.approx(0.9111, abs=1e-4)


def test_repeats_of_a_contract_have_no_interval() -> None:
    (found,) = flips([effect()], repeats=2)

    assert (None, None) == (found.estimate.low, found.estimate.high)


def test_the_claim_needs_every_rival_beaten() -> None:
    raw = effect(baseline="raw episodes", verdict="cannot be told apart")
    placebo = effect(baseline="placebo")

    assert "No claim for the dream: it cannot be told to beat raw episodes." == claim(report(placebo, raw))
    assert "The gain is the dream's: it beats placebo." == claim(report(placebo))
    assert "not set against anything" in claim(report())


def test_the_table_has_n_beside_every_share_and_no_markup_of_a_name() -> None:
    table = worth_table(report(), arm_styles(["dreamt <b>"]))

    assert "dreamt &lt;b&gt;" in table
    assert "[+20, +60]" in table
    assert "n = 12" in table


def test_curves_are_drawn_over_sessions_with_their_mean() -> None:
    points = curve_points(report())

    assert [(0, 10, 0.5), (0, 40, 0.9), (1, 10, 0.7), (1, 40, 0.7)] == [
        (each.order, each.sessions, each.success) for each in points
    ]
    mean = curve_chart(points, without=0.4, simulated=False).data[-1]
    assert ([10, 40], pytest.approx([0.6, 0.8])) == (list(mean.x), list(mean.y))


def test_gain_and_harm_of_an_arm_stand_in_one_row() -> None:
    figure = flip_chart(flips([effect(harmed=0.1, passed_without=8)], repeats=1), simulated=True)

    assert {"gained", "harmed"} == {trace.name for trace in figure.data}
    assert ["dreamt &lt;b&gt;"] == list(figure.layout.yaxis.ticktext)
    assert "simulated" in figure.layout.legend.title.text
