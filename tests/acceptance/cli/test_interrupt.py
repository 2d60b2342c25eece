"""Ctrl-C: a clean stop that says how to go on, and goes on."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.acceptance.cli.command import here, start
from tests.acceptance.cli.journal import count, wait_for

pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]


def test_a_run_stopped_by_hand_says_how_to_go_on_and_is_finished_by_that(tmp_path: Path) -> None:
    """What is printed works as it is typed: it names the data folder that was named."""
    data = tmp_path / "data"
    run = ("--data", str(data), "run", "letters", "--arms", "single,orchestrated", "--repeats", "1")
    with start(*run, data=tmp_path / "not this one") as running:
        assert wait_for(running, data, 2, "trial.completed")
        running.send_signal(signal.SIGINT)
        _out, err = running.communicate()
    done = count(data, "trial.completed")

    assert 130 == running.returncode, err
    assert "Traceback" not in err
    assert 2 <= done < 16
    assert f"stopped; every finished trial is kept. Go on with: nightschool --data {data} run --resume" in err
    assert 5 == here("compare", "--gate", data=data).code

    resumed = here(*err.strip().splitlines()[-1].partition("nightschool ")[2].split())
    question = "SELECT count(*) AS n, bool_and(status = 'completed') AS all_done FROM v1_trials"

    assert 0 == resumed.code
    assert [{"n": 16, "all_done": True}] == json.loads(
        here("sql", question, "--format", "json", data=data).out
    )
    assert 16 == count(data, "trial.completed")
