"""The outcome loop: its results, its spans, its limits, and what the grader is not shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import InvalidInput, NightschoolError, StoreFull
from nightschool.core.ids import IdSource, derived_id
from nightschool.events.agent import AgentToolResult
from nightschool.events.base import EventBase, TextBlock, text_of
from nightschool.events.session import AgentSnapshot, SessionStatusIdle
from nightschool.events.span import (
    SpanOutcomeEvaluationEnd,
    SpanOutcomeEvaluationOngoing,
    SpanOutcomeEvaluationStart,
)
from nightschool.events.user import UserDefineOutcome, UserInterrupt, UserMessage
from nightschool.harness import record
from nightschool.harness.loop import Harness
from nightschool.harness.tools import Tools
from nightschool.journal.append import Append, Placed
from nightschool.journal.journal import Journal
from nightschool.outcomes.examiner import Examination, Examiner
from nightschool.outcomes.findings import shown
from nightschool.outcomes.grader import Verdict, grade
from nightschool.outcomes.revision import (
    Grading,
    Outcome,
    OutcomeLoop,
    by_code,
    by_code_that_remembers,
    decide,
)
from nightschool.outcomes.rubric import parse_rubric
from nightschool.sandbox.documents import parse_document
from nightschool.sandbox.submission import SubmitFindings
from nightschool.sessions.log import SessionLog
from tests.integration.outcomes.graders import Author, Grader, harness, said, session_log

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

DOCUMENT = parse_document("# Deal\n## 1 Term\nThe term is three years.\n## 2 Price\nTen euros.\n")
SESSION = "sesn_author"


def draft(quote: str, reason: str = "") -> Mapping[str, Any]:
    position = {"policy": "P01", "position": "violation", "section": "1", "quote": quote, "confidence": 0.9}
    return {"positions": [position | {"reason": reason}]}


GOOD = draft("three years", "SECRET REASONING: trust me")
BAD = draft("four years")


@pytest.fixture
def log(tmp_path: Path, clock: FrozenClock, ids: IdSource) -> Iterator[SessionLog]:
    with session_log(tmp_path, clock, ids) as opened:
        yield opened


async def opened(log: SessionLog) -> Tools:
    tools = Tools([SubmitFindings(DOCUMENT)])
    writer = await log.create(
        SESSION,
        agent=AgentSnapshot(name="author", model="author", tools=tools.as_wire()),
        title="Review",
        parent_session_id=None,
        metadata={},
    )
    message = record.event(
        writer, UserMessage, id=derived_id("event", "task"), content=(TextBlock(text="Review."),)
    )
    await writer.emit_event(message)
    return tools


def loop_of(log: SessionLog, author: Author, clock: FrozenClock, **changes: Any) -> OutcomeLoop:
    fields = {"grade": by_code(partial(grade, document=DOCUMENT))} | changes
    return OutcomeLoop(log=log, harness=harness(log, author, clock), **fields)


async def ends(log: SessionLog) -> list[SpanOutcomeEvaluationEnd]:
    return [e for e in await log.get_events(SESSION) if isinstance(e, SpanOutcomeEvaluationEnd)]


async def test_feedback_leads_to_a_revision_that_satisfies(log: SessionLog, clock: FrozenClock) -> None:
    author = Author([BAD, GOOD])
    answer = await loop_of(log, author, clock).run(SESSION, await opened(log))

    assert GOOD == answer
    assert ["needs_revision", "satisfied"] == [end.result for end in await ends(log)]
    assert ["Feedback:\nP01: the quote is not in section 1"] == author.feedback


async def test_every_end_names_its_start_and_iterations_count_from_zero(
    log: SessionLog, clock: FrozenClock
) -> None:
    await loop_of(log, Author([BAD, GOOD]), clock).run(SESSION, await opened(log))
    starts = [e for e in await log.get_events(SESSION) if isinstance(e, SpanOutcomeEvaluationStart)]
    found = await ends(log)

    assert [0, 1] == [start.iteration for start in starts] == [end.iteration for end in found]
    assert [start.id for start in starts] == [end.outcome_evaluation_start_id for end in found]
    assert 1 == len({start.outcome_id for start in starts} | {end.outcome_id for end in found})


async def test_the_last_result_stands_when_the_iterations_are_used_up(
    log: SessionLog, clock: FrozenClock
) -> None:
    answer = await loop_of(log, Author([BAD]), clock, max_iterations=2).run(SESSION, await opened(log))

    assert BAD == answer
    assert ["needs_revision", "max_iterations_reached"] == [end.result for end in await ends(log)]


async def test_the_author_has_the_last_word_and_can_hand_in_nothing_more(
    log: SessionLog, clock: FrozenClock
) -> None:
    """As in the API: one acknowledging turn, then idle."""
    author = Author([BAD])
    loop = loop_of(log, author, clock, max_iterations=1)
    tools = await opened(log)
    first = await loop.run(SESSION, tools)
    events = await log.get_events(SESSION)
    again = await loop.run(SESSION, tools)
    (end,) = [place for place, e in enumerate(events) if isinstance(e, SpanOutcomeEvaluationEnd)]
    after = events[end + 1 :]

    assert BAD == first == again
    assert isinstance(after[0], UserMessage)
    assert text_of(after[0].content).startswith("No further revision")
    assert [True] == [e.is_error for e in after if isinstance(e, AgentToolResult)]
    assert isinstance(after[-1], SessionStatusIdle)
    assert len(events) == len(await log.get_events(SESSION))


async def test_a_person_interrupts_while_the_result_is_graded(log: SessionLog, clock: FrozenClock) -> None:
    async def grading(answer: Mapping[str, Any], _grading: Grading) -> Verdict:
        writer = await log.create(SESSION)
        await writer.emit_event(record.event(writer, UserInterrupt))
        return grade(answer, DOCUMENT)

    answer = await loop_of(log, Author([BAD, GOOD]), clock, grade=grading).run(SESSION, await opened(log))
    (end,) = await ends(log)

    assert BAD == answer
    assert "interrupted" == end.result
    assert end.explanation.startswith("stopped by a person while the result was graded; still open: P01")


async def test_a_person_interrupts_while_the_author_is_at_work(log: SessionLog, clock: FrozenClock) -> None:
    tools = await opened(log)
    loop = loop_of(log, Author([GOOD]), clock)
    run = Harness.run

    async def interrupted(self: Harness, session_id: str, given: Tools) -> list[EventBase]:
        events = await run(self, session_id, given)
        writer = await log.create(SESSION)
        await writer.emit_event(record.event(writer, UserInterrupt))
        return events

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Harness, "run", interrupted)
        await loop.run(SESSION, tools)

    assert ["interrupted"] == [end.result for end in await ends(log)]


async def test_a_grading_by_code_can_be_told_what_was_found_before(
    log: SessionLog, clock: FrozenClock
) -> None:
    told: list[tuple[str, ...]] = []

    def remembering(answer: Mapping[str, Any], *, earlier: tuple[str, ...]) -> Verdict:
        told.append(earlier)
        return grade(answer, DOCUMENT)

    grading = by_code_that_remembers(remembering)
    await loop_of(log, Author([BAD, GOOD]), clock, grade=grading).run(SESSION, await opened(log))

    assert [(), ("P01: the quote is not in section 1",)] == told


async def test_a_rubric_that_does_not_fit_ends_the_loop(log: SessionLog, clock: FrozenClock) -> None:
    unfit = Verdict(scores={"format": 0.0}, satisfied=False, feedback=("no such task",), fits=False)
    await loop_of(log, Author([BAD]), clock, grade=by_code(lambda _: unfit)).run(SESSION, await opened(log))

    assert [("failed", "no such task")] == [(end.result, end.explanation) for end in await ends(log)]


async def test_a_used_up_budget_interrupts_before_the_next_cycle(log: SessionLog, clock: FrozenClock) -> None:
    answer = await loop_of(log, Author([BAD, GOOD]), clock, budget_tokens=1).run(SESSION, await opened(log))
    (end,) = await ends(log)

    assert BAD == answer
    assert "interrupted" == end.result
    assert end.explanation.startswith("the budget of 1 tokens is used up")


async def test_a_person_interrupts_before_the_grading(log: SessionLog, clock: FrozenClock) -> None:
    tools = await opened(log)
    author = Author([GOOD])
    await harness(log, author, clock).run(SESSION, tools)
    writer = await log.wake(SESSION)
    await writer.emit_event(record.event(writer, UserInterrupt))
    answer = await loop_of(log, author, clock).run(SESSION, tools)
    (end,) = await ends(log)

    assert GOOD == answer
    assert ("interrupted", "") == (end.result, end.outcome_evaluation_start_id)


async def test_what_done_means_is_on_record_once(log: SessionLog, clock: FrozenClock) -> None:
    outcome = Outcome(description="A review", rubric="# Rubric: x\n## Format\n- It fits.")
    loop = loop_of(log, Author([GOOD]), clock, outcome=outcome)
    tools = await opened(log)
    await loop.run(SESSION, tools)
    await loop.run(SESSION, tools)
    (defined,) = [e for e in await log.get_events(SESSION) if isinstance(e, UserDefineOutcome)]

    assert {"type": "text", "content": outcome.rubric} == defined.rubric
    assert (await ends(log))[0].outcome_id == defined.outcome_id


@pytest.mark.parametrize("iterations", [0, 21])
def test_the_apis_limit_of_iterations_holds(log: SessionLog, clock: FrozenClock, iterations: int) -> None:
    with pytest.raises(InvalidInput, match="1 to 20"):
        loop_of(log, Author([GOOD]), clock, max_iterations=iterations)


def test_only_needs_revision_means_another_cycle() -> None:
    decided = partial(decide, max_iterations=3)

    assert "needs_revision" == decided(satisfied=False, iteration=1)
    assert "max_iterations_reached" == decided(satisfied=False, iteration=2)
    assert "satisfied" == decided(satisfied=True, iteration=2)
    assert "failed" == decided(satisfied=False, fits=False, iteration=0)
    assert "interrupted" == decided(satisfied=False, within_budget=False, iteration=0)
    assert "interrupted" == decided(satisfied=False, stopped=True, iteration=2)
    assert "satisfied" == decided(satisfied=True, stopped=True, iteration=0)


def examined(log: SessionLog, grader: Grader, clock: FrozenClock, graders: int = 1) -> Any:
    """Grade by separate sessions, as a loop wants it."""
    examiner = Examiner(
        log=log,
        harness=harness(log, grader, clock),
        rubric=parse_rubric("# Rubric: review\n## Accuracy\n- The findings are right.\n"),
        models=(grader.model_id,) * graders,
    )

    async def by_model(answer: Mapping[str, Any], grading: Grading) -> Verdict:
        paper = Examination(id=grading.id, task="Review.", artefact=shown(answer), parent_session_id=SESSION)
        return await examiner.examine(paper, on_graded=grading.ongoing)

    return by_model


async def test_the_grader_never_sees_a_word_of_the_authors_reasoning(
    log: SessionLog, clock: FrozenClock
) -> None:
    grader = Grader(scores=[0.2, 1.0])
    await loop_of(log, Author([BAD, GOOD]), clock, grade=examined(log, grader, clock)).run(
        SESSION, await opened(log)
    )
    authors = said({"events": [e.model_dump(mode="json") for e in await log.get_events(SESSION)]})

    assert "SECRET REASONING" in authors
    assert grader.requests
    assert all("SECRET REASONING" not in said(request) for request in grader.requests)
    assert "three years" in said(grader.requests[-1])


async def test_graders_at_work_are_seen_to_be_and_their_tokens_are_counted(
    log: SessionLog, clock: FrozenClock
) -> None:
    grader = Grader(scores=[1.0])
    await loop_of(log, Author([GOOD]), clock, grade=examined(log, grader, clock, 3)).run(
        SESSION, await opened(log)
    )
    ongoing = [e for e in await log.get_events(SESSION) if isinstance(e, SpanOutcomeEvaluationOngoing)]
    (end,) = await ends(log)

    assert 2 == len(ongoing)
    assert end.usage.input_tokens > 0
    assert end.usage.as_usage() == (await log.get_session(SESSION)).grading_usage


async def test_a_loop_broken_off_at_any_append_ends_the_same_and_grades_each_draft_once(
    tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_all = Journal.append_all
    n, broken = 0, True
    while broken:
        n += 1
        left, broken = n, False

        def failing(journal: Journal, appends: Sequence[Append]) -> Sequence[Placed | NightschoolError]:
            nonlocal left, broken
            left -= 1
            if left < 0:
                broken = True
                return [StoreFull() for _ in appends]
            return append_all(journal, appends)

        folder = tmp_path / str(n)
        folder.mkdir()
        with session_log(folder, clock, IdSource(clock=clock)) as log:
            grader = Grader(scores=[1.0], fault="four years")
            loop = loop_of(log, Author([BAD, GOOD]), clock, grade=examined(log, grader, clock))
            tools = await opened(log)
            monkeypatch.setattr(Journal, "append_all", failing)
            try:
                await loop.run(SESSION, tools)
            except StoreFull:
                monkeypatch.setattr(Journal, "append_all", append_all)
                await loop.run(SESSION, tools)
            monkeypatch.setattr(Journal, "append_all", append_all)

            assert ["needs_revision", "satisfied"] == [end.result for end in await ends(log)]
            starts = [e for e in await log.get_events(SESSION) if isinstance(e, SpanOutcomeEvaluationStart)]
            assert 2 == len(starts)
            assert 3 == len(await log.list_sessions())
    assert n > 20
