from __future__ import annotations

from typing import Any

import pytest

from nightschool.core.errors import Malformed
from nightschool.orchestration.plan import Plan, Task, outcome_of, validate
from nightschool.orchestration.task_outcome import parse_outcome
from nightschool.outcomes.tiers import Tier

MARKDOWN = "# Rubric: sums\n## Accuracy (2)\n- The sum is right.\n## Efficiency (1)\n- It is quick."
YAML = "title: sums\ndimensions:\n- {name: accuracy, question: Is it right}"


@pytest.mark.parametrize("rubric", [MARKDOWN, YAML])
def test_a_rubric_is_markdown_or_yaml_and_keeps_what_one_result_can_be_judged_by(rubric: str) -> None:
    outcome = parse_outcome({"rubric": rubric, "tier": "strict"})

    assert ["accuracy"] == [each.name for each in outcome.parsed().dimensions]
    assert (Tier.STRICT, 0.9) == (outcome.tier, outcome.least)


def test_a_threshold_stands_in_place_of_the_tiers_own() -> None:
    assert 0.5 == parse_outcome({"rubric": MARKDOWN, "threshold": 0.5}).least


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({}, "field `rubric`: Field required"),
        ({"rubric": "sums.md"}, "'sums.md' names a file"),
        ({"rubric": MARKDOWN, "tier": "lax"}, "field `tier`"),
        ({"rubric": MARKDOWN, "threshold": 2}, "field `threshold`"),
        ({"rubric": MARKDOWN, "graders": 0}, "field `graders`"),
        ({"rubric": MARKDOWN, "more": 1}, "field `more`"),
        ({"rubric": "# R\n## Accuracy (x)\n- right"}, "the weight `x` must be a number"),
        (
            {"rubric": "title: r\ndimensions:\n- {name: efficiency, question: q}"},
            "no dimension with a weight",
        ),
        ({"rubric": "title: r\ndimensions:\n- {name: format, checks: [quotes]}"}, "the check `quotes`"),
    ],
)
def test_an_outcome_that_cannot_be_meant_is_refused_with_the_place(value: dict[str, Any], said: str) -> None:
    with pytest.raises(Malformed, match=said):
        parse_outcome(value)


def test_what_the_plan_says_holds_for_tasks_of_agents_that_say_nothing_themselves() -> None:
    tasks = (
        Task(id="a", title="a"),
        Task(id="b", title="b", outcome={"rubric": MARKDOWN, "tier": "lenient"}),
        Task(id="c", title="c", merge={}),
    )
    plan = Plan(id="p", goal="g", tasks=tasks, outcome={"rubric": MARKDOWN, "tier": "strict"})

    found = [outcome_of(plan, each) for each in tasks]

    assert [Tier.STRICT, Tier.LENIENT, None] == [each and each.tier for each in found]
    assert outcome_of(Plan(id="p", goal="g", tasks=tasks), tasks[0]) is None


@pytest.mark.parametrize("where", ["plan: outcome", "plan: task 'a': outcome"])
def test_a_plan_whose_rubric_cannot_be_read_is_refused_by_name(where: str) -> None:
    broken = {"rubric": "title: r\ndimensions: []"}
    of_plan = broken if where == "plan: outcome" else None
    task = Task(id="a", title="a", outcome=None if of_plan else broken)

    with pytest.raises(Malformed, match=f"{where}: rubric"):
        validate(Plan(id="p", goal="g", tasks=(task,), outcome=of_plan))
