from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import BudgetExceeded, NightschoolError, StaleWriter
from nightschool.core.ids import IdSource
from nightschool.events.agent import AgentMessage
from nightschool.events.base import EventBase, TextBlock, text_of
from nightschool.events.session import AgentSnapshot, SessionStatusIdle
from nightschool.events.user import UserMessage
from nightschool.harness.loop import Harness, Limits
from nightschool.harness.progress import accepted_input
from nightschool.harness.tools import Tools
from nightschool.journal.append import Append, Placed
from nightschool.journal.journal import Journal
from nightschool.models.connect import mount
from nightschool.models.wire import Answer
from nightschool.sandbox.tools import ToolResult
from nightschool.sessions.log import SessionLog
from nightschool.sessions.state import fold
from tests.integration.harness.scripted import CountingTool, ScriptedBrain, say

pytestmark = pytest.mark.anyio


@pytest.fixture
def log(tmp_path: Path, clock: FrozenClock, ids: IdSource) -> Iterator[SessionLog]:
    journal = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield SessionLog(journal, clock=clock, ids=ids)
    journal.close()


async def _start(log: SessionLog, session_id: str = "sesn_a") -> str:
    agent = AgentSnapshot(name="a", model="scripted", system="Read.")
    writer = await log.create(session_id, agent=agent)
    await writer.emit_event(UserMessage(id=writer.new_event_id(), content=(TextBlock(text="Go."),)))
    return session_id


def _harness(log: SessionLog, brain: ScriptedBrain, clock: FrozenClock, **limits: int) -> Harness:
    return Harness(log=log, model=mount(brain, clock=clock), clock=clock, limits=Limits(**limits))


def _hands() -> tuple[CountingTool, CountingTool, Tools]:
    read, submit = CountingTool("read"), CountingTool("submit")
    return read, submit, Tools([read, submit])


async def test_a_turn_runs_from_the_message_to_idle(log: SessionLog, clock: FrozenClock) -> None:
    read, _, tools = _hands()
    harness = _harness(log, ScriptedBrain(), clock)

    events = await harness.run(await _start(log), tools)

    assert [{"n": 1}, {"n": 2}] == sorted(read.inputs, key=str)
    assert {"found": [1, 2]} == accepted_input(events, "submit")
    assert isinstance(events[-1], SessionStatusIdle)


async def test_running_a_finished_session_again_does_nothing(log: SessionLog, clock: FrozenClock) -> None:
    session = await _start(log)
    _, _, tools = _hands()
    first = await _harness(log, ScriptedBrain(), clock).run(session, tools)
    brain = ScriptedBrain()

    again = await _harness(log, brain, clock).run(session, tools)

    assert [event.id for event in first] == [event.id for event in again]
    assert [] == brain.requests


async def test_who_created_a_session_carries_it_on_without_taking_it_over(
    log: SessionLog, clock: FrozenClock
) -> None:
    agent = AgentSnapshot(name="a", model="scripted", system="Read.")
    task = UserMessage(id="sevt_task", content=(TextBlock(text="Go."),))
    writer = await log.create("sesn_a", agent=agent, first=[task])
    _, _, tools = _hands()

    events = await _harness(log, ScriptedBrain(), clock).run("sesn_a", tools, writer=writer)

    entries = await log.get_entries("sesn_a")
    assert [event.id for event in events] == [entry.event_id for entry in entries]
    assert {1} == {entry.epoch for entry in entries}


async def _copy(log: SessionLog, events: list[EventBase], session_id: str) -> set[str]:
    """Write the first events of a session under another id, as a crash would have left them."""
    writer = await log.create(session_id, agent=events[0].agent)  # type: ignore[attr-defined]
    await writer.emit_event(*events[1:])
    return {event.id for event in events}


async def test_a_session_killed_after_any_commit_is_finished_without_repeating_a_tool_call(
    tmp_path: Path, clock: FrozenClock, ids: IdSource, log: SessionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut the log after every commit (a crash leaves whole commits only), carry it on, compare."""
    _, _, tools = _hands()
    commits: list[int] = []
    append_all = Journal.append_all

    def counted(journal: Journal, appends: Sequence[Append]) -> Sequence[Placed | NightschoolError]:
        outcomes = append_all(journal, appends)
        commits.extend(
            placed.entries()[-1].seq
            for placed in outcomes
            if isinstance(placed, Placed) and placed.append.drafts
        )
        return outcomes

    monkeypatch.setattr(Journal, "append_all", counted)
    whole = await _harness(log, ScriptedBrain(), clock).run(await _start(log), tools)
    monkeypatch.undo()
    unbroken = fold(whole)
    assert len(commits) > 8
    for n in sorted(commits)[1:]:
        journal = Journal.open(tmp_path / f"{n}.sqlite", clock=clock)
        broken = SessionLog(journal, clock=clock, ids=ids)
        await _copy(broken, whole[:n], "sesn_a")
        finished_before = [call.use.input for call in fold(whole[:n]).tool_calls if call.is_finished]
        read, submit, hands = _hands()

        events = await _harness(broken, ScriptedBrain(), clock).run("sesn_a", hands)

        state = fold(events)
        done_now = [*read.inputs, *submit.inputs]
        assert unbroken.usage == state.usage, n
        assert accepted_input(whole, "submit") == accepted_input(events, "submit")
        assert not [done for done in done_now if done in finished_before]
        assert 3 == len(state.tool_calls)
        journal.close()


async def test_a_harness_whose_session_was_woken_elsewhere_stops(log: SessionLog, clock: FrozenClock) -> None:
    session = await _start(log)

    class Thief(CountingTool):
        async def execute(self, tool_input: Mapping[str, Any]) -> ToolResult:
            await log.wake(session)
            return await super().execute(tool_input)

    tools = Tools([Thief("read"), CountingTool("submit")])

    with pytest.raises(StaleWriter, match="sesn_a"):
        await _harness(log, ScriptedBrain(), clock).run(session, tools)


async def test_a_tool_that_was_not_granted_is_refused_and_the_refusal_is_seen(
    log: SessionLog, clock: FrozenClock
) -> None:
    brain = ScriptedBrain()

    events = await _harness(log, brain, clock).run(await _start(log), Tools([CountingTool("submit")]))

    refused = fold(events).tool_calls[0]
    assert "deny" == getattr(refused.use, "evaluated_permission", None)
    assert refused.result is not None
    assert refused.result.is_error


async def test_a_turn_past_its_model_requests_ends_as_budget_reached(
    log: SessionLog, clock: FrozenClock
) -> None:
    session = await _start(log)
    _, _, tools = _hands()

    with pytest.raises(BudgetExceeded, match="used its 1 model requests"):
        await _harness(log, ScriptedBrain(), clock, max_model_calls=1).run(session, tools)

    stop = (await log.get_session(session)).stop_reason
    assert stop is not None
    assert "budget_reached" == stop.type


async def test_a_full_context_becomes_notes_and_the_log_keeps_everything(
    log: SessionLog, clock: FrozenClock
) -> None:
    class Notetaker(ScriptedBrain):
        def answer(self, request: Mapping[str, Any]) -> Answer:
            last = request["messages"][-1]["content"][-1]
            if last.get("text", "").startswith("Your context is nearly full."):
                return say("Read 1 and 2.")
            if any("Notes from" in str(message) for message in request["messages"]):
                return say("Done.")
            return super().answer(request)

    session = await _start(log)
    _, _, tools = _hands()

    events = await _harness(log, Notetaker(), clock, context_limit_tokens=70).run(session, tools)

    assert 1 == fold(events).compactions
    assert 2 == len(fold(events).tool_calls)
    assert "Done." == text_of(next(e.content for e in reversed(events) if isinstance(e, AgentMessage)))


async def test_an_answer_cut_off_is_an_error_and_not_the_end_of_the_work(
    log: SessionLog, clock: FrozenClock
) -> None:
    session = await _start(log)
    _, _, tools = _hands()

    with pytest.raises(BudgetExceeded, match="cut off at 3 tokens; raise max_tokens"):
        await _harness(log, ScriptedBrain(), clock, max_tokens=3).run(session, tools)

    stop = (await log.get_session(session)).stop_reason
    assert stop is not None
    assert "budget_reached" == stop.type
