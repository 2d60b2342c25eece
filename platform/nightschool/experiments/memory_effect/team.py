"""Runs one review with or without memories, and writes down how it ended. One agent, one context.

Knows nothing about arms or dreams.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nightschool.core.ids import derived_id
from nightschool.core.usage import Usage
from nightschool.events.experiment import FeedbackRecorded
from nightschool.experiments.remembering import given
from nightschool.experiments.suite import Suite
from nightschool.memory.recall import Recollection
from nightschool.orchestration.review import Review, Setup, Workplace
from nightschool.orchestration.routes import consumption_of, run_review
from nightschool.outcomes.playbook import policies_of
from nightschool.sandbox.documents import parse_document

__all__ = ["Played", "Team"]

SOURCE = "memory-effect"


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One review, done."""

    session_id: str
    sample_id: str
    passed: float
    used: Usage
    """What all its sessions consumed."""
    answer: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """Everything a review needs but the contract."""

    suite: Suite
    setup: Setup
    place: Workplace
    brain: str
    experiment_id: str
    seed: int

    async def review(
        self,
        sample_id: str,
        *parts: str,
        epoch: int = 0,
        memories: str = "",
        recalled: Recollection | None = None,
        tenant: str = "",
    ) -> Played:
        """Review one contract; doing it again finds what was done."""
        drawn = self.suite.module.draw(sample_id, epoch, self.seed)
        playbook = self.suite.module.playbook_text()
        review = Review(
            id=derived_id("trial", self.experiment_id, sample_id, epoch, *parts),
            document=parse_document(drawn.document, name=sample_id),
            playbook=playbook,
            policies=policies_of(playbook),
            model=self.brain,
            setup=self.setup,
            metadata={
                "source": SOURCE,
                "suite": self.suite.name,
                "task_type": f"{self.suite.name}/review",
                "tenant": tenant,
                "arm": parts[-1] if parts else "",
            },
            memories=memories,
        )
        if recalled is not None:
            review = given(review, recalled)
        answer = dict(await run_review(review, self.place))
        score = self.suite.module.score(drawn.gold, answer, drawn.document)
        used = (await consumption_of(review, self.place.log)).usage
        return Played(
            session_id=review.root_session_id,
            sample_id=sample_id,
            passed=score.accuracy,
            used=used,
            answer=answer,
        )

    async def comment(self, played: Played, comment: str) -> None:
        """Record what the operator says about a review: passed or not, and in one sentence why not."""
        writer = await self.place.log.create(played.session_id)
        await writer.emit_event(
            FeedbackRecorded(
                id=derived_id("event", played.session_id, "check"), source="true_check", value=played.passed
            ),
            FeedbackRecorded(
                id=derived_id("event", played.session_id, "comment"),
                source="user",
                value=played.passed,
                comment=comment or None,
            ),
        )
