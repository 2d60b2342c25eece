"""What becomes of a tau-bench file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.errors import InvalidInput, Malformed, NotFound
from nightschool.events.agent import AgentMessage, AgentToolResult, AgentToolUse
from nightschool.events.experiment import FeedbackRecorded
from nightschool.events.session import SessionCreated
from nightschool.experiments.importers.imported import ImportedSession
from nightschool.experiments.importers.tau_bench import SOURCE, parse

SAMPLE = Path(__file__).with_name("tau-bench-sample.json")


def sample_sessions() -> list[ImportedSession]:
    return list(parse(SAMPLE, model="gpt-4o", domain="library"))


def changed(tmp_path: Path, change: Any, *, name: str = "gpt-4o-library.json") -> Path:
    records = json.loads(SAMPLE.read_text())
    change(records)
    path = tmp_path / name
    path.write_text(json.dumps(records))
    return path


def test_a_record_becomes_a_session_in_the_transcripts_order() -> None:
    first, second = sample_sessions()
    expected = [
        "session.created",
        "user.message",
        "agent.message",
        "user.message",
        "agent.message",
        "agent.tool_use",
        "agent.tool_result",
        "agent.tool_use",
        "agent.tool_result",
        "agent.message",
        "user.message",
        "session.status_idle",
        "feedback.recorded",
    ]
    assert expected == [event.type for event in first.events]
    assert 5 == len(second.events)


def test_a_session_knows_its_agent_and_what_it_belongs_to() -> None:
    created = sample_sessions()[0].events[0]
    assert isinstance(created, SessionCreated)
    assert created.agent is not None
    assert ("gpt-4o", "tau-bench-library", "# Library policy\n\nLend at most five books.") == (
        created.agent.model,
        created.agent.name,
        created.agent.system,
    )
    expected = {
        "source": SOURCE,
        "suite": "tau-bench/library",
        "task_id": "0",
        "sample_id": "0",
        "epoch": "0",
    }
    assert expected == created.metadata


def test_results_answer_their_calls_though_the_transcript_uses_an_id_twice() -> None:
    events = sample_sessions()[0].events
    calls = [event for event in events if isinstance(event, AgentToolUse)]
    results = [event for event in events if isinstance(event, AgentToolResult)]
    assert [call.id for call in calls] == [result.tool_use_id for result in results]
    assert [{"title": "atlas"}, {"loan": 7}] == [call.input for call in calls]
    assert [False, True] == [result.is_error for result in results]


def test_words_beside_a_call_are_kept_and_an_empty_turn_is_not_a_message() -> None:
    words = [event for event in sample_sessions()[0].events if isinstance(event, AgentMessage)]
    assert 3 == len(words)


def test_the_reward_is_feedback_from_a_true_check() -> None:
    judged = [session.events[-1] for session in sample_sessions()]
    assert all(isinstance(event, FeedbackRecorded) and event.source == "true_check" for event in judged)
    assert [1.0, 0.0] == [event.value for event in judged if isinstance(event, FeedbackRecorded)]


def test_no_time_is_made_up() -> None:
    assert {None} == {event.processed_at for session in sample_sessions() for event in session.events}


def test_ids_follow_from_the_content_alone(tmp_path: Path) -> None:
    """A file that grew, or was moved, gives its old sessions the ids they had."""
    grown = changed(tmp_path, lambda records: records.append({**records[0], "trial": 2}))
    before, after = sample_sessions(), list(parse(grown))
    assert before == after[:2]
    assert 3 == len({session.session_id for session in after})
    assert 31 == len({event.id for session in after for event in session.events})


def test_model_and_domain_are_read_from_the_files_name(tmp_path: Path) -> None:
    created = next(parse(changed(tmp_path, lambda _: None, name="claude-x-retail.json"))).events[0]
    assert isinstance(created, SessionCreated)
    assert created.agent is not None
    assert ("claude-x", "tau-bench-retail") == (created.agent.model, created.agent.name)


def test_a_name_that_says_neither_needs_them_given(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"results\.json does not say which model and domain"):
        list(parse(changed(tmp_path, lambda _: None, name="results.json")))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda r: r[1].pop("reward"), "record 1, `reward`"),
        (lambda r: r[1].update(trial="one"), "record 1, `trial`"),
        (lambda r: r[1].update(traj=[]), "record 1, `traj`"),
        (lambda r: r[0]["traj"][1].update(content=7), "record 0, `traj.1.content`"),
        (lambda r: r[0]["traj"][1].update(role="robot"), "record 0, `traj.1`"),
        (lambda r: r[0]["traj"][4]["tool_calls"][0].pop("id"), "record 0, `traj.4.tool_calls.0.id`"),
        (
            lambda r: r[0]["traj"][4]["tool_calls"][0]["function"].update(arguments="[1]"),
            "record 0, `traj.4.tool_calls.0.function.arguments`",
        ),
        (lambda r: r[0]["traj"][5].update(tool_call_id="call_z"), "record 0, `traj.5.tool_call_id`"),
        (lambda r: r.append(r[0]), "record 2 repeats record 0"),
        (lambda r: r.append("text"), "record 2, `record`"),
    ],
)
def test_a_broken_record_is_named_with_its_field(tmp_path: Path, change: Any, place: str) -> None:
    path = changed(tmp_path, change)
    with pytest.raises(Malformed) as caught:
        list(parse(path))
    assert caught.value.message.startswith(f"{path}, line ")
    assert f": {place}" in caught.value.message


@pytest.mark.parametrize(
    ("text", "complaint"), [("[{", "line 1: not JSON"), ("{}", "expected a list of records")]
)
def test_a_file_that_is_no_list_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "gpt-4o-library.json"
    path.write_text(text)
    with pytest.raises(Malformed, match=complaint):
        list(parse(path))


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        list(parse(tmp_path / "gpt-4o-library.json"))


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gpt-4o-library.json"
    path.write_bytes(b'[\n"\xff\xfe\x00"]')
    with pytest.raises(Malformed, match=r"line 2: not JSON.*UTF8"):
        list(parse(path))
