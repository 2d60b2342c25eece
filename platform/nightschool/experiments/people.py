"""Results that people have labelled, as members of the calibration set.

The task is put together again from the suite: the playbook and the document as they were drawn. A result of
a suite that has changed since cannot be, and is counted instead. Labels of simulated results are not read:
they would say nothing about any grader. Knows nothing about graders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from nightschool.bootstrap import Workspace
from nightschool.core.errors import NightschoolError
from nightschool.events.experiment import TrialCompleted
from nightschool.experiments.design import Manifest
from nightschool.experiments.labelled import LabelledAnswer
from nightschool.experiments.labelling import Judged, read_judged
from nightschool.experiments.lookup import read_ledger
from nightschool.experiments.suite import Suite, load_suite
from nightschool.outcomes.findings import as_shown
from nightschool.outcomes.labels import Agreed
from nightschool.outcomes.rubric_parts import Rubric
from nightschool.outcomes.tiers import Tier, passes, weighted_mean

__all__ = ["REVIEWED", "PeoplesLabels", "read_peoples_labels"]

REVIEWED: Final = "labelled by people"
"""The kind of an answer whose label people gave."""

_SIMULATED: Final = "simulated"
_OF_ONE_ANSWER: Final = frozenset({"accuracy", "completeness", "format"})
"""What a grader can judge from one answer; the others need its repeats or its price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeoplesLabels:
    """Everything people have said of results here."""

    answers: tuple[LabelledAnswer, ...]
    """Those that a grader can be given."""
    verdicts: tuple[tuple[bool, float, Agreed], ...]
    """Of each labelled result whether it passes its experiment's tier, its score, and what people say."""
    left_out: int
    """Labelled results that no grader can be given: disputed, or of a suite without rubric, or changed."""


async def read_peoples_labels(workspace: Workspace) -> PeoplesLabels:
    """Return the labels in a data folder, over all its experiments."""
    answers: list[LabelledAnswer] = []
    verdicts: list[tuple[bool, float, Agreed]] = []
    for experiment_id in sorted(await workspace.log.list_sessions(prefix="exp_")):
        ledger = await read_ledger(workspace, experiment_id)
        labelled = [
            (judged, result)
            for judged, result in await read_judged(workspace.log, ledger)
            if judged.said is not None and result.brain != _SIMULATED
        ]
        if not labelled:
            continue
        manifest = ledger.manifest
        suite = _unchanged_suite(manifest, workspace.settings.suite_dirs)
        for judged, result in labelled:
            verdicts += _verdict(judged, manifest)
            answers += _answer(judged, result, manifest, suite)
    return PeoplesLabels(
        answers=tuple(answers), verdicts=tuple(verdicts), left_out=len(verdicts) - len(answers)
    )


def _unchanged_suite(manifest: Manifest, folders: Sequence[Path]) -> Suite | None:
    try:
        suite = load_suite(manifest.suite, folders)
    except NightschoolError:  # gone or broken: its results stay, but no grader can be shown their task
        return None
    return suite if suite.content_hash == manifest.suite_hash else None


def _verdict(judged: Judged, manifest: Manifest) -> list[tuple[bool, float, Agreed]]:
    if judged.said is None:
        return []
    passed = passes(Tier(manifest.tier), judged.scores, manifest.weights)
    return [(passed, weighted_mean(judged.scores, manifest.weights), judged.said)]


def _answer(
    judged: Judged, result: TrialCompleted, manifest: Manifest, suite: Suite | None
) -> list[LabelledAnswer]:
    said = judged.said
    rubric = None if suite is None else _of_one_answer(suite.rubric)
    if suite is None or rubric is None or said is None or said.acceptable is None:
        return []
    drawn = suite.module.draw(judged.sample_id, judged.epoch, manifest.seed)
    answer = LabelledAnswer(
        id=judged.trial_id,
        case=f"{manifest.suite}/{judged.sample_id}/{judged.epoch}",
        kind=REVIEWED,
        task=f"{suite.module.playbook_text()}\n\n{drawn.document}",
        text=as_shown(result.answer),
        label=said.score,
        acceptable=said.acceptable,
        rubric=rubric,
        labelled_by=said.people,
    )
    return [answer]


def _of_one_answer(rubric: Rubric | None) -> Rubric | None:
    """Return the part of a rubric that can be judged from one answer; None where nothing of it can."""
    if rubric is None:
        return None
    kept = tuple(each for each in rubric.dimensions if each.name in _OF_ONE_ANSWER)
    return replace(rubric, dimensions=kept) if any(each.weight for each in kept) else None
