from __future__ import annotations

import json
from typing import Any

from nightschool.events.plan import TaskCompleted, TaskFailed, TaskGraded
from nightschool.orchestration.experience import Experience


def test_good_and_bad_results_are_counted_by_type_and_agent_and_tokens_are_averaged() -> None:
    learnt = Experience()
    of: dict[str, Any] = {"id": "sevt_1", "plan_id": "p", "task_id": "t", "agent_id": "a"}

    learnt.take(TaskCompleted(**of, result={}, tokens=100), "summary")
    learnt.take(TaskCompleted(**of, result={}, tokens=300), "summary")
    learnt.take(TaskCompleted(**of, result={}, note="accepted all the same"), "summary")
    learnt.take(TaskFailed(**of, error={}), "summary")
    learnt.take(
        TaskGraded(**of, attempt=1, satisfied=False, scores={}, result={}, next="rerun"), "translation"
    )

    assert {"a": (2, 2)} == learnt.of_type("summary")
    assert {"a": (0, 1)} == learnt.of_type("translation")
    assert {"summary": 200.0} == learnt.mean_tokens()


def test_a_result_that_could_not_be_graded_says_nothing_about_its_author() -> None:
    learnt = Experience()

    learnt.take(
        TaskGraded(
            id="sevt_1",
            plan_id="p",
            task_id="t",
            agent_id="a",
            attempt=1,
            satisfied=False,
            scores={},
            result={},
            next="escalate",
        ),
        "summary",
    )

    assert not learnt.of_type("summary")


def test_counts_come_back_from_a_log_as_they_went_in() -> None:
    learnt = Experience(verdicts={"sum": {"a": (3, 1)}}, tokens={"sum": (4, 12.5)})

    assert learnt == Experience.of_json(json.loads(json.dumps(learnt.as_json())))
    assert {} == Experience().as_json()
