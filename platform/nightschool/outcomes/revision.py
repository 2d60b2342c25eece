"""The outcome loop: grade, give feedback, let the author revise, at most N times.

    satisfied               good enough; the turn is over
    needs_revision          feedback was given; another cycle follows, after this result only
    max_iterations_reached  the last result stands, with what is wrong on record; the author has a last word
    failed                  the rubric does not fit what was handed in; revising would not help
    interrupted             a person stopped it, or the budget is used up

The loop reads where it stands from the session's own events, so it can be broken off anywhere and run again.
A verdict and the feedback that follows from it are appended together: a crash cannot come between them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from anyio import to_thread

from nightschool.core.errors import BudgetExceeded, InvalidInput
from nightschool.core.ids import derived_id
from nightschool.events.base import EventBase, TextBlock
from nightschool.events.span import (
    ModelUsage,
    SpanOutcomeEvaluationEnd,
    SpanOutcomeEvaluationOngoing,
    SpanOutcomeEvaluationStart,
)
from nightschool.events.user import UserDefineOutcome, UserMessage
from nightschool.harness import record
from nightschool.harness.loop import Harness
from nightschool.harness.progress import accepted_input
from nightschool.harness.tools import Tools
from nightschool.outcomes.grader import Verdict
from nightschool.outcomes.tiers import Tier
from nightschool.sessions.log import SessionLog, SessionWriter
from nightschool.sessions.state import SessionState, fold

__all__ = [
    "CLOSING",
    "FEEDBACK_HEADING",
    "MOST_ITERATIONS",
    "NEEDS_REVISION",
    "USED_UP",
    "Grading",
    "Outcome",
    "OutcomeLoop",
    "by_code",
    "by_code_that_remembers",
    "decide",
]

FEEDBACK_HEADING = "Feedback:\n"
NEEDS_REVISION: Final = "needs_revision"
USED_UP: Final = "max_iterations_reached"
CLOSING: Final = (
    "No further revision: the iterations are used up and your last result stands. Say in a few words what"
    " stands and what is open; nothing more can be handed in. Open:\n"
)
"""Begins the message that is answered by the author's last turn."""
MOST_ITERATIONS: Final = 20
"""The API's limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What done means, as it is put on record before the work begins."""

    description: str
    rubric: str
    """The rubric's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grading:
    """One round of grading: what it derives its ids from, and how it says that it is still at work."""

    id: str
    ongoing: Callable[[], Awaitable[None]]
    earlier: tuple[str, ...] = ()
    """What was found in the rounds before, oldest first."""


Grade = Callable[[Mapping[str, Any], Grading], Awaitable[Verdict]]


def by_code(grade: Callable[[Mapping[str, Any]], Verdict]) -> Grade:
    """Return a grading by code; it may take its time, for it does so in a thread of its own."""

    async def decided(answer: Mapping[str, Any], _grading: Grading) -> Verdict:
        return await to_thread.run_sync(grade, answer)

    return decided


def by_code_that_remembers(grade: Callable[..., Verdict]) -> Grade:
    """Return a grading by code that is told what was found before (``earlier``), so as not to repeat it."""

    async def decided(answer: Mapping[str, Any], grading: Grading) -> Verdict:
        return await to_thread.run_sync(partial(grade, answer, earlier=grading.earlier))

    return decided


def decide(
    *,
    satisfied: bool,
    iteration: int,
    max_iterations: int,
    fits: bool = True,
    within_budget: bool = True,
    stopped: bool = False,
) -> str:
    """Return the result of evaluation number ``iteration`` (from 0), in the API's words."""
    if satisfied:
        return "satisfied"
    if not fits:
        return "failed"
    if stopped:
        return "interrupted"
    if iteration + 1 >= max_iterations:
        return USED_UP
    return NEEDS_REVISION if within_budget else "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeLoop:
    """Grades what a session hands in until it is good enough or the iterations are used up."""

    log: SessionLog
    harness: Harness
    grade: Grade
    tool_name: str = "submit_findings"
    """The tool whose accepted input is the answer."""
    max_iterations: int = 3
    tier: Tier = Tier.STRICT
    tier_facts: Mapping[str, Any] = field(default_factory=dict)
    """Where the tier comes from (`tier_reason`, `tier_confidence`), recorded with each verdict."""
    budget_tokens: int | None = None
    """What author and graders together may consume before no further cycle begins; None: no limit."""
    outcome: Outcome | None = None

    def __post_init__(self) -> None:
        """Refuse what the API refuses.

        Raises:
            InvalidInput: the iterations are not 1 to 20.
        """
        if not 1 <= self.max_iterations <= MOST_ITERATIONS:
            raise InvalidInput(f"max_iterations must be 1 to {MOST_ITERATIONS}, not {self.max_iterations}")

    async def run(self, session_id: str, tools: Tools) -> Mapping[str, Any]:
        """Return the last answer handed in; one without positions when the agent handed in nothing."""
        await self._define(session_id)
        while True:
            events: Sequence[EventBase] = await self.log.get_events(session_id)
            if (end := _terminal(events)) is not None:
                return await self._closed(session_id, events, end)
            if not fold(events).interrupted:
                await self.harness.run(session_id, tools)
                # Read again: a person may have spoken while the agent was at work.
                events = await self.log.get_events(session_id)
            state, writer = fold(events), await self.log.wake(session_id)
            if state.interrupted:
                await writer.emit_event(self._interrupted(writer, iteration=len(state.evaluations)))
            else:
                await self._evaluate(writer, state, self._answer(events))

    def _answer(self, events: Sequence[EventBase]) -> Mapping[str, Any]:
        return accepted_input(events, self.tool_name) or {"positions": []}

    async def _closed(self, session_id: str, events: Sequence[EventBase], end: int) -> Mapping[str, Any]:
        """Return the answer that was judged last; let the author have the last word where the API does."""
        judged = events[end]
        if isinstance(judged, SpanOutcomeEvaluationEnd) and judged.result == USED_UP:
            # Without tools: what was judged is what stands. A word too many is no reason to lose it.
            with suppress(BudgetExceeded):
                await self.harness.run(session_id, Tools([]))
        return self._answer(events[:end])

    async def _define(self, session_id: str) -> None:
        if self.outcome is None:
            return
        writer = await self.log.wake(session_id)
        await writer.emit_event(
            record.event(
                writer,
                UserDefineOutcome,
                id=derived_id("event", session_id, "outcome"),
                outcome_id=_outcome_id(session_id),
                description=self.outcome.description,
                rubric={"type": "text", "content": self.outcome.rubric},
                max_iterations=self.max_iterations,
            )
        )

    async def _evaluate(self, writer: SessionWriter, state: SessionState, answer: Mapping[str, Any]) -> None:
        facts = {"outcome_id": _outcome_id(writer.session_id), "iteration": len(state.evaluations)}
        start_id = derived_id("event", writer.session_id, "evaluation", len(state.evaluations))
        # Its id is derived: a grading that was broken off and is made again has begun once.
        await writer.emit_event(record.event(writer, SpanOutcomeEvaluationStart, id=start_id, **facts))

        async def ongoing() -> None:
            await writer.emit_event(record.event(writer, SpanOutcomeEvaluationOngoing, **facts))

        earlier = tuple(evaluation.explanation for evaluation in state.evaluations)
        grading = Grading(id=derived_id("outcome", start_id), ongoing=ongoing, earlier=earlier)
        verdict = await self.grade(answer, grading)
        consumed = (state.usage + state.grading_usage + verdict.usage).total_tokens
        stopped = fold(await self.log.get_events(writer.session_id)).interrupted
        result = self._result(verdict, len(state.evaluations), consumed, stopped=stopped)
        end = record.event(
            writer,
            SpanOutcomeEvaluationEnd,
            **facts,
            outcome_evaluation_start_id=start_id,
            result=result,
            explanation=self._explanation(verdict, result, consumed),
            usage=ModelUsage.of(verdict.usage),
            scores=verdict.scores,
            tier=str(self.tier),
            **self.tier_facts,
        )
        await writer.emit_event(end, *_said_with(writer, verdict, result))

    def _result(self, verdict: Verdict, iteration: int, consumed: int, *, stopped: bool) -> str:
        return decide(
            satisfied=verdict.satisfied,
            iteration=iteration,
            max_iterations=self.max_iterations,
            fits=verdict.fits,
            within_budget=self.budget_tokens is None or consumed < self.budget_tokens,
            stopped=stopped,
        )

    def _interrupted(self, writer: SessionWriter, *, iteration: int) -> EventBase:
        # Stopped before an evaluation began: as in the API, there is no start to refer to.
        return record.event(
            writer,
            SpanOutcomeEvaluationEnd,
            outcome_id=_outcome_id(writer.session_id),
            outcome_evaluation_start_id="",
            iteration=iteration,
            result="interrupted",
            explanation="stopped by a person before the result was graded",
            usage=ModelUsage(),
            tier=str(self.tier),
            **self.tier_facts,
        )

    def _explanation(self, verdict: Verdict, result: str, consumed: int) -> str:
        found = "; ".join(verdict.feedback) or "every check passed"
        if result != "interrupted":
            return found
        if self.budget_tokens is not None and consumed >= self.budget_tokens:
            return f"the budget of {self.budget_tokens} tokens is used up ({consumed}); still open: {found}"
        return f"stopped by a person while the result was graded; still open: {found}"


def _terminal(events: Sequence[EventBase]) -> int | None:
    """Return the place of the evaluation that ended the loop; None while it goes on."""
    for place in range(len(events) - 1, -1, -1):
        event = events[place]
        if isinstance(event, SpanOutcomeEvaluationEnd):
            return None if event.result == NEEDS_REVISION else place
    return None


def _said_with(writer: SessionWriter, verdict: Verdict, result: str) -> tuple[EventBase, ...]:
    """Return what the author is told with a result: what to mend, or that it is over."""
    heading = {NEEDS_REVISION: FEEDBACK_HEADING, USED_UP: CLOSING}.get(result)
    if heading is None:
        return ()
    text = heading + "\n".join(verdict.feedback)
    return (record.event(writer, UserMessage, content=(TextBlock(text=text),)),)


def _outcome_id(session_id: str) -> str:
    return derived_id("outcome", session_id)
