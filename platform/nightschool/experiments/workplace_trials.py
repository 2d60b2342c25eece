"""What trials have in common whose agents work at an arm's workplace, whatever they are asked to do there.

Knows nothing about documents, tasks or grades.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from anyio import to_thread

from nightschool.experiments.design import TrialSpec
from nightschool.experiments.remembering import Remembered
from nightschool.experiments.runner import ArmResult
from nightschool.harness.model import Model
from nightschool.orchestration.review import Review, Setup, Workplace
from nightschool.orchestration.routes import consumption_of

__all__ = ["WorkplaceTrials", "close_models", "metadata_of"]


def metadata_of(trial: TrialSpec) -> dict[str, str]:
    """Return what the sessions of a trial say of themselves."""
    return {
        "experiment_id": trial.experiment_id,
        "trial_id": trial.trial_id,
        "arm": trial.arm,
        "sample_id": trial.sample_id,
        "epoch": str(trial.epoch),
        "source": "run",
    }


async def close_models(models: Iterable[Model]) -> None:
    """Close the connections to brains, each once: arms may share one."""
    for model in {id(model): model for model in models}.values():
        await model.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkplaceTrials:
    """Where an experiment's agents work, how, and what they remember. Left, it closes their brains."""

    workplaces: Mapping[str, Workplace]
    """Arm to where its agents work: a brain with the arm's context limit."""
    setups: Mapping[str, Setup]
    """Arm to how its work is routed."""
    memories: Mapping[str, Remembered] = field(default_factory=dict)
    """Arm to what its agents are given memories from, where it has any."""

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connections to the brains."""
        await close_models(place.model for place in self.workplaces.values())

    async def remembering(self, arm: str, review: Review) -> Review:
        """Return the work with what an arm's agents remember of such, where they remember anything."""
        if arm not in self.memories:
            return review
        return await to_thread.run_sync(self.memories[arm].given_to, review)

    async def result_of(self, review: Review, place: Workplace, answer: Mapping[str, Any]) -> ArmResult:
        """Return an answer with what it took, read off the sessions of the work."""
        used = await consumption_of(review, place.log)
        return ArmResult(
            answer=dict(answer),
            usage=used.usage,
            tool_calls=used.tool_calls,
            model_calls=used.model_calls,
            root_session_id=review.root_session_id,
        )
