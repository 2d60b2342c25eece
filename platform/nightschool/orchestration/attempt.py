"""One thing under way in a plan, an attempt at a task or a question to the orchestrator, carried out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import anyio
import jsonschema

from nightschool.core.clock import Clock
from nightschool.core.errors import STOPPING, NightschoolError, TaskBlocked, TaskTimeout
from nightschool.orchestration.escalation import Decide, Decision, Escalation, by_rule
from nightschool.orchestration.merge_schema import Claim, merge_results, parse_merge
from nightschool.orchestration.slots import Done, Grade, Join, Order, Worker
from nightschool.outcomes.grader import Verdict

__all__ = ["Attempt", "Ended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What came of something that was under way: exactly one of value, error and decision."""

    order: Order
    done: Done | None = None
    verdict: Verdict | None = None
    error: NightschoolError | None = None
    escalation: Escalation | None = None
    decision: Decision | None = None
    seconds: float = 0.0


async def _decided(decide: Decide, escalation: Escalation) -> Decision:
    """Ask the orchestrator; one that cannot be asked does not stop the plan, the plain rule decides."""
    try:
        return await decide(escalation)
    except STOPPING:
        raise
    except NightschoolError as error:
        ruled = by_rule(escalation)
        return replace(ruled, note=f"{ruled.note} (the orchestrator could not be asked: {error.message})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What is to be carried out."""

    order: Order
    given: Mapping[str, Mapping[str, Any]] | None = None
    """For a task done by code: the results to be joined."""
    escalation: Escalation | None = None
    """For a question to the orchestrator."""

    async def carry_out(
        self, worker: Worker, grade: Grade | None, decide: Decide, clock: Clock, *, join: Join | None = None
    ) -> Ended:
        """Do it and return what came of it; only what stops the whole plan is raised."""
        if self.escalation is not None:
            decision = await _decided(decide, self.escalation)
            return Ended(order=self.order, escalation=self.escalation, decision=decision)
        began = clock.monotonic()
        try:
            done = await self._done(worker, grade, join)
            verdict = await self._judged(done, grade)
        except TimeoutError:
            limit = self.order.max_seconds
            error: NightschoolError = TaskTimeout(f"task {self.order.task.id} took longer than {limit:g} s")
        except STOPPING:
            raise
        except NightschoolError as caught:
            error = caught
        else:
            took = clock.monotonic() - began if done.seconds is None else done.seconds
            return Ended(order=self.order, done=done, verdict=verdict, seconds=took)
        took = float(error.details.get("seconds", clock.monotonic() - began))
        return Ended(order=self.order, error=error, seconds=took)

    async def _done(self, worker: Worker, grade: Grade | None, join: Join | None) -> Done:
        if self.order.task.merge is not None and self.given is not None:
            if self.order.task.depends_on and not self.given:
                raise TaskBlocked(f"task {self.order.task.id} has nothing to join: all it waits for failed")
            if join is not None:
                return Done(value=await join(self.order, self.given))
            return Done(value=await self._merged(self.order.task.merge, self.given, grade))
        with anyio.move_on_after(self.order.max_seconds):
            return await worker(self.order)
        raise TimeoutError

    async def _merged(
        self, schema: Mapping[str, Any], given: Mapping[str, Mapping[str, Any]], grade: Grade | None
    ) -> Mapping[str, Any]:
        parsed = parse_merge(schema, name=f"task {self.order.task.id}, merge")
        high = parsed.stake is not None and self.order.task.stake >= parsed.stake

        async def by_grade(place: str, claims: Sequence[Claim]) -> int | None:
            """Let the outcome loop's grader judge the results that the claims come from."""
            if grade is None:
                return None
            order = replace(self.order, conflict=place)
            verdicts = [await grade(order, given[claim.source]) for claim in claims]
            if not any(verdict and verdict.scores for verdict in verdicts):
                return None  # nobody could say
            means = [sum(v.scores.values()) / len(v.scores) if v and v.scores else 0.0 for v in verdicts]
            return max(range(len(claims)), key=lambda number: (means[number], -number))

        return await merge_results(parsed, given, by_grade if high else None)

    async def _judged(self, done: Done, grade: Grade | None) -> Verdict | None:
        schema = self.order.task.returns
        if schema is not None:
            validator = jsonschema.Draft202012Validator(dict(schema))
            wrong = tuple(
                f"{'.'.join(map(str, error.absolute_path)) or 'result'}: {error.message}"
                for error in validator.iter_errors(dict(done.value))
            )
            if wrong:
                return Verdict(scores={"format": 0.0}, satisfied=False, feedback=wrong)
        return None if grade is None else await grade(self.order, done.value)
