"""Grades what comes of a plan's tasks by the rubrics that the plan declares, in sessions of graders.

A grader is shown what was asked for, the rubric and the result: not who made it, nor how, nor what was said
of earlier attempts. Whether a result is accepted, sent back or escalated is decided elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from nightschool.core.clock import Clock
from nightschool.core.errors import BudgetExceeded, Malformed
from nightschool.core.ids import derived_id
from nightschool.harness.loop import Harness, Limits
from nightschool.harness.model import Model
from nightschool.orchestration.merge_schema import parse_merge
from nightschool.orchestration.plan import Plan, outcome_of
from nightschool.orchestration.slots import Order
from nightschool.orchestration.task_outcome import TaskOutcome, parse_outcome
from nightschool.outcomes.checks import artefact_of
from nightschool.outcomes.examiner import Examination, Examiner
from nightschool.outcomes.form import ask_forms
from nightschool.outcomes.grader import Verdict
from nightschool.outcomes.tiers import margin, passes
from nightschool.sessions.log import SessionLog

__all__ = ["TaskGrader", "refuse_ungraded_stakes"]

_REQUESTS: Final = 6
"""What one grader may ask the model: to grade, and to mend grades that were not accepted."""
_OF_THE_AUTHOR: Final = "confidence"
"""What a result says for itself is not shown: the work is judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskGrader:
    """Grades results by what their tasks declare; an instance is a `Grade`."""

    log: SessionLog
    model: Model
    clock: Clock
    run_model: str
    """Who grades where an outcome names no other model."""
    plan: Plan
    parent_session_id: str
    metadata: Mapping[str, str] = field(default_factory=dict)

    async def __call__(self, order: Order, value: Mapping[str, Any]) -> Verdict | None:
        """Return the verdict; None where the task is held to nothing but its schema.

        A grader that hands in no grades is no reason to blame the author: the result is then not satisfied,
        and does not fit, so that the orchestrator decides.

        Raises:
            ModelError: a grader could not be asked.
        """
        outcome = self._outcome(order)
        if outcome is None:
            return None
        rubric, artefact = outcome.parsed(), artefact_of(value)
        decided = ask_forms(rubric.forms, artefact)
        examiner = Examiner(
            log=self.log,
            harness=self._harness(),
            rubric=rubric,
            models=(outcome.grader or self.run_model,) * outcome.graders,
            tier=outcome.tier,
        )
        paper = Examination(
            id=self._id(order, outcome, artefact),
            task=_asked(order),
            artefact=artefact_of({name: each for name, each in value.items() if name != _OF_THE_AUTHOR}),
            decided={"format": decided.score} if rubric.forms else {},
            feedback=decided.problems,
            parent_session_id=order.session_id or self.parent_session_id,
            metadata={**self.metadata, "task_id": order.task.id, "plan_id": order.plan_id},
        )
        try:
            verdict = await examiner.examine(paper)
        except (BudgetExceeded, Malformed) as error:
            said = (f"it could not be graded: {error.message}",)
            return Verdict(scores={}, satisfied=False, feedback=said, fits=False, tier=outcome.tier)
        return _held_to(verdict, outcome)

    def _outcome(self, order: Order) -> TaskOutcome | None:
        if order.conflict is None:
            return outcome_of(self.plan, order.task)
        declared = order.task.outcome or self.plan.outcome
        return None if declared is None else parse_outcome(declared)

    def _harness(self) -> Harness:
        limits = Limits(max_model_calls=_REQUESTS)
        return Harness(log=self.log, model=self.model, clock=self.clock, limits=limits)

    def _id(self, order: Order, outcome: TaskOutcome, artefact: str) -> str:
        """Return the examination's id: one result is graded once, also where a crash comes in between."""
        asked = json.dumps([outcome.model_dump(mode="json"), order.conflict, artefact])
        return derived_id("outcome", self.parent_session_id, order.task.id, order.ended, asked)


def _asked(order: Order) -> str:
    asked = order.asked or order.task.prompt or order.task.title
    if order.conflict is None:
        return asked
    return f"{asked}\n\nSeveral results disagree on the field `{order.conflict}`. Judge this one."


def _held_to(verdict: Verdict, outcome: TaskOutcome) -> Verdict:
    weights, least = outcome.parsed().weights, outcome.least
    return replace(
        verdict,
        satisfied=passes(outcome.tier, verdict.scores, weights, threshold=least),
        tier=outcome.tier,
        threshold=least,
        margin=margin(outcome.tier, verdict.scores, weights, threshold=least),
    )


def refuse_ungraded_stakes(plan: Plan) -> None:
    """Refuse a plan that wants conflicts graded and does not say by which rubric.

    Raises:
        Malformed: as said; names the task.
    """
    for task in plan.tasks:
        if task.merge is None or task.outcome is not None or plan.outcome is not None:
            continue
        stake = parse_merge(task.merge).stake
        if stake is not None and task.stake >= stake:
            raise Malformed(
                f"plan: task {task.id!r} has a stake of {task.stake:g}; from {stake:g} on a grader settles"
                " what conflicts, and nothing says by which rubric: give the task or the plan an `outcome`",
                field=task.id,
            )
