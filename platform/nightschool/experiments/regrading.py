"""Scoring recorded answers anew, without asking anybody again.

    reuse     nothing that decides the score has changed: it is kept
    regrade   the suite scores otherwise, of the same document: the recorded answer is scored again
    rerun     the document or the arm is another now: only a new trial can tell

Pure. The result is another experiment, since a changed suite is another suite: what was recorded stays as it
is, and both can be compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from nightschool.core.ids import derived_id
from nightschool.core.usage import Usage
from nightschool.events.experiment import TrialCompleted
from nightschool.experiments.design import Manifest
from nightschool.experiments.scoring import grade
from nightschool.experiments.suite import Drawn, Suite, blaming

__all__ = ["Action", "Step", "decide_all", "document_digest", "regraded", "regraded_manifest"]


class Action(StrEnum):
    """What a recorded trial needs."""

    REUSE = "reuse"
    REGRADE = "regrade"
    RERUN = "rerun"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One recorded trial and what it needs."""

    result: TrialCompleted
    action: Action
    reason: str


def document_digest(drawn: Drawn) -> str:
    """Return the hash of the document that an arm meets."""
    return hashlib.sha256(drawn.document.encode()).hexdigest()


def decide_all(
    manifest: Manifest, results: Iterable[TrialCompleted], suite: Suite, arm_hashes: Mapping[str, str]
) -> list[Step]:
    """Say for every recorded trial what it needs now, from the digests of what it was made of."""
    return [_decide(manifest, result, suite, arm_hashes) for result in results]


def regraded_manifest(
    manifest: Manifest, suite: Suite, arm_hashes: Mapping[str, str], *, source: str, now: Any
) -> Manifest:
    """Return the declaration of the experiment that the regraded trials belong to."""
    return Manifest.model_validate(
        manifest.model_dump()
        | {
            "suite_hash": suite.content_hash,
            "arm_hashes": {arm: arm_hashes.get(arm, digest) for arm, digest in manifest.arm_hashes.items()},
            "weights": dict(suite.weights),
            "primary_metric": suite.primary_metric,
            "lower_is_better": suite.lower_is_better,
            "grader_sd": dict(suite.grader_sd),
            "regraded_from": source,
            "declared_at": now,
        }
    )


def regraded(step: Step, suite: Suite, manifest: Manifest, experiment_id: str) -> TrialCompleted:
    """Return the trial's result in the new experiment: scored again where it must be, else as it was."""
    result = step.result
    trial_id = derived_id("trial", experiment_id, result.arm, result.sample_id, result.epoch)
    changes: dict[str, Any] = {
        "id": derived_id("event", trial_id, "trial.completed"),
        "experiment_id": experiment_id,
        "trial_id": trial_id,
    }
    if step.action is Action.REGRADE:
        with blaming(suite):
            drawn = suite.module.draw(result.sample_id, result.epoch, manifest.seed)
        found = grade(
            suite,
            drawn,
            result.answer,
            usage=Usage(**result.usage),
            tool_calls=result.tool_calls,
            seconds=result.duration_seconds if result.attempt == 1 else None,
        )
        changes |= {"scores": found.scores, "metrics": found.metrics, "tiers": found.tiers}
    return result.model_copy(update=changes)


def _decide(manifest: Manifest, result: TrialCompleted, suite: Suite, arm_hashes: Mapping[str, str]) -> Step:
    def needs(action: Action, reason: str) -> Step:
        return Step(result=result, action=action, reason=reason)

    if arm_hashes.get(result.arm) != manifest.arm_hashes[result.arm]:
        return needs(Action.RERUN, f"the definition of arm `{result.arm}` changed")
    if suite.content_hash == manifest.suite_hash:
        return needs(Action.REUSE, "nothing changed")
    changed = _changed(manifest, result, suite)
    if changed is not None:
        return needs(Action.RERUN, changed)
    return needs(Action.REGRADE, "the suite changed, document and question did not")


def _changed(manifest: Manifest, result: TrialCompleted, suite: Suite) -> str | None:
    """Say why a recorded answer is none to what is asked now; None where it still is."""
    if "document" not in result.digests:
        return "the document's digest was not recorded"
    if result.sample_id not in {sample.id for sample in suite.module.samples(suite.config)}:
        return f"the suite has no sample `{result.sample_id}` any more"
    with blaming(suite):
        drawn = suite.module.draw(result.sample_id, result.epoch, manifest.seed)
        playbook = hashlib.sha256(suite.module.playbook_text().encode()).hexdigest()
    if document_digest(drawn) != result.digests["document"]:
        return "the document is another now"
    return None if result.digests.get("playbook") == playbook else "what agents are asked is another now"
