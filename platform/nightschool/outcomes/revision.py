"""The outcome loop: grade, give feedback, let the author revise, at most N times.

The loop reads where it stands from the session's own events, so it can be broken off anywhere and run again.
A verdict and the feedback that follows from it are appended together: a crash cannot come between them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nightschool.core.ids import derived_id
from nightschool.events.base import EventBase, TextBlock
from nightschool.events.span import ModelUsage, SpanOutcomeEvaluationEnd, SpanOutcomeEvaluationStart
from nightschool.events.user import UserMessage
from nightschool.harness import record
from nightschool.harness.loop import Harness
from nightschool.harness.progress import accepted_input
from nightschool.harness.tools import Tools
from nightschool.outcomes.grader import Verdict
from nightschool.outcomes.tiers import Tier
from nightschool.sessions.log import SessionLog, SessionWriter
from nightschool.sessions.state import fold

__all__ = ["FEEDBACK_HEADING", "OutcomeLoop", "decide"]

FEEDBACK_HEADING = "Feedback:\n"
NEEDS_REVISION = "needs_revision"


def decide(*, satisfied: bool, iteration: int, max_iterations: int) -> str:
    """Return the result of evaluation number ``iteration`` (from 0), in the API's words."""
    if satisfied:
        return "satisfied"
    return NEEDS_REVISION if iteration + 1 < max_iterations else "max_iterations_reached"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeLoop:
    """Grades what a session hands in until it is good enough or the iterations are used up."""

    log: SessionLog
    harness: Harness
    grade: Callable[[Mapping[str, Any]], Verdict]
    tool_name: str = "submit_findings"
    """The tool whose accepted input is the answer."""
    max_iterations: int = 3
    tier: Tier = Tier.STRICT

    async def run(self, session_id: str, tools: Tools) -> Mapping[str, Any]:
        """Return the last answer handed in; one without positions when the agent handed in nothing."""
        while True:
            events = await self.harness.run(session_id, tools)
            answer = accepted_input(events, self.tool_name) or {"positions": []}
            done = fold(events).evaluations
            if done and done[-1].result != NEEDS_REVISION:
                return answer
            await self._evaluate(session_id, answer, iteration=len(done))

    async def _evaluate(self, session_id: str, answer: Mapping[str, Any], *, iteration: int) -> None:
        verdict = self.grade(answer)
        result = decide(satisfied=verdict.satisfied, iteration=iteration, max_iterations=self.max_iterations)
        writer = await self.log.wake(session_id)
        events = self._span(writer, session_id, iteration, result, verdict)
        if result == NEEDS_REVISION:
            feedback = FEEDBACK_HEADING + "\n".join(verdict.feedback)
            events.append(record.event(writer, UserMessage, content=(TextBlock(text=feedback),)))
        await writer.emit_event(*events)

    def _span(
        self, writer: SessionWriter, session_id: str, iteration: int, result: str, verdict: Verdict
    ) -> list[EventBase]:
        outcome_id = derived_id("outcome", session_id)
        start = record.event(writer, SpanOutcomeEvaluationStart, outcome_id=outcome_id, iteration=iteration)
        end = record.event(
            writer,
            SpanOutcomeEvaluationEnd,
            outcome_id=outcome_id,
            outcome_evaluation_start_id=start.id,
            iteration=iteration,
            result=result,
            explanation="; ".join(verdict.feedback) or "every check passed",
            usage=ModelUsage(),
            scores=verdict.scores,
            tier=str(self.tier),
        )
        return [start, end]
