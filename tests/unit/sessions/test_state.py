"""Folding events into a state."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nightschool.core.usage import Usage
from nightschool.events.agent import (
    AgentCustomToolUse,
    AgentMcpToolResult,
    AgentMcpToolUse,
    AgentMessage,
    AgentThinking,
    AgentThreadContextCompacted,
    AgentToolResult,
    AgentToolUse,
)
from nightschool.events.base import TextBlock
from nightschool.events.experiment import FeedbackRecorded
from nightschool.events.session import (
    AgentSnapshot,
    SessionCreated,
    SessionDeleted,
    SessionError,
    SessionStatusIdle,
    SessionStatusRescheduled,
    SessionStatusRunning,
    SessionStatusTerminated,
    SessionUpdated,
    StopReason,
)
from nightschool.events.span import (
    ModelUsage,
    SpanModelRequestEnd,
    SpanModelRequestStart,
    SpanOutcomeEvaluationEnd,
)
from nightschool.events.union import Event, UnknownEvent
from nightschool.events.user import (
    UserCustomToolResult,
    UserDefineOutcome,
    UserInterrupt,
    UserMessage,
    UserToolConfirmation,
    UserToolResult,
)
from nightschool.sessions.state import SessionState, SessionStatus, fold

IDS = st.sampled_from(["e1", "e2", "e3", "e4"])
WORDS = (TextBlock(text="words"),)
AGENT = AgentSnapshot(name="reviewer", model="reader")
END_TURN = StopReason(type="end_turn")


def _request_end(start: str, tokens: int = 3, *, is_error: bool = False) -> SpanModelRequestEnd:
    return SpanModelRequestEnd(
        id=f"end_{start}",
        model_request_start_id=start,
        model_usage=ModelUsage(input_tokens=tokens, output_tokens=1),
        is_error=is_error,
    )


def _evaluation(result: str) -> SpanOutcomeEvaluationEnd:
    return SpanOutcomeEvaluationEnd(
        id="v",
        outcome_id="outc_1",
        outcome_evaluation_start_id="s",
        iteration=0,
        result=result,
        explanation="",
        usage=ModelUsage(input_tokens=7),
    )


EVENTS = st.one_of(
    st.builds(SessionCreated, id=IDS, agent=st.just(AGENT), metadata=st.just({"arm": "single"})),
    st.builds(SessionUpdated, id=IDS, title=st.none() | st.just("new"), metadata=st.just({"k": "v"})),
    st.builds(SessionStatusRunning, id=IDS),
    st.builds(SessionStatusIdle, id=IDS, stop_reason=st.just(END_TURN)),
    st.builds(SessionStatusRescheduled, id=IDS),
    st.builds(SessionStatusTerminated, id=IDS),
    st.builds(SessionDeleted, id=IDS),
    st.builds(SessionError, id=IDS, error=st.just({"type": "x"})),
    st.builds(AgentToolUse, id=IDS, name=st.just("read"), input=st.just({})),
    st.builds(AgentMcpToolUse, id=IDS, mcp_server_name=st.just("m"), name=st.just("n"), input=st.just({})),
    st.builds(AgentCustomToolUse, id=IDS, name=st.just("c"), input=st.just({})),
    st.builds(AgentToolResult, id=IDS, tool_use_id=IDS),
    st.builds(AgentMcpToolResult, id=IDS, mcp_tool_use_id=IDS),
    st.builds(UserToolResult, id=IDS, tool_use_id=IDS),
    st.builds(UserCustomToolResult, id=IDS, custom_tool_use_id=IDS),
    st.builds(UserToolConfirmation, id=IDS, tool_use_id=IDS, result=st.sampled_from(["allow", "deny"])),
    st.builds(SpanModelRequestStart, id=IDS),
    st.builds(_request_end, IDS, st.integers(0, 9), is_error=st.booleans()),
    st.builds(_evaluation, st.sampled_from(["satisfied", "needs_revision"])),
    st.builds(FeedbackRecorded, id=IDS, source=st.just("user"), value=st.just(1.0)),
    st.builds(UserMessage, id=IDS, content=st.just(WORDS)),
    st.builds(UserInterrupt, id=IDS),
    st.builds(
        UserDefineOutcome, id=IDS, outcome_id=st.just("o"), description=st.just("d"), rubric=st.just({})
    ),
    st.builds(AgentMessage, id=IDS, content=st.just(WORDS)),
    st.builds(AgentThinking, id=IDS),
    st.builds(AgentThreadContextCompacted, id=IDS, notes=st.just("n")),
    st.builds(UnknownEvent, type=st.just("later.kind"), id=IDS),
)


@settings(deadline=None)
@given(st.lists(EVENTS, max_size=30), st.integers(0, 30))
def test_folding_may_stop_and_go_on_anywhere(events: list[Event], cut: int) -> None:
    assert fold(events) == fold(events[cut:], onto=fold(events[:cut]))


@settings(deadline=None)
@given(st.lists(EVENTS, max_size=30))
def test_every_call_is_either_finished_or_open(events: list[Event]) -> None:
    state = fold(events)
    asked = [
        event.id for event in events if isinstance(event, AgentToolUse | AgentMcpToolUse | AgentCustomToolUse)
    ]

    assert list(dict.fromkeys(asked)) == [call.use.id for call in state.tool_calls]
    assert [call for call in state.tool_calls if not call.is_finished] == list(state.open_tool_calls)
    assert len(events) == state.events


@settings(deadline=None)
@given(st.lists(EVENTS, max_size=20), st.integers(0, 20))
def test_an_unknown_event_is_counted_and_changes_nothing_else(events: list[Event], place: int) -> None:
    unknown = UnknownEvent(type="later.kind", id="u")
    without = fold(events)
    with_it = fold([*events[:place], unknown, *events[place:]])

    assert without.unknown_events + 1 == with_it.unknown_events
    assert without.events + 1 == with_it.events
    assert (without.status, without.usage, without.tool_calls) == (
        with_it.status,
        with_it.usage,
        with_it.tool_calls,
    )


def test_nothing_is_a_session_that_was_not_created() -> None:
    assert SessionState() == fold([])
    assert not fold([]).created


def test_a_call_waits_for_its_own_result() -> None:
    first, second = (AgentToolUse(id=name, name="read", input={}) for name in ("t1", "t2"))
    result = AgentToolResult(id="r", tool_use_id="t1", content=WORDS)

    state = fold([first, second, result])

    assert [second] == [call.use for call in state.open_tool_calls]
    answered = state.tool_call("t1")
    assert answered is not None
    assert result == answered.result
    assert state.tool_call("t3") is None


@pytest.mark.parametrize(
    ("use", "result"),
    [
        (AgentToolUse(id="t", name="n", input={}), UserToolResult(id="r", tool_use_id="t")),
        (
            AgentMcpToolUse(id="t", mcp_server_name="m", name="n", input={}),
            AgentMcpToolResult(id="r", mcp_tool_use_id="t"),
        ),
        (
            AgentCustomToolUse(id="t", name="n", input={}),
            UserCustomToolResult(id="r", custom_tool_use_id="t"),
        ),
    ],
)
def test_every_kind_of_call_finds_its_kind_of_result(use: Event, result: Event) -> None:
    (call,) = fold([use, result]).tool_calls

    assert (use, result) == (call.use, call.result)


def test_the_first_result_of_a_call_stands() -> None:
    use = AgentToolUse(id="t", name="read", input={})
    first, second = (AgentToolResult(id=name, tool_use_id="t") for name in ("r1", "r2"))

    (call,) = fold([use, first, second]).tool_calls

    assert first == call.result


def test_a_persons_decision_stays_with_its_call() -> None:
    use = AgentToolUse(id="t", name="write", input={}, evaluated_permission="ask")
    denial = UserToolConfirmation(id="c", tool_use_id="t", result="deny", deny_message="no")

    (call,) = fold([use, denial]).open_tool_calls

    assert denial == call.confirmation


def test_tokens_add_up_over_requests_and_an_unanswered_one_stays_open() -> None:
    state = fold(
        [
            SpanModelRequestStart(id="m1"),
            _request_end("m1", 10),
            SpanModelRequestStart(id="m2"),
            _request_end("m2", 5, is_error=True),
            SpanModelRequestStart(id="m3"),
            _evaluation("satisfied"),
        ]
    )

    assert Usage(input_tokens=15, output_tokens=2) == state.usage
    assert Usage(input_tokens=7) == state.grading_usage
    assert (2, 1, ("m3",)) == (state.model_calls, state.failed_model_calls, state.open_model_requests)
    assert ["satisfied"] == [verdict.result for verdict in state.evaluations]


def test_the_status_follows_the_sessions_life() -> None:
    running, idle = SessionStatusRunning(id="1"), SessionStatusIdle(id="2", stop_reason=END_TURN)

    assert SessionStatus.IDLE == fold([SessionCreated(id="0")]).status
    assert SessionStatus.RUNNING == fold([running]).status
    assert (SessionStatus.IDLE, END_TURN) == (fold([running, idle]).status, fold([running, idle]).stop_reason)
    assert fold([running, idle, running]).stop_reason is None
    assert SessionStatus.RESCHEDULING == fold([running, SessionStatusRescheduled(id="3")]).status
    assert SessionStatus.TERMINATED == fold([idle, SessionStatusTerminated(id="4")]).status


def test_an_interrupt_holds_until_the_next_turn() -> None:
    interrupt = UserInterrupt(id="i")

    assert fold([SessionStatusRunning(id="1"), interrupt]).interrupted
    assert not fold([interrupt, SessionStatusRunning(id="2")]).interrupted


def test_an_update_changes_only_what_it_names() -> None:
    created = SessionCreated(id="0", title="old", metadata={"arm": "single", "role": "reviewer"})
    state = fold([created, SessionUpdated(id="1", metadata={"role": "lead"})])

    assert "old" == state.title
    assert {"arm": "single", "role": "lead"} == dict(state.metadata)


def test_the_latest_words_are_kept() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    messages = [AgentMessage(id=str(number), content=WORDS, processed_at=at) for number in range(3)]

    state = fold([*messages, UserMessage(id="u", content=WORDS), AgentThreadContextCompacted(id="c")])

    assert (messages[-1], "u", 1) == (
        state.last_message,
        state.last_user_message and state.last_user_message.id,
        state.compactions,
    )
