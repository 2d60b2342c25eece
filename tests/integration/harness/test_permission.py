"""A call that asks for permission is made only on a person's word, which comes through the log."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import anyio
import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import InvalidInput
from nightschool.core.groups import task_group
from nightschool.core.ids import IdSource
from nightschool.events.agent import AgentToolRefused, AgentToolResult, AgentToolUse
from nightschool.events.base import EventBase, TextBlock, text_of
from nightschool.events.session import AgentSnapshot, SessionStatusIdle
from nightschool.events.user import UserMessage, UserToolConfirmation
from nightschool.harness.loop import Harness, Limits
from nightschool.harness.tools import Tools
from nightschool.journal.journal import Journal
from nightschool.models.connect import mount
from nightschool.sessions.log import SessionLog
from nightschool.sessions.permission import Answer, answer_call
from nightschool.sessions.state import ToolCall
from tests.integration.harness.scripted import CountingTool, ScriptedBrain

pytestmark = pytest.mark.anyio

SESSION = "sesn_a"
YES = Answer(result="allow", given_by="Ada")
NO = Answer(result="deny", given_by="Bob", reason="not on a Friday")

DENIED_THEN_ALLOWED: tuple[tuple[Literal["allow", "deny"], str], ...] = (("deny", "Bob"), ("allow", "Ada"))


@pytest.fixture
def journal(tmp_path: Path, clock: FrozenClock) -> Iterator[Journal]:
    opened = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield opened
    opened.close()


@pytest.fixture
async def log(journal: Journal, clock: FrozenClock, ids: IdSource) -> SessionLog:
    log = SessionLog(journal, clock=clock, ids=ids)
    agent = AgentSnapshot(name="a", model="scripted", system="Read.")
    writer = await log.create(SESSION, agent=agent)
    await writer.emit_event(UserMessage(id=writer.new_event_id(), content=(TextBlock(text="Go."),)))
    return log


class Work:
    """An agent at work whose calls of some tools ask."""

    def __init__(self, log: SessionLog, clock: FrozenClock, *ask: str, **limits: float) -> None:
        self.read, self.submit = CountingTool("read"), CountingTool("submit")
        self.tools = Tools([self.read, self.submit], ask=ask)
        self.harness = Harness(
            log=log,
            model=mount(ScriptedBrain(), clock=clock),
            clock=clock,
            limits=Limits(**limits),  # type: ignore[arg-type]
        )
        self.events: list[EventBase] = []

    async def run(self) -> None:
        self.events = await self.harness.run(SESSION, self.tools)


def _asks(call: ToolCall) -> bool:
    return (
        isinstance(call.use, AgentToolUse)
        and call.use.evaluated_permission == "ask"
        and call.confirmation is None
    )


async def _asking(log: SessionLog, number: int = 1) -> list[str]:
    """Wait until so many calls ask; return their ids."""
    with anyio.fail_after(10):
        async for _ in log.follow(session_id=SESSION, types=("session.status_idle",)):
            calls = [call for call in (await log.get_session(SESSION)).open_tool_calls if _asks(call)]
            if len(calls) == number:
                return [call.use.id for call in calls]
    raise AssertionError


@asynccontextmanager
async def _at_work(work: Work, log: SessionLog, number: int = 1) -> AsyncIterator[list[str]]:
    """Have the work done beside; enter with the calls once so many ask, leave when the work has ended."""
    async with task_group() as group:
        group.start_soon(work.run)
        yield await _asking(log, number)


async def test_a_call_waits_idle_until_it_is_allowed_and_the_turn_goes_on(
    log: SessionLog, clock: FrozenClock
) -> None:
    work = Work(log, clock, "submit")
    async with _at_work(work, log) as (call,):
        assert [] == work.submit.inputs
        idle = (await log.get_events(SESSION))[-1]
        await answer_call(log, SESSION, call, YES)

    assert isinstance(idle, SessionStatusIdle)
    assert ("requires_action", (call,)) == (idle.stop_reason.type, idle.stop_reason.event_ids)
    assert [{"found": [1, 2]}] == work.submit.inputs
    assert isinstance(work.events[-1], SessionStatusIdle)
    assert "end_turn" == work.events[-1].stop_reason.type


async def test_a_denied_call_is_not_made_and_the_agent_is_told_why(
    log: SessionLog, clock: FrozenClock
) -> None:
    work = Work(log, clock, "submit")
    async with _at_work(work, log) as (call,):
        await answer_call(log, SESSION, call, NO)

    assert [] == work.submit.inputs
    (result,) = (e for e in work.events if isinstance(e, AgentToolResult) and e.tool_use_id == call)
    assert result.is_error
    assert "not on a Friday" in text_of(result.content)
    assert [call] == [e.tool_use_id for e in work.events if isinstance(e, AgentToolRefused)]


async def test_of_two_calls_each_has_its_own_word(log: SessionLog, clock: FrozenClock) -> None:
    work = Work(log, clock, "read")
    async with _at_work(work, log, 2) as (first, second):
        await answer_call(log, SESSION, second, NO)
        assert [first] == await _asking(log)
        await answer_call(log, SESSION, first, YES)

    assert [{"n": 1}] == work.read.inputs


async def test_of_two_answers_the_first_holds_and_the_second_is_told_so(
    log: SessionLog, clock: FrozenClock
) -> None:
    work = Work(log, clock, "submit")
    async with _at_work(work, log) as (call,):
        held = [await answer_call(log, SESSION, call, answer) for answer in (NO, YES)]

    assert ["Bob", "Bob"] == [word.given_by for word in held]
    assert [] == work.submit.inputs
    assert 1 == sum(isinstance(event, UserToolConfirmation) for event in work.events)


async def test_a_second_answer_that_reaches_the_log_too_changes_nothing(
    log: SessionLog, clock: FrozenClock
) -> None:
    """Two people who answer in the same moment: both words are in the log, the first one holds."""
    work = Work(log, clock, "submit")
    async with _at_work(work, log) as (call,):
        writer = await log.create(SESSION)
        words = [
            UserToolConfirmation(id=writer.new_event_id(), tool_use_id=call, result=result, given_by=who)
            for result, who in DENIED_THEN_ALLOWED
        ]
        await writer.emit_event(*words)

    assert [] == work.submit.inputs
    assert words[0] == (await log.get_session(SESSION)).tool_calls[-1].confirmation.model_copy(  # type: ignore[union-attr]
        update={"processed_at": None}
    )


async def test_a_session_killed_while_it_waits_is_carried_on_elsewhere(
    log: SessionLog, clock: FrozenClock
) -> None:
    async with task_group() as group:
        group.start_soon(Work(log, clock, "submit").run)
        (call,) = await _asking(log)
        group.cancel_scope.cancel()
    successor = Work(log, clock, "submit")

    async with task_group() as group:
        group.start_soon(successor.run)
        await answer_call(log, SESSION, call, YES)

    assert [] == successor.read.inputs
    assert [{"found": [1, 2]}] == successor.submit.inputs


async def test_a_call_about_which_nobody_says_anything_is_denied(log: SessionLog, clock: FrozenClock) -> None:
    work = Work(log, clock, "submit", permission_seconds=0.0)

    await work.run()

    assert [] == work.submit.inputs
    (word,) = (event for event in work.events if isinstance(event, UserToolConfirmation))
    assert ("deny", "nightschool") == (word.result, word.given_by)


async def test_a_call_that_did_not_ask_takes_no_word(log: SessionLog, clock: FrozenClock) -> None:
    await Work(log, clock).run()
    made = (await log.get_session(SESSION)).tool_calls[0].use.id

    with pytest.raises(InvalidInput, match="did not ask"):
        await answer_call(log, SESSION, made, YES)
    with pytest.raises(InvalidInput, match="no tool call"):
        await answer_call(log, SESSION, "sevt_other", YES)


def test_an_answer_says_who_gave_it() -> None:
    with pytest.raises(InvalidInput, match="name yourself"):
        Answer(result="allow", given_by=" ")
