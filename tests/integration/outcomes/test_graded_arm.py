"""An arm whose results are graded by a model, in sessions that the author never meets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import InvalidInput
from nightschool.core.ids import IdSource
from nightschool.events.span import SpanOutcomeEvaluationEnd
from nightschool.models.connect import mount
from nightschool.models.wire import Answer
from nightschool.orchestration.review import Review, Setup, Workplace
from nightschool.orchestration.routes import consumption_of, run_review
from nightschool.outcomes.playbook import policies_of
from nightschool.outcomes.rubric import parse_rubric
from nightschool.outcomes.rubric_yaml import parse_rubric_yaml
from nightschool.outcomes.tiers import Tier
from nightschool.registry.agents import AgentFile
from nightschool.sandbox.documents import parse_document
from tests.integration.outcomes.graders import Author, Grader, said, session_log

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

DOCUMENT = parse_document("# Deal\n## 1 Term\nThe term is three years.\n## 2 Price\nTen euros.\n")
PLAYBOOK = "# Playbook\n\n## P01 Term\nRequired: yes\n"
RUBRIC = parse_rubric(
    "# Rubric: review\n## Accuracy\n- The findings are right.\n## Efficiency\n- It was cheap.\n"
    "## Format\n- Quotes stand.\n"
)


def draft(quote: str, section: str = "1") -> Mapping[str, Any]:
    found = {"policy": "P01", "position": "violation", "section": section, "quote": quote, "confidence": 0.9}
    return {"positions": [found | {"reason": "SECRET REASONING"}]}


@dataclass
class Both:
    """One brain for authors and graders, as a run has it."""

    author: Author
    grader: Grader
    model_id: str = "both"
    requests: list[Mapping[str, Any]] = field(default_factory=list)

    def answer(self, request: Mapping[str, Any]) -> Answer:
        tools = {tool["name"] for tool in request.get("tools") or ()}
        return (self.grader if "submit_grades" in tools else self.author).answer(request)


def review(routing: str, graders: int) -> Review:
    agent = AgentFile(name="reviewer", system="Review.", tools=("submit_findings",))
    return Review(
        id="trial_1",
        document=DOCUMENT,
        playbook=PLAYBOOK,
        policies=policies_of(PLAYBOOK),
        model="both",
        setup=Setup(routing=routing, agents={"reviewer": agent, "task": agent}, graders=graders),
        rubric=RUBRIC,
        tier=Tier.STANDARD,
    )


@pytest.mark.parametrize("routing", ["single", "orchestrated"])
async def test_a_grader_sends_back_what_code_cannot_fault(
    tmp_path: Path, clock: FrozenClock, ids: IdSource, routing: str
) -> None:
    brain = Both(Author([draft("The term"), draft("three years")]), Grader(scores=[0.1, 1.0]))
    asked = review(routing, graders=1)
    with session_log(tmp_path, clock, ids) as log:
        place = Workplace(log=log, model=mount(brain), clock=clock)
        answer = await run_review(asked, place)
        again = await run_review(asked, place)
        sessions = [await log.get_session(each) for each in await log.list_sessions()]
        events = [e for each in await log.list_sessions() for e in await log.get_events(each)]
        used = await consumption_of(asked, log)

    verdicts = [e for e in events if isinstance(e, SpanOutcomeEvaluationEnd)]
    assert "three years" == answer["positions"][0]["quote"]
    assert answer == again
    assert ["needs_revision", "satisfied"] == [end.result for end in verdicts]
    assert [{"accuracy", "format"}, True] == [
        set(verdicts[0].scores or {}) - {"completeness"},
        verdicts[0].explanation.startswith("accuracy.1: The findings are right."),
    ]
    assert used.usage.total_tokens == sum(each.usage.total_tokens for each in sessions)


@pytest.mark.parametrize("routing", ["single", "orchestrated"])
async def test_a_declared_form_that_is_broken_is_sent_back_before_any_grader_is_asked(
    tmp_path: Path, clock: FrozenClock, ids: IdSource, routing: str
) -> None:
    form = "{properties: {positions: {items: {properties: {quote: {maxLength: 11}}}}}}"
    rubric = parse_rubric_yaml(
        "title: review\ndimensions:\n- {name: accuracy, criteria: [The findings are right.]}\n"
        f"- {{name: format, checks: [{{json_schema: {form}}}]}}\n"
    )
    brain = Both(Author([draft("The term is three years"), draft("three years")]), Grader(scores=[1.0]))
    with session_log(tmp_path, clock, ids) as log:
        place = Workplace(log=log, model=mount(brain), clock=clock)
        answer = await run_review(replace(review(routing, graders=1), rubric=rubric), place)
        events = [e for each in await log.list_sessions() for e in await log.get_events(each)]

    verdicts = [e for e in events if isinstance(e, SpanOutcomeEvaluationEnd)]
    assert "three years" == answer["positions"][0]["quote"]
    assert ["needs_revision", "satisfied"] == [end.result for end in verdicts]
    assert [0.0, 1.0] == [(end.scores or {})["format"] for end in verdicts]
    assert verdicts[0].explanation.startswith("line 7, column 16: `positions.0.quote`:")
    assert not any(
        "The term is three years" in said(each).split("# Result")[-1] for each in brain.grader.requests
    )


async def test_a_grader_is_shown_the_document_and_the_result_and_no_reasoning(
    tmp_path: Path, clock: FrozenClock, ids: IdSource
) -> None:
    brain = Both(Author([draft("three years")]), Grader(scores=[1.0]))
    with session_log(tmp_path, clock, ids) as log:
        await run_review(review("single", graders=3), Workplace(log=log, model=mount(brain), clock=clock))

    papers = [said(request) for request in brain.grader.requests]
    assert all("Ten euros." in paper and "P01 Term" in paper for paper in papers)
    assert not any("SECRET REASONING" in paper for paper in papers)
    assert not any("It was cheap" in paper for paper in papers)


async def test_graders_need_a_rubric(tmp_path: Path, clock: FrozenClock, ids: IdSource) -> None:
    brain = Both(Author([draft("three years")]), Grader())
    with session_log(tmp_path, clock, ids) as log:
        place = Workplace(log=log, model=mount(brain), clock=clock)
        with pytest.raises(InvalidInput, match="a suite with a rubric"):
            await run_review(replace(review("single", graders=1), rubric=None), place)
