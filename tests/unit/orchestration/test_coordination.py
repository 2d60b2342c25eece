from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.clock import SystemClock
from nightschool.orchestration.coordination import coordination, replay
from nightschool.orchestration.plan import Plan, Task
from nightschool.orchestration.plan_log import MemoryPlanLog
from nightschool.orchestration.scheduler import Scheduler
from nightschool.orchestration.shape import critical_path
from nightschool.orchestration.slots import Done, Order
from nightschool.orchestration.topology import Topology, arrange

PLAN = Plan(
    id="p",
    goal="g",
    tasks=(
        *(Task(id=name, title=name) for name in "abc"),
        Task(id="d", title="d", depends_on=("a", "b", "c")),
    ),
)


async def _work(order: Order) -> Done:
    return Done(value={"value": 1}, seconds=2.0)


def _base(task_id: str) -> str:
    return task_id.split("@", maxsplit=1)[0].split("~", maxsplit=1)[0]


async def _measured(topology: Topology, **options: Any) -> dict[str, float]:
    arranged, log = arrange(PLAN, topology, **options), MemoryPlanLog()
    await Scheduler(worker=_work, log=log, clock=SystemClock()).run(arranged.plan)
    return coordination(PLAN, arranged, log.events, width=2, base_of=_base)


@pytest.mark.anyio
async def test_one_agent_sends_no_message_and_has_no_overhead() -> None:
    found = await _measured(Topology.SINGLE)

    assert (4, 0, 0, 0) == tuple(found[n] for n in ("turns", "messages", "overhead", "redundancy"))
    assert (8.0, 8.0) == (found["work_seconds"], found["span_seconds"])


@pytest.mark.anyio
async def test_peers_pay_for_what_they_tell_one_another() -> None:
    found = await _measured(Topology.DECENTRALIZED, peers=2)

    assert (16, 3.0, 1.0) == (found["turns"], found["overhead"], found["redundancy"])
    # Of 4 tasks: each of 2 peers hears of the other, 2 results are joined; and 3 inputs reach 4 attempts.
    assert 4 * (2 + 2) + 3 * 4 == found["messages"]


@pytest.mark.anyio
async def test_an_orchestrator_is_in_every_exchange() -> None:
    found = await _measured(Topology.CENTRALIZED)

    assert 2 * 4 == found["messages"]
    # Two agents: a and b, then c, then d.
    assert (6.0, pytest.approx(1 - 8 / 12)) == (found["makespan_seconds"], found["idle"])
    assert (1.0, 8 / 6, 2.0) == tuple(found[f"speedup_{width}"] for width in (1, 2, 4))


@given(st.lists(st.tuples(st.sets(st.integers(0, 9)), st.integers(1, 9)), min_size=1, max_size=10))
def test_more_agents_are_never_quicker_than_the_span_nor_slower_than_one(
    drawn: list[tuple[set[int], int]],
) -> None:
    tasks = tuple(
        Task(id=str(n), title="t", depends_on=tuple(str(m) for m in sorted(waits) if m < n))
        for n, (waits, _) in enumerate(drawn)
    )
    plan = Plan(id="p", goal="g", tasks=tasks)
    costs = {str(n): float(cost) for n, (_, cost) in enumerate(drawn)}
    span, work = critical_path(plan, costs)[1], sum(costs.values())

    assert work == pytest.approx(replay(plan, costs, 1).makespan)
    for width in (2, 3, 20):
        found = replay(plan, costs, width)
        assert span - 1e-9 <= found.makespan <= work + 1e-9
        # Graham's bound for list scheduling.
        assert found.makespan <= work / width + span + 1e-9
