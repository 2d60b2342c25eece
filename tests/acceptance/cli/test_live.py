"""Looking at an experiment before its end: it is recorded, and the run goes on undisturbed."""

from __future__ import annotations

from pathlib import Path

from tests.acceptance.cli.command import here, start
from tests.acceptance.cli.journal import wait_for

_RUN = ("run", "letters", "--arms", "single,blind", "--repeats", "4", "--seed", "5")


def test_a_look_at_a_running_experiment_is_recorded_and_told_afterwards(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with start(*_RUN, data=data) as running:
        assert wait_for(running, data, 3, "trial.completed")
        look = here("compare", "LAST", "--live", data=data)
        running.communicate()
    assert (0, 0) == (look.code, running.returncode)
    assert "trials have ended; this look is recorded" in look.out
    gate = here("gate", "LAST", data=data)
    assert "peeking: results were read 1 times before the last trial" in gate.out
    assert 0 == here("verify", data=data).code


def test_a_look_at_a_finished_experiment_is_none(tmp_path: Path) -> None:
    data = tmp_path / "data"
    here(*_RUN, data=data)
    assert "64 of 64" in here("compare", "LAST", "--live", data=data).out
    assert "peeking" not in here("gate", "LAST", data=data).out
