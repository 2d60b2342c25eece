"""The Outcomes page: scores, tiers, how sure the verdicts are, the graders, and a person's word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from nightschool.bootstrap import open_workspace
from nightschool.core.ids import derived_id
from nightschool.events.experiment import FeedbackRecorded
from nightschool.experiments.calibrations import keep_calibration
from nightschool.experiments.labelling import labels_of
from nightschool.outcomes.calibration import Graded
from nightschool.settings import Settings
from tests.acceptance.dashboard.conftest import Show, texts, told_errors
from tests.acceptance.dashboard.written_folder import Plan, write_experiment, write_tau_session

TRIAL = derived_id("trial", "exp_demo", "single", "contract-03", 0)
SESSION = derived_id("session", TRIAL, "root")


def calibrate(folder: Path, *, simulated: bool = True) -> None:
    right = Graded(
        task="a",
        answer="a/right",
        kind="right",
        acceptable=True,
        adversarial=False,
        length=10,
        label=0.85,
        scores=(0.85, 0.89),
    )
    vague = replace(right, answer="a/vague", kind="vague", acceptable=False, adversarial=True, label=0.3)

    async def keep() -> None:
        with open_workspace(Settings(data_dir=folder)) as workspace:
            await keep_calibration(
                workspace.log, [right, vague], grader="eager", simulated=simulated, threshold=0.75
            )

    anyio.run(keep)


def labels(folder: Path) -> list[tuple[str, float | None, str, str]]:
    async def read() -> list[tuple[str, float | None, str, str]]:
        with open_workspace(Settings(data_dir=folder), read_only=True) as workspace:
            said = await workspace.log.get_events(SESSION)
            assert all(event.processed_at for event in said if isinstance(event, FeedbackRecorded))
            return [(each.decision, each.score, each.note, each.given_by) for each in labels_of(said)]

    return anyio.run(read)


def test_dimensions_tiers_and_margins_are_drawn(show: Show, demo: Path) -> None:
    app = show("outcomes", demo)

    assert ["Dimensions", "Tiers", "How sure the verdicts are", "Review queue", "Graders"] == [
        heading.value for heading in app.subheader
    ]
    assert 5 == len(app.get("plotly_chart"))
    assert "Dimension scores by arm" in texts(app)
    assert 48 == len(app.dataframe[0].value)
    assert [] == told_errors(app)


def test_the_verdicts_can_be_read_as_another_grader_would_give_them(show: Show, demo: Path) -> None:
    app = show("outcomes", demo)
    sure = app.dataframe[0].value

    app.number_input(key="grader_sd").set_value(0.05).run()
    unsure = app.dataframe[0].value

    assert {"pass", "fail"} == set(sure["verdict"])
    assert 0 == sure["flips"].max()
    assert "inside the noise band" in set(unsure["verdict"])
    assert unsure["flips"].is_monotonic_decreasing


def test_a_person_judges_a_result_and_it_is_in_the_log(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path)
    app = show("outcomes", trial=TRIAL)
    app.button_group(key="decision").set_value("reject")
    app.number_input(key="deserved").set_value(0.4)
    app.text_area(key="note").set_value("the cap is wrong")
    app.text_input(key="reviewer").set_value("ann")
    next(button for button in app.button if button.label == "Record").click().run()

    assert [] == [error.message for error in app.exception]
    assert [("reject", 0.4, "the cap is wrong", "ann")] == labels(tmp_path)
    assert "rejected by ann" in set(app.dataframe[0].value["labelled"])
    assert "Recorded verdicts against people" in texts(app)
    assert "ann said reject, score 0.40" in texts(app)
    assert "1 of 48 results labelled" in " ".join(caption.value for caption in app.caption)


@pytest.mark.parametrize(
    ("decision", "name", "complaint"), [(None, "ann", "accept or reject"), ("accept", " ", "name the person")]
)
def test_a_label_without_decision_or_name_is_not_recorded(
    show: Show, tmp_path: Path, decision: str | None, name: str, complaint: str
) -> None:
    write_experiment(tmp_path)
    app = show("outcomes", trial=TRIAL)
    app.button_group(key="decision").set_value(decision)
    app.text_input(key="reviewer").set_value(name)
    next(button for button in app.button if button.label == "Record").click().run()

    assert complaint in texts(app)
    assert [] == labels(tmp_path)


def test_a_calibration_is_shown_and_a_simulated_one_is_marked(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path)
    calibrate(tmp_path)
    app = show("outcomes")

    assert any("simulated" in text.value for text in app.markdown)
    assert "What is known of the grader" in texts(app)
    assert "100 %" in texts(app)


def test_where_no_grader_was_tested_it_says_how(show: Show, demo: Path) -> None:
    assert "nightschool grader report --brain MODEL" in [code.value for code in show("outcomes", demo).code]


def test_a_running_experiment_shows_what_is_graded(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(unfinished=40))

    assert 8 == len(show("outcomes").dataframe[0].value)


def test_without_experiments_it_says_what_to_run(show: Show, tmp_path: Path) -> None:
    write_tau_session(tmp_path)

    assert ["make demo"] == [code.value for code in show("outcomes").code]
