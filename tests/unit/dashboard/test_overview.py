"""What needs a look."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from nightschool.core.clock import FrozenClock
from nightschool.dashboard.experiment import Experiment
from nightschool.dashboard.overview import QUIET_SECONDS, looks
from tests.unit.dashboard.test_experiment import experiment

NOW = FrozenClock().now()


def of(**changes: object) -> Experiment:
    return replace(experiment(), **changes)  # type: ignore[arg-type]


def test_a_finished_experiment_with_every_result_needs_none() -> None:
    done = of(completed_at=NOW, errored=0)

    assert [] == looks([done], {}, NOW)


def test_one_that_went_quiet_is_serious_and_says_how_to_go_on() -> None:
    stopped = of(completed_at=None, recorded=0, errored=0)
    last = NOW - timedelta(seconds=QUIET_SECONDS + 1)

    (look,) = looks([stopped], {stopped.id: last}, NOW)

    assert look.is_serious
    assert f"nightschool run --resume {stopped.id}" == look.command


def test_one_that_still_records_is_only_mentioned() -> None:
    running = of(completed_at=None, recorded=0, errored=0)

    (look,) = looks([running], {running.id: NOW}, NOW)

    assert not look.is_serious
    assert look.reason.startswith("running")


def test_errors_are_counted_and_the_serious_come_first() -> None:
    few = of(id="exp_few", completed_at=NOW, errored=1)
    stopped = of(id="exp_stopped", completed_at=None, recorded=0, errored=0)

    found = looks([few, stopped], {"exp_stopped": NOW - timedelta(days=1)}, NOW)

    assert [look.is_serious for look in found] == sorted((look.is_serious for look in found), reverse=True)
    assert {"exp_few", "exp_stopped"} == {look.experiment.id for look in found}
