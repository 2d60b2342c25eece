"""A single agent that is sent back for what it says is missing: once, on record, and resumable."""

from __future__ import annotations

from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource
from nightschool.events.base import text_of
from nightschool.events.span import SpanOutcomeEvaluationEnd
from nightschool.events.user import UserMessage
from nightschool.models.connect import mount
from nightschool.orchestration.review import Review, Setup, Workplace
from nightschool.orchestration.routes import run_review
from nightschool.outcomes.playbook import policies_of
from nightschool.registry.agents import AgentFile
from nightschool.sandbox.documents import parse_document
from tests.integration.outcomes.graders import Author, session_log

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

DOCUMENT = parse_document("# Deal\n## 1 Term\nThe term is three years.\n")
PLAYBOOK = "# Playbook\n\n## P01 Term\nRequired: yes\n\n## P02 Gifts\nRequired: no\n"
MISSING = {"policy": "P01", "position": "missing", "section": None, "quote": None, "confidence": 0.5}
FOUND = {"policy": "P01", "position": "violation", "section": "1", "quote": "three years", "confidence": 0.9}


def review(second_looks: int) -> Review:
    return Review(
        id="trial_1",
        document=DOCUMENT,
        playbook=PLAYBOOK,
        policies=policies_of(PLAYBOOK),
        model="author",
        setup=Setup(
            routing="single",
            agents={"reviewer": AgentFile(name="reviewer", system="Review.", tools=("submit_findings",))},
            second_looks=second_looks,
        ),
    )


@pytest.mark.parametrize(
    ("drafts", "looks", "expected", "results"),
    [
        ([[MISSING], [FOUND]], 1, FOUND, ["needs_revision", "satisfied"]),
        ([[MISSING], [MISSING]], 1, MISSING, ["needs_revision", "max_iterations_reached"]),
        ([[FOUND]], 1, FOUND, ["satisfied"]),
        ([[MISSING], [FOUND]], 0, MISSING, []),
    ],
)
async def test_a_claim_of_absence_is_looked_into_once_and_then_stands(
    tmp_path: Path,
    clock: FrozenClock,
    ids: IdSource,
    drafts: list[list[dict[str, object]]],
    looks: int,
    expected: dict[str, object],
    results: list[str],
) -> None:
    author = Author([{"positions": draft} for draft in drafts])
    with session_log(tmp_path, clock, ids) as log:
        place = Workplace(log=log, model=mount(author), clock=clock)
        answer = await run_review(review(looks), place)
        again = await run_review(review(looks), place)
        events = await log.get_events(review(looks).root_session_id)

    assert {"positions": [expected]} == answer == again
    assert results == [event.result for event in events if isinstance(event, SpanOutcomeEvaluationEnd)]
    fed_back = [text_of(event.content) for event in events if isinstance(event, UserMessage)][1:]
    doubt = "Feedback:\nP01: no evidence that it is missing; look again"
    assert [doubt] * results.count("needs_revision") == [
        text for text in fed_back if text.startswith("Feedback:")
    ]
