from __future__ import annotations

from nightschool.events.agent import AgentToolRefused
from nightschool.events.experiment import FeedbackRecorded
from nightschool.events.memory import MemoryRecalled, RecalledMemory
from nightschool.events.plan import PoolResized, TaskGraded, TaskStarted
from nightschool.events.session import AgentSnapshot, SessionCreated
from nightschool.events.trace import trace_lines


def test_a_label_says_who_decided_what() -> None:
    label = FeedbackRecorded(
        id="sevt_1", source="user", value=0.4, comment="cap", decision="reject", score=0.4, given_by="ann"
    )
    (line,) = trace_lines([label])

    assert ("label · reject · by ann · score 0.4", "cap") == (line.head, line.text)


def test_other_feedback_says_where_it_comes_from() -> None:
    (line,) = trace_lines([FeedbackRecorded(id="sevt_1", source="true_check", value=1.0)])

    assert "feedback · true_check · 1" == line.head


RECALLED = MemoryRecalled(
    id="sevt_2",
    memories=(RecalledMemory(path="rules/caps.md", content_sha256="a"),),
    candidates=(
        {"path": "rules/caps.md", "likeness": 0.812, "score": 0.6, "left_out": ""},
        {"path": "rules/fees.md", "likeness": 0.2, "score": 0.1, "left_out": "not near enough"},
    ),
    tokens=41,
)


def test_what_was_recalled_is_told_with_its_factors_and_what_was_left_out_with_its_reason() -> None:
    (line,) = trace_lines([RECALLED])

    assert ("memory", "recalled 1 of 2 memories · 41 tokens") == (line.who, line.head)
    assert [
        "rules/caps.md · likeness 0.81 · score 0.60 · recalled",
        "rules/fees.md · likeness 0.20 · score 0.10 · left out: not near enough",
    ] == line.text.splitlines()


def test_a_recall_without_candidates_names_what_was_put_in() -> None:
    (line,) = trace_lines([RECALLED.model_copy(update={"candidates": ()})])

    assert "rules/caps.md" == line.text


def test_a_session_says_what_its_agent_was_granted() -> None:
    agent = AgentSnapshot(name="reviewer", model="reader", tools=({"name": "grep"}, {"name": "read"}))

    (line,) = trace_lines([SessionCreated(id="sevt_3", agent=agent)])

    assert ("session created · reviewer · reader", "granted: grep, read") == (line.head, line.text)


def test_a_refused_call_stands_out_with_its_reason() -> None:
    refused = AgentToolRefused(id="sevt_4", tool_use_id="sevt_1", name="bash", reason="not granted")

    (line,) = trace_lines([refused])

    assert line.is_error
    assert ("refused bash · the call was not made", "not granted") == (line.head, line.text)


def test_steps_of_a_plan_name_their_task_and_a_further_attempt() -> None:
    first = TaskStarted(id="sevt_1", plan_id="plan_1", task_id="north")
    again = TaskStarted(id="sevt_2", plan_id="plan_1", task_id="north", attempt=2)

    heads = [line.head for line in trace_lines([first, again])]

    assert ["task.started · north", "task.started · north · attempt 2"] == heads


def test_a_graded_task_says_what_follows_and_a_pool_how_large_it_is() -> None:
    graded = TaskGraded(
        id="sevt_1",
        plan_id="plan_1",
        task_id="north",
        attempt=1,
        satisfied=False,
        scores={"accuracy": 0.2},
        result={},
        next="rerun",
    )
    pool = PoolResized(id="sevt_2", plan_id="plan_1", size=2, waiting=1)

    heads = [line.head for line in trace_lines([graded, pool])]

    assert "task.graded · north · not satisfied, rerun" == heads[0]
    assert "pool.resized · 2 agents, 1 waiting task" == heads[1]
