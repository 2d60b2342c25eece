"""A result that a person labelled is graded by a model as any other answer of known worth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nightschool.bootstrap import Workspace, open_workspace
from nightschool.core.clock import FrozenClock
from nightschool.core.ids import derived_id
from nightschool.events.experiment import ExperimentCreated, TrialCompleted
from nightschool.experiments.design import declare, manifest_hash
from nightschool.experiments.grader_report import by_examiner, grade_all
from nightschool.experiments.labelled import load_labelled
from nightschool.experiments.labelling import record_label
from nightschool.experiments.people import REVIEWED, PeoplesLabels, read_peoples_labels
from nightschool.experiments.suite import load_suite
from nightschool.outcomes.examiner import Examiner
from nightschool.outcomes.labels import Label
from nightschool.outcomes.tiers import judge
from nightschool.settings import Settings
from tests.integration.outcomes.graders import Grader, harness, said

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

EVALS = Path(__file__).resolve().parents[3] / "evals"
ANSWER = {
    "positions": [{"policy": "P01", "position": "missing", "section": None, "quote": None, "confidence": 0.6}]
}
SCORES = {"accuracy": 0.9, "completeness": 0.8, "format": 1.0}
LABEL = Label(decision="reject", score=0.4, given_by="ann")


async def labelled(workspace: Workspace, *, brain: str = "reader", suite_hash: str | None = None) -> None:
    """Record one result of a contract, and what a person says of it."""
    suite = load_suite("contracts", [EVALS])
    manifest = declare(
        {
            "suite": "contracts",
            "suite_hash": suite_hash or suite.content_hash,
            "arms": ["single"],
            "arm_hashes": {"single": "h"},
            "samples": ["p005-1"],
            "repeats": 1,
            "seed": 0,
            "brain": brain,
            "code_version": "0",
            "primary_metric": "accuracy",
            "weights": dict(suite.weights),
            "declared_at": workspace.clock.now(),
        }
    )
    created = ExperimentCreated(
        id="sevt_created",
        experiment_id="exp_1",
        manifest=manifest.model_dump(mode="json"),
        manifest_hash=manifest_hash(manifest),
    )
    ended = TrialCompleted(
        id="sevt_ended",
        experiment_id="exp_1",
        trial_id="trial_1",
        arm="single",
        sample_id="p005-1",
        epoch=0,
        session_id=derived_id("session", "one"),
        brain=brain,
        scores=SCORES,
        metrics={},
        tiers=judge(SCORES, suite.weights),
        usage={},
        tool_calls=0,
        model_calls=0,
        duration_seconds=1.0,
        answer=ANSWER,
        sample={"pages": 5},
    )
    await (await workspace.log.create("exp_1")).emit_event(created, ended)
    await workspace.log.create(derived_id("session", "one"))
    await record_label(workspace.log, derived_id("session", "one"), LABEL)


def settings(folder: Path) -> Settings:
    return Settings(data_dir=folder, suite_dirs=(EVALS,))


async def test_a_model_grades_it_by_the_suites_rubric_with_the_document_before_it(
    tmp_path: Path, clock: FrozenClock
) -> None:
    grader = Grader(scores=[0.5])
    with open_workspace(settings(tmp_path), clock=clock) as workspace:
        await labelled(workspace)
        people = await read_peoples_labels(workspace)
        examiner = Examiner(
            log=workspace.log,
            harness=harness(workspace.log, grader, clock),
            rubric=load_labelled([EVALS]).rubric,
            models=(grader.model_id,),
        )
        (graded,) = await grade_all(people.answers, by_examiner(examiner, grader.model_id), repeats=2)

    (answer,) = people.answers
    paper = said(grader.requests[0])
    assert (REVIEWED, False, 0.4, ("ann",)) == (
        graded.kind,
        graded.acceptable,
        graded.label,
        graded.labelled_by,
    )
    assert (0.5, 0.5) == graded.scores
    assert "P01: missing" in paper
    assert "completeness.1" in paper
    assert "efficiency.1" not in paper
    (verdict,) = people.verdicts
    assert (True, False) == (verdict[0], verdict[2].acceptable)
    assert "## P01 Liability cap" in answer.task
    assert load_suite("contracts", [EVALS]).module.draw("p005-1", 0, 0).document in answer.task


async def read(tmp_path: Path, clock: FrozenClock, **changes: str) -> PeoplesLabels:
    with open_workspace(settings(tmp_path), clock=clock) as workspace:
        await labelled(workspace, **changes)
        return await read_peoples_labels(workspace)


async def test_of_a_suite_that_changed_only_the_verdict_counts(tmp_path: Path, clock: FrozenClock) -> None:
    people = await read(tmp_path, clock, suite_hash="another")

    assert (1, 0, 1) == (len(people.verdicts), len(people.answers), people.left_out)


async def test_labels_of_simulated_results_are_not_read(tmp_path: Path, clock: FrozenClock) -> None:
    assert not (await read(tmp_path, clock, brain="simulated")).verdicts


async def test_the_last_word_of_a_person_counts(tmp_path: Path, clock: FrozenClock) -> None:
    with open_workspace(settings(tmp_path), clock=clock) as workspace:
        await labelled(workspace)
        await record_label(
            workspace.log, derived_id("session", "one"), replace(LABEL, decision="accept", score=None)
        )
        (answer,) = (await read_peoples_labels(workspace)).answers

    assert (True, None) == (answer.acceptable, answer.label)
