"""Which routing gave which quality: one query over routes, tiers, scores, margins and costs."""

from __future__ import annotations

from typing import Any

import pytest

from nightschool.events.experiment import ExperimentCreated, TrialCompleted
from nightschool.events.span import ModelUsage, SpanOutcomeEvaluationEnd
from nightschool.outcomes.tiers import Tier, judge, margin
from nightschool.warehouse.reader import Reader
from nightschool.warehouse.store import Warehouse
from tests.integration.warehouse.memory_journal import MemoryJournal

WEIGHTS = {"accuracy": 0.35, "completeness": 0.25, "format": 0.0}
SCORES = {
    "trial_1": {"accuracy": 0.93, "completeness": 0.91, "format": 1.0},
    "trial_2": {"accuracy": 0.5, "completeness": 0.75, "efficiency": 0.2},
}
ROUTINGS = {"trial_1": "orchestrated", "trial_2": "single"}


def trial(trial_id: str) -> TrialCompleted:
    return TrialCompleted(
        id=f"sevt_{trial_id}",
        experiment_id="exp_1",
        trial_id=trial_id,
        arm=f"my-{ROUTINGS[trial_id]}",
        sample_id="c-1",
        epoch=0,
        session_id="sesn_a",
        brain="reader",
        scores=SCORES[trial_id],
        metrics={},
        tiers=judge(SCORES[trial_id], WEIGHTS),
        usage={"input_tokens": 100, "output_tokens": 10},
        tool_calls=3,
        model_calls=2,
        duration_seconds=1.5,
        cost_usd="0.01",
        answer={},
        sample={},
    )


@pytest.fixture
def reader_of_two(journal: MemoryJournal, warehouse: Warehouse, reader: Reader) -> Reader:
    """A reader over one experiment with a trial of each of two routings."""
    manifest: dict[str, Any] = {
        "weights": WEIGHTS,
        "brain": "reader",
        "tier": "strict",
        "tier_reason": "law (84%): Strict",
        "tier_confidence": 0.84,
        "routings": {f"my-{routing}": routing for routing in ROUTINGS.values()},
    }
    created = ExperimentCreated(id="sevt_c", experiment_id="exp_1", manifest=manifest, manifest_hash="a")
    journal.append("exp_1", created, *map(trial, SCORES))
    warehouse.sync(journal)
    return reader


def test_which_routing_gave_which_quality_is_one_query(reader_of_two: Reader) -> None:
    rows = reader_of_two.query(
        "SELECT routing, tier, passed, accuracy, total_tokens, cost_usd, duration_seconds, brain"
        " FROM v1_verdicts WHERE tier = 'standard' ORDER BY routing"
    ).rows()

    assert [
        ("orchestrated", "standard", True, 0.93, 110, 0.01, 1.5, "reader"),
        ("single", "standard", False, 0.5, 110, 0.01, 1.5, "reader"),
    ] == rows


def test_the_tier_asked_for_says_where_it_comes_from(reader_of_two: Reader) -> None:
    rows = reader_of_two.query(
        "SELECT tier, is_asked, tier_reason, tier_confidence FROM v1_verdicts"
        " WHERE arm = 'my-single' ORDER BY tier"
    ).rows()

    assert [
        (tier, tier == "strict", "law (84%): Strict", 0.84) for tier in ("lenient", "standard", "strict")
    ] == rows


@pytest.mark.parametrize("trial_id", SCORES)
@pytest.mark.parametrize("tier", list(Tier))
def test_the_margin_in_sql_is_the_tiers_own(reader_of_two: Reader, trial_id: str, tier: Tier) -> None:
    (row,) = reader_of_two.query(
        f"SELECT margin, passed FROM v1_verdicts WHERE trial_id = '{trial_id}' AND tier = '{tier}'"
    ).rows()

    assert pytest.approx(margin(tier, SCORES[trial_id], WEIGHTS), abs=1e-12) == row[0]
    assert judge(SCORES[trial_id], WEIGHTS)[tier] == row[1]


def test_a_round_of_a_loop_has_a_margin_and_the_graders_tokens(
    journal: MemoryJournal, warehouse: Warehouse, reader: Reader
) -> None:
    scores = {"format": 0.9, "completeness": 0.5}
    verdict = SpanOutcomeEvaluationEnd(
        id="sevt_v",
        outcome_id="outc_1",
        outcome_evaluation_start_id="sevt_s",
        iteration=0,
        result="needs_revision",
        explanation="P11: no position given",
        usage=ModelUsage(input_tokens=40, output_tokens=2),
        scores=scores,
        tier="strict",
        tier_reason="as asked",
    )
    journal.append("sesn_a", verdict)
    warehouse.sync(journal)
    (row,) = reader.query(
        "SELECT margin, total_tokens, cost_usd, routing, is_asked, tier_reason FROM v1_verdicts"
    ).rows()

    assert (pytest.approx(margin(Tier.STRICT, scores)), 42, None, None, True, "as asked") == row
