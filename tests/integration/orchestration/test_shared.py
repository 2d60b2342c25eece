"""Things that many tasks change at once, over the real journal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from nightschool.core.clock import SystemClock
from nightschool.core.errors import VersionConflict
from nightschool.events.lock import LockConflict, MediationDecided, MediationRequested
from nightschool.journal.journal import Journal
from nightschool.journal.versions import Versions
from nightschool.orchestration.mediation import Mediation, Ruling
from nightschool.orchestration.plan_log import MemoryPlanLog
from nightschool.orchestration.shared import Reading, SharedResources
from nightschool.orchestration.shared_tools import shared_tools

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

AGENTS, WRITES = 50, 3


def _with(mark: str, old: list[str] | None) -> list[str]:
    return [*(old or []), mark]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Versions]:
    clock = SystemClock()
    journal = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield Versions(journal=journal, clock=clock, scope="shared")
    journal.close()


async def test_fifty_agents_on_one_resource_lose_no_write_and_block_nobody(store: Versions) -> None:
    log = MemoryPlanLog()
    resources = SharedResources(store, log, SystemClock())

    async def hammer(agent: str) -> None:
        for number in range(WRITES):
            mark = f"{agent}/{number}"
            await resources.change("table:t", partial(_with, mark), task_id=agent, write_id=mark)

    with anyio.fail_after(50):
        async with anyio.create_task_group() as group:
            for agent in range(AGENTS):
                group.start_soon(hammer, f"a{agent}")

    written = (await resources.read("table:t")).value
    assert Counter({f"a{a}/{n}": 1 for a in range(AGENTS) for n in range(WRITES)}) == Counter(written)
    assert AGENTS * WRITES == (await resources.read("table:t")).version
    conflicts = [event.conflicts for event in log.events if isinstance(event, LockConflict)]
    assert max(conflicts) <= 3
    assert any(isinstance(event, MediationDecided) for event in log.events)
    requested = sum(isinstance(event, MediationRequested) for event in log.events)
    assert requested >= conflicts.count(3)


async def test_a_write_made_again_after_a_crash_lands_once(store: Versions) -> None:
    resources = SharedResources(store, MemoryPlanLog(), SystemClock())
    found = [
        await resources.change("table:t", lambda old: (old or 0) + 1, task_id="a", write_id="w1")
        for _ in range(2)
    ]

    assert [(1, 1), (1, 1)] == [(each.version, each.value) for each in found]


async def test_the_third_conflict_is_decided_with_both_versions_in_view(store: Versions) -> None:
    seen: list[Mediation] = []

    async def decide(case: Mediation) -> Ruling:
        seen.append(case)
        return Ruling(value="both", note="half each")

    log = MemoryPlanLog()
    resources = SharedResources(store, log, SystemClock(), mediate=decide)
    base = await resources.read("table:t")
    await resources.change("table:t", lambda _old: "theirs", task_id="b", write_id="1")
    for conflicts in (0, 1):
        with pytest.raises(VersionConflict):
            await resources.write(
                "table:t", "ours", base=base, task_id="a", write_id="1", conflicts=conflicts
            )
    written = await resources.write("table:t", "ours", base=base, task_id="a", write_id="1", conflicts=2)

    assert "both" == written.value
    (case,) = seen
    assert (None, "theirs", "ours") == (case.base, case.present, case.proposed)
    assert [LockConflict, LockConflict, LockConflict, MediationRequested, MediationDecided] == [
        type(event) for event in log.events
    ]


async def test_an_agent_is_told_what_changed_and_its_third_try_is_settled(store: Versions) -> None:
    resources = SharedResources(store, MemoryPlanLog(), SystemClock())
    read, write = shared_tools(resources, "a")
    await resources.change("table:t", lambda _old: {"n": 1}, task_id="b", write_id="1")
    at_first: dict[str, Any] = json.loads((await read.execute({"resource": "table:t"})).text)
    await resources.change("table:t", lambda old: {**old, "m": 2}, task_id="b", write_id="2")
    wanted = {"resource": "table:t", "version": at_first["version"], "value": {"n": 5}}

    told = [await write.execute(wanted) for _ in range(3)]

    assert [True, True, False] == [result.is_error for result in told]
    assert "Read it again" in told[0].text
    assert {"n": 5, "m": 2} == json.loads(told[2].text)["value"]
    assert ["table:t"] == list(write.writes(wanted)) if hasattr(write, "writes") else False


async def test_what_nobody_wrote_is_version_nought(store: Versions) -> None:
    resources = SharedResources(store, MemoryPlanLog(), SystemClock())

    assert Reading(0, None, {}) == await resources.read("table:none")
    read, write = shared_tools(resources, "a")
    assert (await read.execute({})).is_error
    assert (await write.execute({"resource": "table:t"})).is_error
