"""Trials of making something: the drawn document is the task, what the agent hands in is the answer.

    max_iterations: 1      the first draft stands
    self_checks: 2         the author is asked to look at its own work again, so often, told nothing
    max_iterations: 3      each draft is graded and sent back with what is wrong, until `loop_tier` is reached

The grader inside a trial sees the task and the draft; the truth of the draw stays with the suite. What code
can check of a draft without the truth, a suite says (`check`); for the rest a model is asked (`graders`).
With the brain `simulated`, author and grader are drawn as the suite declares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from nightschool.core.clock import Clock
from nightschool.core.errors import InvalidInput
from nightschool.core.ids import derived_id
from nightschool.events.base import EventBase, TextBlock
from nightschool.events.user import UserMessage
from nightschool.experiments.design import TrialSpec
from nightschool.experiments.hand_in_grading import SimulatedGrader, by_suite, shown
from nightschool.experiments.runner import ArmResult
from nightschool.experiments.suite import Drawn, Suite
from nightschool.experiments.workplace_trials import WorkplaceTrials, metadata_of
from nightschool.harness import record
from nightschool.harness.progress import accepted_input
from nightschool.models.connect import mount
from nightschool.models.simulated_author import Craft, SimulatedAuthor
from nightschool.orchestration.assignment import Assignment, open_session
from nightschool.orchestration.grading import grading_by
from nightschool.orchestration.review import Review, Workplace
from nightschool.outcomes.revision import CLOSING, FEEDBACK_HEADING, OutcomeLoop
from nightschool.sandbox.documents import Document, Section
from nightschool.sandbox.submission import HandIn

__all__ = ["LOOK_AGAIN", "HandInTrials", "refuse_what_makes_nothing"]

LOOK_AGAIN: Final = "Look at your work again, with care, and hand in the best version you can make."
"""What an author is told that checks itself."""
_AUTHOR: Final = "author"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandInTrials(WorkplaceTrials):
    """Runs the trials of an experiment whose results are handed in; an instance is a `RunTrial`."""

    suite: Suite
    tool: HandIn
    clock: Clock

    async def __call__(self, trial: TrialSpec, drawn: Drawn) -> ArmResult:
        """Have the drawn task done and return what was handed in.

        Raises:
            InvalidInput: the brain makes nothing, or is simulated and the suite declares no simulation.
        """
        refuse_what_makes_nothing(self.suite, trial.brain)
        habits = self.suite.habits
        if trial.brain != "simulated" or habits is None:
            return await self._run(trial, drawn, self.workplaces[trial.arm], None)
        # Arms draw apart: as with any model, their first drafts of one task differ.
        seed = f"{trial.seed}|{trial.arm}|{trial.sample_id}|{trial.epoch}"
        craft: Craft = self.suite.craft
        brain = SimulatedAuthor(
            craft=craft,
            tool=self.tool.name,
            feedback_heading=FEEDBACK_HEADING,
            closing=CLOSING,
            habits=habits,
            seed=seed,
        )
        grader = SimulatedGrader(craft=craft, habits=habits, seed=seed)
        model = mount(brain, clock=self.clock)
        try:
            place = replace(self.workplaces[trial.arm], model=model)
            return await self._run(trial, drawn, place, grader)
        finally:
            await model.aclose()

    async def _run(
        self, trial: TrialSpec, drawn: Drawn, place: Workplace, grader: SimulatedGrader | None
    ) -> ArmResult:
        review = Review(
            id=trial.trial_id,
            document=_as_document(drawn.document, trial.sample_id),
            playbook=self.suite.module.playbook_text(),
            policies=(),
            model=trial.brain,
            setup=self.setups[trial.arm],
            rubric=self.suite.rubric,
            tier=self.setups[trial.arm].loop_tier,
            metadata=metadata_of(trial),
        )
        review = await self.remembering(trial.arm, review)
        return await self.result_of(review, place, await self._answer(review, place, drawn.document, grader))

    async def _answer(
        self, review: Review, place: Workplace, document: str, grader: SimulatedGrader | None
    ) -> Mapping[str, Any]:
        assignment = replace(
            review.assignment(_AUTHOR, prompt=document, title=review.document.title), tools=(self.tool,)
        )
        if review.setup.max_iterations == 1:
            return accepted_input(await _checked_by_itself(review, place, assignment), self.tool.name) or {}
        by_code = by_suite(self.suite, document, grader, tier=review.tier)
        if grader is not None:
            # What a model would be asked, the simulated grader has answered.
            review = replace(review, setup=replace(review.setup, graders=0))
        loop = OutcomeLoop(
            log=place.log,
            harness=review.harness(place),
            grade=grading_by(by_code, review, place, session_id=assignment.session_id, shown=shown),
            tool_name=self.tool.name,
            max_iterations=review.setup.max_iterations,
            tier=review.tier,
        )
        _, tools = await open_session(place.log, assignment)
        return await loop.run(assignment.session_id, tools)


def refuse_what_makes_nothing(suite: Suite, brain: str) -> None:
    """Refuse a brain that cannot do a suite's tasks.

    Raises:
        InvalidInput: it is the reader, or is simulated and the suite declares no simulation.
    """
    if brain == "reader":
        others = "--brain simulated, or a model" if suite.habits else "a model with --brain"
        raise InvalidInput(f"the reader reads and makes nothing, as suite `{suite.name}` asks; take {others}")
    if brain == "simulated" and suite.habits is None:
        raise InvalidInput(f"suite `{suite.name}` declares no `simulation`; take another --brain")


def _as_document(text: str, name: str) -> Document:
    """Return a task as a document of one section: it is told whole, whatever its form."""
    section = Section(number="1", title="Task", text=text)
    return Document(title=name, sections=(section,), by_number={"1": section})


async def _checked_by_itself(review: Review, place: Workplace, assignment: Assignment) -> Sequence[EventBase]:
    """Have the work done, and looked at again by its author as often as the arm says."""
    _, tools = await open_session(place.log, assignment)
    harness = review.harness(place)
    session_id = assignment.session_id
    events = await harness.run(session_id, tools)
    say = partial(derived_id, "event", session_id, "look again")
    for number in range(review.setup.self_checks):
        writer = await place.log.wake(session_id)
        # Its id is derived: a trial that is taken up again does not ask twice.
        words = (TextBlock(text=LOOK_AGAIN),)
        await writer.emit_event(record.event(writer, UserMessage, id=say(number), content=words))
        events = await harness.run(session_id, tools)
    return events
