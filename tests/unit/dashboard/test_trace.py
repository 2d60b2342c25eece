"""A stretch of a trace as HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping

from nightschool.dashboard.trace import read_events, trace_list

USER = {"type": "user.message", "id": "sevt_1", "content": [{"type": "text", "text": "<b>Review</b> it."}]}


def rows(*events: Mapping[str, object]) -> list[dict[str, object]]:
    return [{"event_id": e.get("id"), "type": e["type"], "body": json.dumps(e)} for e in events]


def test_words_are_shown_without_a_heading_and_never_as_markup() -> None:
    html = trace_list(read_events(rows(USER)))

    assert 'class="is-user"' in html
    assert "&lt;b&gt;Review&lt;/b&gt; it." in html
    assert "says" not in html


def test_a_call_of_plain_fields_is_shown_name_by_name() -> None:
    call = {"type": "agent.tool_use", "id": "sevt_2", "name": "read_section", "input": {"number": "7.2"}}

    html = trace_list(read_events(rows(call)))

    assert "calls read_section" in html
    assert "number: 7.2" in html


def test_a_short_call_stands_on_one_line() -> None:
    call = {"type": "agent.tool_use", "id": "sevt_2", "name": "read_section", "input": {"number": "7.2"}}
    other = call | {"input": {"number": "7.2 " * 40}}

    assert "ns-inline" in trace_list(read_events(rows(call)))
    assert "ns-inline" not in trace_list(read_events(rows(other)))


def test_a_call_of_nested_fields_stays_json() -> None:
    call = {
        "type": "agent.tool_use",
        "id": "sevt_2",
        "name": "delegate",
        "input": {"tasks": [{"title": "a"}]},
    }

    assert "{&quot;tasks&quot;: [" in trace_list(read_events(rows(call)))


def test_a_result_that_looks_like_json_and_is_none_stays_as_it_is() -> None:
    result = {
        "type": "agent.tool_result", "id": "sevt_3", "tool_use_id": "sevt_2",
        "content": [{"type": "text", "text": "{not json"}],
    }  # fmt: skip

    assert "{not json" in trace_list(read_events(rows(result)))


def test_an_error_is_marked() -> None:
    failed = {
        "type": "agent.tool_result", "id": "sevt_3", "tool_use_id": "sevt_2", "is_error": True,
        "content": [{"type": "text", "text": "no section 99"}],
    }  # fmt: skip

    assert "is-error" in trace_list(read_events(rows(failed)))


def test_an_event_that_cannot_be_read_does_not_hide_the_others() -> None:
    broken = {"type": "agent.tool_use", "id": "sevt_2"}

    html = trace_list(read_events(rows(broken, USER)))

    assert "agent.tool_use" in html
    assert "Review" in html


def test_an_event_of_a_newer_version_is_named() -> None:
    assert "dream.began" in trace_list(read_events(rows({"type": "dream.began", "id": "sevt_9"})))
