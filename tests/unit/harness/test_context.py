from __future__ import annotations

from typing import Any

from nightschool.events.base import EventBase
from nightschool.events.union import parse_event
from nightschool.harness.context import NOTES_HEADING, View, build_request, compaction_request

CREATED = {"type": "session.created", "agent": {"name": "a", "model": "reader", "system": "Be good."}}


def _text(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def _events(*events: dict[str, Any]) -> list[EventBase]:
    return [parse_event({"id": f"sevt_{n}", **event}) for n, event in enumerate((CREATED, *events))]


USER = {"type": "user.message", "content": _text("Read it.")}
CALL_A = {
    "type": "agent.tool_use",
    "id": "a",
    "name": "read",
    "input": {"n": 1},
    "api_tool_use_id": "toolu_a",
}
CALL_B = {
    "type": "agent.tool_use",
    "id": "b",
    "name": "read",
    "input": {"n": 2},
    "api_tool_use_id": "toolu_b",
}
RESULT_A = {"type": "agent.tool_result", "tool_use_id": "a", "content": _text("one")}
RESULT_B = {"type": "agent.tool_result", "tool_use_id": "b", "content": _text("two"), "is_error": True}


def test_calls_of_one_answer_are_one_message_and_their_results_another() -> None:
    request = build_request(_events(USER, CALL_A, CALL_B, RESULT_A, RESULT_B), max_tokens=9)

    assert ["user", "assistant", "user"] == [message["role"] for message in request.messages]
    assert ["toolu_a", "toolu_b"] == [block["id"] for block in request.messages[1]["content"]]


def test_results_stand_in_the_order_of_their_calls() -> None:
    in_order = build_request(_events(USER, CALL_A, CALL_B, RESULT_A, RESULT_B), max_tokens=9)
    as_they_came = build_request(_events(USER, CALL_A, CALL_B, RESULT_B, RESULT_A), max_tokens=9)

    assert in_order.messages == as_they_came.messages


def test_an_error_result_says_so() -> None:
    request = build_request(_events(USER, CALL_B, RESULT_B), max_tokens=9)

    assert request.messages[-1]["content"][0]["is_error"] is True


def test_after_compaction_the_view_is_the_task_the_notes_and_what_came_since() -> None:
    compacted = {"type": "agent.thread_context_compacted", "notes": "P01 is fine."}
    events = _events(USER, CALL_A, RESULT_A, compacted, CALL_B, RESULT_B)

    messages = build_request(events, max_tokens=9).messages

    assert ["user", "user", "assistant", "user"] == [message["role"] for message in messages]
    assert NOTES_HEADING + "P01 is fine." == messages[1]["content"][0]["text"]


def test_events_of_the_log_that_nobody_said_are_not_in_the_view() -> None:
    silent = {"type": "span.model_request_start"}
    newer = {"type": "agent.dreamt", "content": "x"}

    assert build_request(_events(USER), max_tokens=9) == build_request(
        _events(silent, USER, newer), max_tokens=9
    )


def test_asking_for_notes_adds_a_message_and_changes_nothing_before_it() -> None:
    request = build_request(_events(USER), max_tokens=9)

    asked = compaction_request(request)

    assert request.messages == asked.messages[:-1]
    assert asked.messages[-1]["content"][0]["text"].startswith("Your context is nearly full.")


def test_a_view_that_grows_shows_what_a_new_one_would_and_leaves_earlier_requests_alone() -> None:
    said = {"type": "agent.message", "content": _text("One more.")}
    events = _events(USER, CALL_A, said, CALL_B, RESULT_B, RESULT_A, CALL_A, RESULT_A, USER, said, said)
    view = View()

    grown = []
    for event in events:
        view.take(event)
        grown.append(view.request(max_tokens=9))

    assert [build_request(events[: n + 1], max_tokens=9) for n in range(len(events))] == grown
