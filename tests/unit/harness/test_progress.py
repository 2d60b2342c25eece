from __future__ import annotations

from typing import Any

from nightschool.events.base import EventBase
from nightschool.events.union import parse_event
from nightschool.harness.progress import (
    accepted_input,
    asked,
    context_tokens,
    is_waiting,
    model_calls_this_turn,
    unanswered,
    word_on,
)

USER = {"type": "user.message", "content": [{"type": "text", "text": "Read it."}]}
END = {
    "type": "span.model_request_end",
    "model_request_start_id": "sevt_x",
    "model_usage": {"input_tokens": 100, "output_tokens": 20},
}
CALL = {"type": "agent.tool_use", "id": "a", "name": "submit", "input": {"n": 1}}
OTHER = {"type": "agent.tool_use", "id": "b", "name": "submit", "input": {"n": 2}}


def _result(call: str, text: str = "", *, is_error: bool = False) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"type": "agent.tool_result", "tool_use_id": call, "content": content, "is_error": is_error}


def _idle(reason: str) -> dict[str, Any]:
    return {"type": "session.status_idle", "stop_reason": {"type": reason}}


def _events(*events: dict[str, Any]) -> list[EventBase]:
    return [parse_event({"id": f"sevt_{n}", **event}) for n, event in enumerate(events)]


def test_a_session_waits_until_somebody_speaks() -> None:
    assert is_waiting(_events())
    assert not is_waiting(_events(USER))
    assert is_waiting(_events(USER, _idle("end_turn")))
    assert not is_waiting(_events(USER, _idle("end_turn"), USER))


def test_a_turn_cut_short_by_a_failing_model_is_carried_on() -> None:
    assert not is_waiting(_events(USER, _idle("retries_exhausted")))


def test_only_calls_without_a_result_are_unanswered() -> None:
    assert ["b"] == [call.id for call in unanswered(_events(USER, END, CALL, OTHER, _result("a")))]
    assert [] == unanswered(_events(USER, END, CALL, _result("a"), END))


def test_requests_are_counted_from_the_last_idle() -> None:
    assert 1 == model_calls_this_turn(_events(USER, END, END, _idle("end_turn"), USER, END))


def test_the_answer_is_the_last_input_that_was_accepted() -> None:
    refused = _result("b", is_error=True)

    assert {"n": 1} == accepted_input(_events(CALL, _result("a"), OTHER, refused), "submit")
    assert None is accepted_input(_events(CALL), "submit")


def test_the_next_request_is_what_was_counted_and_what_came_since() -> None:
    assert None is context_tokens(_events(USER))
    assert 120 == context_tokens(_events(USER, END))
    assert 130 == context_tokens(_events(USER, END, CALL, _result("a", "x" * 40)))


def test_after_a_compaction_nothing_is_known() -> None:
    compacted = {"type": "agent.thread_context_compacted", "notes": "short"}

    assert None is context_tokens(_events(USER, END, compacted))


def _asks(*ids: str) -> dict[str, Any]:
    return {"type": "session.status_idle", "stop_reason": {"type": "requires_action", "event_ids": list(ids)}}


def _word(call: str, result: str = "allow") -> dict[str, Any]:
    return {"type": "user.tool_confirmation", "tool_use_id": call, "result": result}


def test_a_session_asks_until_a_word_has_come() -> None:
    assert () == asked(_events(USER, END, CALL, _idle("end_turn")))
    assert ("a",) == asked(_events(USER, END, CALL, _asks("a")))
    assert () == asked(_events(USER, END, CALL, _asks("a"), _word("a")))
    assert not is_waiting(_events(USER, END, CALL, _asks("a"), _word("a")))


def test_a_word_that_came_before_the_session_asked_for_it_again_counts() -> None:
    both = [_asks("a", "b"), _word("b"), _word("a"), _result("b")]

    assert not is_waiting(_events(USER, END, CALL, OTHER, *both, _asks("a")))
    assert ("a",) == asked(_events(USER, END, CALL, OTHER, _asks("a"), _word("x")))


def test_the_first_word_on_a_call_holds() -> None:
    word = word_on(_events(_word("b"), _word("a", "deny"), _word("a")), "a")

    assert word is not None
    assert "deny" == word.result
    assert None is word_on(_events(_word("b")), "a")


def test_waiting_for_a_word_does_not_begin_a_new_turn() -> None:
    assert 2 == model_calls_this_turn(_events(USER, END, CALL, _asks("a"), _word("a"), _result("a"), END))
