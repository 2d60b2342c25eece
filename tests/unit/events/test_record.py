"""What of each event an analyst finds in the standard columns."""

from __future__ import annotations

from nightschool.events.agent import AgentToolResult, AgentToolUse
from nightschool.events.base import TextBlock
from nightschool.events.record import role_of, standard_record
from nightschool.events.span import ModelUsage, SpanModelRequestEnd
from nightschool.events.union import EVENT_TYPES


def test_a_tool_call_reads_as_its_name_and_input() -> None:
    record = standard_record(AgentToolUse(id="e1", name="read_section", input={"number": "7.2"}))
    assert ("agent", 'read_section {"number":"7.2"}', None) == (record.role, record.content, record.success)


def test_a_tool_result_without_an_error_mark_succeeded() -> None:
    result = AgentToolResult(id="e2", tool_use_id="e1", content=(TextBlock(text="a"), TextBlock(text="b")))
    record = standard_record(result)
    assert ("tool", "a\nb", True) == (record.role, record.content, record.success)


def test_a_model_request_carries_its_tokens_and_duration() -> None:
    usage = ModelUsage(input_tokens=7, output_tokens=3, cache_read_input_tokens=2)
    record = standard_record(
        SpanModelRequestEnd(
            id="e", model_request_start_id="s", model_usage=usage, duration_ms=12.5, is_error=True
        )
    )
    assert (7, 3, 0, 2) == (
        record.input_tokens,
        record.output_tokens,
        record.cache_creation_input_tokens,
        record.cache_read_input_tokens,
    )
    assert (12.5, False, "model") == (record.duration_ms, record.success, record.role)


def test_running_totals_do_not_count_their_tokens_again() -> None:
    total = {"type": "session.usage", "id": "e", "usage": {"input_tokens": 9}}
    trial = {"type": "trial.completed", "id": "e", "usage": {"input_tokens": 9}, "duration_seconds": 1.5}
    assert (None, None) == (standard_record(total).input_tokens, standard_record(trial).input_tokens)
    assert 1500.0 == standard_record(trial).duration_ms


def test_an_unknown_event_has_a_record_with_its_familys_role() -> None:
    record = standard_record(
        {"type": "memory.recalled", "id": "e", "content": [{"type": "text", "text": "x"}]}
    )
    assert ("memory", "x", None) == (record.role, record.content, record.success)


def test_blocks_that_are_not_text_are_named() -> None:
    record = standard_record(
        {"type": "user.message", "content": [{"type": "image"}, {"type": "text", "text": "y"}]}
    )
    assert "[image]\ny" == record.content


def test_an_error_reads_as_its_message() -> None:
    record = standard_record(
        {"type": "session.error", "error": {"type": "model_error", "message": "too long"}}
    )
    assert ("too long", False) == (record.content, record.success)


def test_every_known_event_type_has_a_role() -> None:
    roles = {role_of(kind) for kind in EVENT_TYPES}
    spoken = {"user", "system", "agent", "tool", "model", "grader", "orchestrator", "workflow", "experiment"}
    assert roles <= spoken | {"session", "feedback", "memory", "dream", "registry"}
