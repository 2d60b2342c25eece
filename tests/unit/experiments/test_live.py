from __future__ import annotations

import numpy as np
import pytest

from nightschool.experiments.ledger import fold
from nightschool.experiments.live import look, look_line
from nightschool.experiments.statistics import Verdict
from tests.unit.experiments.fakes import events_of, manifest

SAMPLES = [f"s{index:02}" for index in range(40)]
NOISE = dict(zip(SAMPLES, np.random.default_rng(1).normal(0, 0.05, 40), strict=True))


def better(arm: str, sample: str, epoch: int) -> float:
    return 0.4 + (0.2 + float(NOISE[sample])) * (arm == "pool")


def test_a_large_difference_shows_while_the_experiment_runs() -> None:
    events = events_of(manifest(samples=SAMPLES, repeats=1), better)
    (found,) = look(fold(events[: 1 + 2 * 25]))
    assert (25, Verdict.BETTER) == (found.samples, found.verdict)
    assert "so far: better" in look_line(found)


def test_a_metric_of_which_less_is_better_is_read_the_other_way() -> None:
    declared = manifest(samples=SAMPLES, repeats=1, lower_is_better=["completeness"])
    (found,) = look(fold(events_of(declared, better)))
    assert Verdict.WORSE == found.verdict


def test_only_samples_that_both_arms_have_finished_count() -> None:
    events = events_of(manifest(samples=SAMPLES, repeats=2), better)
    assert [0] == [each.samples for each in look(fold(events[: 1 + 2 * 40]))]
    assert [3] == [each.samples for each in look(fold(events[: 1 + 2 * 43]))]


def test_of_a_few_samples_nothing_is_said() -> None:
    (found,) = look(fold(events_of(manifest(samples=SAMPLES, repeats=1), better)[:9]))
    assert (None, Verdict.UNDECIDED) == (found.interval, found.verdict)
    assert "nothing can be said of 4 samples yet" in look_line(found)


@pytest.mark.parametrize("arms", [["single", "pool"], ["single", "pool", "script"]])
def test_the_level_is_shared_out_over_the_family(arms: list[str]) -> None:
    events = events_of(manifest(samples=SAMPLES, repeats=1, arms=arms), better)
    found = look(fold(events))
    assert len(arms) - 1 == len(found)
    assert found[0].interval is not None
    assert pytest.approx(1 - 0.05 / (len(arms) - 1)) == found[0].interval.level
