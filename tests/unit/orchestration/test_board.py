from __future__ import annotations

from typing import Any

import pytest

from nightschool.core.errors import ModelError, ModelUnavailable, NightschoolError
from nightschool.orchestration.board import Board, Status
from nightschool.orchestration.plan import OnFailure, Plan
from nightschool.orchestration.plan_log import MemoryPlanLog
from nightschool.orchestration.slots import Order
from tests.unit.orchestration.workers import Recorder, run, task

pytestmark = pytest.mark.anyio

TASKS = [task("a"), task("b"), task("c", "a", "b"), task("d", "c"), task("e", "b")]


def _down(order: Order) -> Exception | None:
    return ModelUnavailable("down") if order.task.id == "a" else None


async def test_a_plan_that_met_an_outage_stays_open_and_does_again_what_lacked_a_result() -> None:
    log = MemoryPlanLog()
    first, second = Recorder(fails=_down), Recorder()
    with pytest.raises(ModelUnavailable, match="down"):
        await run(TASKS, first, log=log, keeps_open=True)
    assert {"b", "c", "d", "e"} == set(first.done)

    board = await run(TASKS, second, log=log, keeps_open=True)

    # c was told that there is no result of a, and d was told what c made of it: both are done again.
    assert ["a", "c", "d"] == second.done
    assert {Status.DONE} == {state.status for state in board.tasks.values()}
    assert not any("No result of" in order.context for order in second.orders)
    folded = Board.of(Plan(id="plan_x", goal="g", tasks=tuple(TASKS)), log.events)
    assert folded.is_over
    assert folded.is_closed
    assert board.tasks == folded.tasks


async def test_an_outage_ends_a_plan_that_is_not_kept_open() -> None:
    board = await run(TASKS, Recorder(fails=_down))

    assert board.is_closed
    assert Status.FAILED is board.tasks["a"].status


@pytest.mark.parametrize("error", [ModelError("broken"), ModelUnavailable("busy")])
async def test_an_attempt_after_one_that_ended_has_a_session_of_its_own(error: NightschoolError) -> None:
    def fails(order: Order) -> Exception | None:
        return None if order.ended else error

    worker = Recorder(fails=fails)
    await run([task("a", on_failure=OnFailure.RETRY)], worker)

    assert [0, 1] == [order.ended for order in worker.orders]
    assert 2 == len({order.session_id for order in worker.orders})


async def test_an_attempt_that_was_broken_off_goes_on_in_its_session() -> None:
    log = MemoryPlanLog()
    worker: Any = Recorder()
    await run([task("a")], worker, log=log)
    # Everything after the start is lost with the process.
    log.events = [event for event in log.events if event.type in ("plan.created", "task.started")]

    await run([task("a")], worker, log=log)

    first, again = worker.orders
    assert (1, 2) == (first.attempt, again.attempt)
    assert first.session_id == again.session_id
