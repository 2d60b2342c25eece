from __future__ import annotations

import random
from pathlib import Path

import pytest

from nightschool.core.errors import InvalidInput, Malformed, NotFound
from nightschool.experiments.grader_report import calibrate_grader, calibration_json, planted
from nightschool.experiments.labelled import KINDS, LabelledAnswer, LabelledSet, load_labelled
from nightschool.outcomes.calibration import Graded, variance_parts
from nightschool.outcomes.noise import GraderNoise, disagreement, pass_probability
from nightschool.outcomes.tiers import DIMENSIONS, Tier

pytestmark = pytest.mark.anyio

EVALS = Path(__file__).resolve().parents[3] / "evals"


@pytest.fixture(scope="module")
def labelled() -> LabelledSet:
    return load_labelled([EVALS])


@pytest.mark.parametrize(
    ("sd", "share", "apart"), [(0.02, 0.71, 0.41), (0.05, 0.20, 0.32), (0.08, 0.11, 0.20)]
)
async def test_a_planted_scatter_is_found_and_gives_the_flip_rates_of_the_table(
    labelled: LabelledSet, sd: float, share: float, apart: float
) -> None:
    found = await calibrate_grader(labelled, planted(sd), repeats=5)
    measured = GraderNoise(sd=dict.fromkeys(DIMENSIONS, found.parts.grader_sd))
    chance = pass_probability(Tier.STRICT, dict.fromkeys(DIMENSIONS, 0.93), measured)

    assert pytest.approx(sd, rel=0.2) == found.parts.grader_sd
    assert pytest.approx(share, abs=0.06) == chance
    assert pytest.approx(apart, abs=0.05) == disagreement(chance)


async def test_a_grader_that_is_right_agrees_with_the_labels(labelled: LabelledSet) -> None:
    found = await calibrate_grader(labelled, planted(0.0), repeats=2)

    assert (1.0, 0.0) == (found.kappa, found.parts.grader)
    assert found.false_accepts is not None
    assert (0.0, 36) == (found.false_accepts.value, found.false_accepts.n)
    assert 0.0 == found.position_bias
    assert found.length_bias is None


async def test_a_grader_that_likes_length_and_praise_is_found_out(labelled: LabelledSet) -> None:
    fooled = planted(0.02, fooled_by=["over-long", "self-praising"])
    found = await calibrate_grader(labelled, fooled, repeats=3)

    assert found.false_accepts is not None
    assert pytest.approx(2 / 3) == found.false_accepts.value
    assert found.error_by_kind["over-long"].low > 0.5
    assert found.error_by_kind["right"].high < 0.1
    assert found.length_bias is not None
    assert found.length_bias > 0.3
    assert found.kappa is not None
    assert found.kappa < 0.6


async def test_a_grader_that_goes_by_order_is_found_out(labelled: LabelledSet) -> None:
    async def first_part_counts(answer: LabelledAnswer, _number: int) -> float:
        return 0.5 if answer.kind == "reordered" else answer.label or 0.0

    found = await calibrate_grader(labelled, first_part_counts, repeats=2)

    assert pytest.approx(0.35) == found.position_bias


async def test_scatter_cannot_be_seen_in_one_grading(labelled: LabelledSet) -> None:
    with pytest.raises(InvalidInput, match="graded once"):
        await calibrate_grader(labelled, planted(0.05), repeats=1)


async def test_what_programs_get_names_the_grader_and_says_if_it_is_simulated(labelled: LabelledSet) -> None:
    found = await calibrate_grader(labelled, planted(0.05), repeats=2)
    sent = calibration_json(found, grader="planted", simulated=True)

    assert ("nightschool.grader/1", "planted", True, 168) == (
        sent["schema"],
        sent["grader"],
        sent["simulated"],
        sent["gradings"],
    )
    assert found.parts.grader_sd == sent["sd"]
    assert {"task", "run", "grader"} == set(sent["variance"])


def test_variance_goes_where_it_was_planted() -> None:
    rng = random.Random(3)
    tasks = [rng.gauss(0.5, 0.10) for _ in range(150)]
    graded = [
        Graded(
            task=str(task),
            answer=f"{task}/{run}",
            kind="right",
            acceptable=True,
            adversarial=False,
            length=1,
            label=0.5,
            scores=tuple(answer + rng.gauss(0, 0.03) for _ in range(4)),
        )
        for task, level in enumerate(tasks)
        for run in range(4)
        for answer in [level + rng.gauss(0, 0.06)]
    ]
    parts = variance_parts(graded)

    assert pytest.approx(0.10, rel=0.2) == parts.task**0.5
    assert pytest.approx(0.06, rel=0.2) == parts.run**0.5
    assert pytest.approx(0.03, rel=0.2) == parts.grader_sd


def test_every_case_has_every_kind_and_a_padded_answer_is_longer(labelled: LabelledSet) -> None:
    texts = {answer.id: answer.text for answer in labelled.answers}
    cases = {answer.case for answer in labelled.answers}

    assert {f"{case}/{kind}" for case in cases for kind in KINDS} == set(texts)
    assert all(len(texts[f"{case}/over-long"]) > 2 * len(texts[f"{case}/wrong"]) for case in cases)
    assert all(texts[f"{case}/wrong"] in texts[f"{case}/over-long"] for case in cases)
    assert all(sorted(texts[f"{c}/right"]) == sorted(texts[f"{c}/reordered"]) for c in cases)


def test_a_set_without_a_label_for_every_kind_is_refused(tmp_path: Path) -> None:
    text = (EVALS / "outcomes" / "labelled.yaml").read_text(encoding="utf-8")
    (tmp_path / "outcomes").mkdir()
    (tmp_path / "outcomes" / "labelled.yaml").write_text(text.replace("vague: 0.35, ", ""), encoding="utf-8")

    with pytest.raises(Malformed, match=r"labels.*vague"):
        load_labelled([tmp_path])


def test_where_there_is_no_set_it_is_said_where_one_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"outcomes.labelled\.yaml"):
        load_labelled([tmp_path])
