"""Experiments over a real journal: two processes' worth of handles on one file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import StaleWriter
from nightschool.core.ids import IdSource
from nightschool.experiments.design import TrialSpec
from nightschool.experiments.experiment_log import open_log
from nightschool.experiments.ledger import fold
from nightschool.experiments.runner import ArmResult, RunOutcome, run
from nightschool.experiments.suite import Drawn
from nightschool.journal.journal import Journal
from nightschool.sessions.log import SessionLog
from tests.unit.experiments.fakes import Adder, manifest, suite

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

EXPERIMENT = "exp_one"


@contextmanager
def sessions_of(path: Path) -> Iterator[SessionLog]:
    clock = FrozenClock()
    journal = Journal.open(path, clock=clock)
    try:
        yield SessionLog(journal, clock=clock, ids=IdSource(clock=clock))
    finally:
        journal.close()


async def go(log: Any, arm: Adder) -> RunOutcome:
    return await run(
        manifest(), experiment_id=EXPERIMENT, log=log, suite=suite(), run_trial=arm, clock=arm.clock
    )


async def test_a_run_stopped_in_one_process_is_finished_by_another(tmp_path: Path) -> None:
    class StopsAt(Adder):
        async def __call__(self, trial: TrialSpec, drawn: Drawn) -> ArmResult:
            if len(self.worked) == 5:
                scope.cancel()
                await anyio.sleep_forever()
            return await super().__call__(trial, drawn)

    with sessions_of(tmp_path / "whole.sqlite") as sessions:
        whole = await go(await open_log(sessions, EXPERIMENT), Adder())
    with sessions_of(tmp_path / "journal.sqlite") as sessions, anyio.CancelScope() as scope:
        await go(await open_log(sessions, EXPERIMENT), StopsAt())
    with sessions_of(tmp_path / "journal.sqlite") as sessions:
        arm = Adder()
        outcome = await go(await open_log(sessions, EXPERIMENT), arm)
        ledger = fold(await sessions.get_events(EXPERIMENT))
    assert manifest() == ledger.manifest
    assert (whole.result_hash, 7) == (outcome.result_hash, len(arm.worked))
    assert (12, outcome.result_hash) == (
        len(ledger.results()),
        ledger.completed and ledger.completed.result_hash,
    )


async def test_a_run_that_another_process_took_over_stops(tmp_path: Path) -> None:
    """Both would work on the same trials; the older one is told at its next append."""
    with sessions_of(tmp_path / "journal.sqlite") as ours, sessions_of(tmp_path / "journal.sqlite") as theirs:

        class TakenOver(Adder):
            async def __call__(self, trial: TrialSpec, drawn: Drawn) -> ArmResult:
                if len(self.worked) == 3:
                    await go(await open_log(theirs, EXPERIMENT), Adder())
                return await super().__call__(trial, drawn)

        log = await open_log(ours, EXPERIMENT)
        with pytest.raises(StaleWriter):
            await go(log, TakenOver())
        ledger = fold(await ours.get_events(EXPERIMENT))
    assert 12 == len(ledger.results())


async def test_the_log_of_an_experiment_is_begun_once(tmp_path: Path) -> None:
    with sessions_of(tmp_path / "journal.sqlite") as sessions:
        await open_log(sessions, EXPERIMENT)
        await open_log(sessions, EXPERIMENT)
        assert ["session.created"] == [event.type for event in await sessions.get_events(EXPERIMENT)]
