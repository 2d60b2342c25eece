"""What each view says about events it was made for."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from nightschool.events.agent import AgentToolUse
from nightschool.events.experiment import (
    ExperimentCompleted,
    ExperimentCreated,
    FeedbackRecorded,
    TrialCompleted,
    TrialFailed,
    TrialStarted,
)
from nightschool.events.plan import PlanCreated, TaskCompleted, TaskFailed, TaskGraded, TaskStarted
from nightschool.events.session import SessionCreated
from nightschool.events.span import ModelUsage, SpanOutcomeEvaluationEnd
from nightschool.warehouse.reader import Reader
from nightschool.warehouse.store import Warehouse
from tests.integration.warehouse.memory_journal import MemoryJournal, a_session

T0 = datetime(2026, 1, 1, tzinfo=UTC)


def at(event_id: str, seconds: float = 0) -> dict[str, Any]:
    return {"id": f"sevt_{event_id}", "processed_at": T0 + timedelta(seconds=seconds)}


def trial(trial_id: str, *, arm: str = "single") -> dict[str, Any]:
    return {"experiment_id": "exp_1", "trial_id": trial_id, "arm": arm, "sample_id": "c-1", "epoch": 0}


def completed(
    trial_id: str, *, attempt: int = 1, seconds: float = 9, accuracy: float = 0.5
) -> TrialCompleted:
    return TrialCompleted(
        **at(f"{trial_id}-{attempt}-completed", seconds),
        **trial(trial_id),
        attempt=attempt,
        session_id="sesn_a",
        brain="reader",
        scores={"accuracy": accuracy, "completeness": 0.75},
        metrics={"recall": 0.8, "false_flags": 2, "odd": 7},
        tiers={"strict": False, "standard": True, "lenient": True},
        usage={"input_tokens": 100, "output_tokens": 10, "cache_read_input_tokens": 5},
        tool_calls=3,
        model_calls=2,
        duration_seconds=1.5,
        cost_usd="0.0123",
        answer={"positions": []},
        sample={"pages": 12},
    )


def created(**manifest: Any) -> ExperimentCreated:
    declared = {"suite": "contracts", "arms": ["single", "subagents"], "repeats": 2, "seed": 7, **manifest}
    return ExperimentCreated(**at("created"), experiment_id="exp_1", manifest=declared, manifest_hash="abc")


@pytest.fixture(params=["journal alone", "synced", "half synced"])
def log(request: pytest.FixtureRequest, journal: MemoryJournal, warehouse: Warehouse, reader: Reader) -> Log:
    """A log whose answers must not depend on how much of it is synced."""
    return Log(journal, warehouse, reader, str(request.param))


class Log:
    """Appends events and asks views."""

    def __init__(self, journal: MemoryJournal, warehouse: Warehouse, reader: Reader, synced: str) -> None:
        self.journal, self.warehouse, self.reader, self.synced = journal, warehouse, reader, synced

    def append(self, session_id: str, *events: Any) -> None:
        half = len(events) // 2
        self.journal.append(session_id, *events[:half])
        if self.synced == "half synced":
            self.warehouse.sync(self.journal)
        self.journal.append(session_id, *events[half:])
        if self.synced == "synced":
            self.warehouse.sync(self.journal)

    def ask(self, sql: str) -> list[dict[str, Any]]:
        return self.reader.query(sql).to_dicts()

    def one(self, view: str) -> dict[str, Any]:
        (row,) = self.ask(f"SELECT * FROM {view}")
        return row


def test_a_session_adds_up(log: Log) -> None:
    log.append("sesn_a", *a_session("sesn_a", turns=3))
    row = log.one("v1_sessions")
    expected = {
        "agent": "reviewer",
        "agent_version": 2,
        "model": "reader",
        "title": "Review",
        "trial_id": "trial_sesn_a",
        "arm": "single",
        "sample_id": "c-1",
        "status": "idle",
        "stop_reason": "end_turn",
        "events": 15,
        "model_calls": 3,
        "tool_calls": 3,
        "tool_errors": 0,
        "input_tokens": 300,
        "total_tokens": 330,
        "model_ms": 60.0,
        "feedback": None,
    }
    assert expected == {name: row[name] for name in expected}


def test_the_latest_feedback_on_a_session_counts(log: Log) -> None:
    judgements = [
        FeedbackRecorded(**at("f1"), source="user", value=1.0),
        FeedbackRecorded(**at("f2"), source="true_check", value=0.0),
    ]
    log.append("sesn_a", *a_session("sesn_a"), *judgements)
    row = log.one("v1_sessions")
    assert (0.0, "true_check") == (row["feedback"], row["feedback_source"])


def test_a_session_without_metadata_belongs_to_nothing(log: Log) -> None:
    log.append("sesn_a", SessionCreated(**at("a"), parent_session_id="sesn_0"))
    row = log.one("v1_sessions")
    assert ("created", "sesn_0", None, None) == (
        row["status"],
        row["parent_session_id"],
        row["agent"],
        row["trial_id"],
    )


def test_a_session_is_one_row_whatever_its_events_name(log: Log) -> None:
    """Events of a newer version may name trials and arms of their own."""
    odd = {
        "type": "future.thing",
        "id": "sevt_odd",
        "trial_id": "trial_other",
        "arm": "x",
        "experiment_id": "e",
    }
    log.append("sesn_a", *a_session("sesn_a"), json.dumps(odd))
    log.append("sesn_b", SessionCreated(**at("b")), json.dumps({**odd, "id": "sevt_2"}))
    rows = log.ask("SELECT session_id, trial_id, arm, events FROM v1_sessions ORDER BY session_id")
    expected = [("sesn_a", "trial_sesn_a", "single", 8), ("sesn_b", None, None, 2)]
    assert expected == [tuple(row.values()) for row in rows]


def test_an_experiments_own_log_is_no_session(log: Log) -> None:
    log.append("exp_1", SessionCreated(**at("a"), metadata={"experiment_id": "exp_1"}), created())
    assert [] == log.ask("SELECT * FROM v1_sessions")


def test_model_calls_name_request_model_and_tokens(log: Log) -> None:
    log.append("sesn_a", *a_session("sesn_a"))
    row = log.one("v1_model_calls")
    assert ("reader", 110, 20.0, False, "reviewer") == (
        row["model"],
        row["total_tokens"],
        row["duration_ms"],
        row["is_error"],
        row["agent_id"],
    )


def test_tool_calls_meet_their_results(log: Log) -> None:
    unanswered = AgentToolUse(**at("open"), name="list_sections", input={})
    log.append("sesn_a", *a_session("sesn_a"), unanswered)
    rows = log.ask("SELECT tool, input, result, status, kind FROM v1_tool_calls ORDER BY seq")
    expected = [
        {
            "tool": "read_section",
            "input": '{"number":"7.2"}',
            "result": "the section",
            "status": "finished",
            "kind": "tool",
        },
        {"tool": "list_sections", "input": "{}", "result": None, "status": "open", "kind": "tool"},
    ]
    assert expected == rows


def test_what_a_tool_was_given_stands_beside_the_event(log: Log) -> None:
    log.append("sesn_a", *a_session("sesn_a"))
    rows = log.ask("SELECT type, input ->> '$.number' AS number FROM v1_events WHERE input IS NOT NULL")
    assert [{"type": "agent.tool_use", "number": "7.2"}] == rows


def test_a_failed_tool_call_is_failed_and_its_first_answer_counts(log: Log) -> None:
    call = {
        "id": "sevt_call",
        "type": "agent.mcp_tool_use",
        "name": "look",
        "input": {},
        "mcp_server_name": "maps",
    }
    answer = {"type": "agent.mcp_tool_result", "mcp_tool_use_id": "sevt_call", "content": []}
    late = {**answer, "id": "sevt_2"}
    first = {**answer, "id": "sevt_1", "is_error": True, "duration_ms": 4.0}
    log.append("sesn_a", *(json.dumps(each) for each in (call, first, late)))
    row = log.one("v1_tool_calls")
    assert ("failed", "mcp", "maps", 4.0) == (
        row["status"],
        row["kind"],
        row["mcp_server"],
        row["duration_ms"],
    )


def test_tasks_are_followed_from_plan_to_end(log: Log) -> None:
    plan = PlanCreated(
        **at("plan"),
        plan_id="plan_1",
        goal="review",
        tasks=tuple(
            {"id": f"t{n}", "title": f"part {n}", "depends_on": ["t0"] if n else []} for n in range(4)
        ),
        layers=(("t0",), ("t1", "t2", "t3")),
    )
    steps = [
        TaskStarted(**at("s0", 1), plan_id="plan_1", task_id="t0", task_session_id="sesn_t0"),
        TaskCompleted(
            **at("c0", 2),
            plan_id="plan_1",
            task_id="t0",
            task_session_id="sesn_t0",
            result={"n": 1},
            duration_ms=9,
        ),
        TaskStarted(**at("s1", 3), plan_id="plan_1", task_id="t1", task_session_id="sesn_t1"),
        TaskFailed(**at("f1", 4), plan_id="plan_1", task_id="t1", error={"type": "x", "message": "no"}),
        TaskStarted(**at("s1b", 5), plan_id="plan_1", task_id="t1", task_session_id="sesn_t1b", attempt=2),
        TaskStarted(**at("s2", 5), plan_id="plan_1", task_id="t2", task_session_id="sesn_t2"),
        TaskFailed(**at("f2", 6), plan_id="plan_1", task_id="t2", error={"type": "x", "message": "no"}),
    ]
    log.append("sesn_o", plan, *steps)
    rows = log.ask(
        "SELECT task_id, status, attempts, task_session_id, error, result, duration_ms"
        " FROM v1_tasks ORDER BY task_id"
    )
    expected = [
        ("t0", "completed", 1, "sesn_t0", None, '{"n":1}', 9.0),
        ("t1", "running", 2, "sesn_t1b", None, None, None),
        ("t2", "failed", 1, "sesn_t2", "no", None, None),
        ("t3", "planned", 0, None, None, None, None),
    ]
    assert expected == [tuple(row.values()) for row in rows]


def test_a_task_says_who_did_it_how_they_were_chosen_and_what_it_took(log: Log) -> None:
    facts: dict[str, Any] = {"plan_id": "plan_1", "task_id": "t"}
    chosen: dict[str, Any] = {"agent_id": "b", "policy": "learned", "probabilities": {"a": 0.25, "b": 0.75}}
    log.append(
        "sesn_o",
        TaskStarted(**at("e1", 1), **facts, agent_id="a", received="one"),
        TaskGraded(
            **at("e2", 2), **facts, attempt=1, satisfied=False, scores={}, result={}, next="rerun", tokens=5
        ),
        TaskStarted(**at("e3", 3), **facts, **chosen, attempt=2, agent_version=4, received="two"),
        TaskCompleted(**at("e4", 4), **facts, result={}, tokens=7, note="doubtful"),
    )

    row = log.one("v1_tasks")

    assert {
        "agent": "b", "agent_version": 4, "policy": "learned", "probability": 0.75, "tokens": 12,
        "sent_back": 1, "received": "two", "note": "doubtful",
    }.items() <= row.items()  # fmt: skip


def test_a_trial_is_one_row_with_its_result(log: Log) -> None:
    log.append(
        "exp_1",
        created(),
        TrialStarted(**at("s1", 1), **trial("trial_1")),
        TrialFailed(
            **at("f1", 2), **trial("trial_1"), error={"type": "model_unavailable", "message": "down"}
        ),
        TrialStarted(**at("s2", 3), **trial("trial_1"), attempt=2),
        completed("trial_1", attempt=2),
    )
    row = log.one("v1_trials")
    expected = {
        "trial_id": "trial_1",
        "status": "completed",
        "attempt": 2,
        "brain": "reader",
        "simulated": False,
        "accuracy": 0.5,
        "completeness": 0.75,
        "consistency": None,
        "recall": 0.8,
        "false_flags": 2.0,
        "precision": None,
        "strict": False,
        "standard": True,
        "lenient": True,
        "total_tokens": 115,
        "tool_calls": 3,
        "model_calls": 2,
        "duration_seconds": 1.5,
        "cost_usd": 0.0123,
        "pages": 12.0,
        "error": None,
        "metrics": '{"recall":0.8,"false_flags":2.0,"odd":7.0}',
        "started_at": T0 + timedelta(seconds=1),
        "ended_at": T0 + timedelta(seconds=9),
    }
    assert expected == {name: row[name] for name in expected}


def test_a_result_stands_even_if_a_later_attempt_left_traces(log: Log) -> None:
    log.append(
        "exp_1", created(), completed("trial_1"), TrialStarted(**at("s2", 20), **trial("trial_1"), attempt=2)
    )
    assert "completed" == log.one("v1_trials")["status"]


def test_trials_without_a_result_are_errored_or_started_and_cost_nothing(log: Log) -> None:
    failed = TrialFailed(**at("f", 2), **trial("trial_1"), error={"type": "timeout"}, duration_seconds=2.0)
    log.append("exp_1", created(brain="simulated"), failed, TrialStarted(**at("s", 3), **trial("trial_2")))
    rows = log.ask(
        "SELECT status, error, simulated, brain, accuracy, total_tokens FROM v1_trials ORDER BY trial_id"
    )
    expected = [
        ("errored", "timeout", True, "simulated", None, None),
        ("started", None, True, "simulated", None, None),
    ]
    assert expected == [tuple(row.values()) for row in rows]
    assert [] == log.ask("SELECT * FROM v1_costs WHERE scope = 'trial'")


def test_an_experiment_counts_what_is_recorded(log: Log) -> None:
    log.append(
        "exp_1",
        created(expected=4, brain="reader"),
        completed("trial_1"),
        completed("trial_2"),
        TrialFailed(**at("f", 2), **trial("trial_3"), error={"type": "x"}),
        TrialStarted(**at("s", 3), **trial("trial_4")),
        ExperimentCompleted(**at("done", 10), experiment_id="exp_1", result_hash="r"),
    )
    row = log.one("v1_experiments")
    expected = {
        "experiment_id": "exp_1",
        "suite": "contracts",
        "arms": '["single","subagents"]',
        "repeats": 2,
        "seed": 7,
        "brain": "reader",
        "simulated": False,
        "manifest_hash": "abc",
        "result_hash": "r",
        "expected": 4,
        "recorded": 2,
        "errored": 1,
        "completed_at": T0 + timedelta(seconds=10),
    }
    assert expected == {name: row[name] for name in expected}


def test_a_trial_has_a_verdict_per_tier(log: Log) -> None:
    log.append("exp_1", created(), completed("trial_1", accuracy=0.25))
    rows = log.ask("SELECT tier, passed, result, accuracy, session_id FROM v1_verdicts ORDER BY tier")
    expected = [
        ("lenient", True, "satisfied", 0.25, "sesn_a"),
        ("standard", True, "satisfied", 0.25, "sesn_a"),
        ("strict", False, "failed", 0.25, "sesn_a"),
    ]
    assert expected == [tuple(row.values()) for row in rows]


def test_a_round_of_the_outcome_loop_is_a_verdict(log: Log) -> None:
    verdict = SpanOutcomeEvaluationEnd(
        **at("v", 5),
        outcome_id="outc_1",
        outcome_evaluation_start_id="sevt_s",
        iteration=1,
        result="needs_revision",
        explanation="the quote is not in section 7.2",
        usage=ModelUsage(),
        scores={"accuracy": 0.5},
        tier="standard",
    )
    log.append("sesn_a", *a_session("sesn_a"), verdict)
    row = log.one("v1_verdicts")
    assert ("outcome", 1, "standard", "needs_revision", False, 0.5, "trial_sesn_a") == (
        row["source"],
        row["iteration"],
        row["tier"],
        row["result"],
        row["passed"],
        row["accuracy"],
        row["trial_id"],
    )


def test_costs_count_each_token_once(log: Log) -> None:
    """A trial's sessions are part of the trial; a session outside every trial stands for itself."""
    lone = [SessionCreated(**at("lone"), metadata={"source": "review"}), *a_session("sesn_b")[1:]]
    log.append("sesn_a", *a_session("sesn_a"))
    log.append("sesn_b", *lone)
    log.append("exp_1", created(), completed("trial_sesn_a"))
    rows = log.ask("SELECT scope, id, total_tokens, cost_usd FROM v1_costs ORDER BY scope")
    expected = [("session", "sesn_b", 110, None), ("trial", "trial_sesn_a", 115, 0.0123)]
    assert expected == [tuple(row.values()) for row in rows]


def test_trials_come_as_a_frame_of_one_experiment_or_of_all(log: Log) -> None:
    log.append(
        "exp_1", created(brain="reader"), completed("trial_1"), TrialStarted(**at("s", 3), **trial("trial_2"))
    )
    assert ["trial_1", "trial_2"] == sorted(log.reader.trials()["trial_id"])
    assert 2 == log.reader.trials("exp_1").height
    assert 0 == log.reader.trials("exp_2").height
