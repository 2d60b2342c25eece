from __future__ import annotations

import pytest

from nightschool.core.errors import Malformed
from nightschool.orchestration.plan import Plan, Task
from nightschool.orchestration.staffing import capable, check_staff, expected_tokens
from nightschool.registry.agents import AgentFile

READER = AgentFile(name="reader", system="s", tools=("read",))
WRITER = AgentFile(name="writer", system="s", tools=("read", "write"), permissions=("file:out/**",))


def test_an_agent_can_do_what_it_has_tools_and_permissions_for() -> None:
    task = Task(id="a", title="a", needs=("write",), writes=("file:out/a.md",))

    assert [WRITER] == capable([READER, WRITER], task)


def test_a_task_nobody_can_do_is_refused_with_what_is_lacking() -> None:
    plan = Plan(id="p", goal="g", tasks=(Task(id="a", title="a", needs=("write",), writes=("file:in/a",)),))

    with pytest.raises(Malformed, match="no agent can do task 'a': the nearest lacks permission file:in/a"):
        check_staff(plan, [READER, WRITER])


def test_a_merge_needs_no_agent() -> None:
    check_staff(Plan(id="p", goal="g", tasks=(Task(id="a", title="a", needs=("x",), merge={}),)), [])


def test_what_past_runs_took_outranks_what_is_declared_and_estimated() -> None:
    task = Task(id="a", title="", prompt="x" * 400, type="summary")

    assert 125 == expected_tokens(task)
    assert 60 == expected_tokens(Task(id="a", title="", input_tokens=50, output_tokens=10))
    assert 901 == expected_tokens(task, {"summary": 900.5})


def test_a_text_outside_ascii_is_counted_as_everywhere_by_its_bytes() -> None:
    assert 100 + 25 == expected_tokens(Task(id="a", title="", prompt="ü" * 200))


def test_what_past_tasks_took_hides_no_long_text() -> None:
    task = Task(id="a", title="", prompt="word " * 1000)

    assert 1250 == expected_tokens(task, {"task": 20.0})
    assert 9000 == expected_tokens(task, {"task": 9000.0})
