"""The Runs page: trials, filters, one trial's agents and positions."""

from __future__ import annotations

from pathlib import Path

from nightschool.core.ids import derived_id
from tests.acceptance.dashboard.conftest import Show, texts
from tests.acceptance.dashboard.written_folder import Plan, write_experiment, write_tau_session


def trial_id(arm: str, sample: str = "contract-03", epoch: int = 0) -> str:
    return derived_id("trial", "exp_demo", arm, sample, epoch)


def test_every_trial_is_listed(show: Show, demo: Path) -> None:
    app = show("runs", demo)

    assert 48 == len(app.dataframe[0].value)
    assert "48 trials shown of 48 begun, 48 expected." in [caption.value for caption in app.caption]


def test_the_list_can_be_narrowed(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(failing=(0, 1, 2)))
    app = show("runs")

    app.button_group(key="arm").set_value(["single"]).run()
    assert {"single"} == set(app.dataframe[0].value["arm"])

    app.button_group(key="status").set_value(["errored"]).run()
    assert 1 == len(app.dataframe[0].value)


def test_the_address_keeps_what_the_list_was_narrowed_to(show: Show, demo: Path) -> None:
    app = show("runs", demo, arm="single", document="contract-03")

    assert {("single", "contract-03")} == set(
        zip(*[app.dataframe[0].value[c] for c in ("arm", "document")], strict=True)
    )


def test_a_document_can_be_chosen(show: Show, demo: Path) -> None:
    app = show("runs", demo)

    app.selectbox(key="document").select("contract-03").run()

    assert 6 == len(app.dataframe[0].value)


def test_a_trial_shows_its_agents_and_its_positions(show: Show, demo: Path) -> None:
    app = show("runs", demo, experiment="exp_demo", trial=trial_id("orchestrated"))

    assert "orchestrated · contract-03 · repeat 1" in [heading.value for heading in app.subheader]
    assert 2 == len(app.get("plotly_chart"))  # the agents at work, and the plan
    assert ["orchestrator", "task", "task", "task"] == list(app.dataframe[1].value["role"])
    html = texts(app)
    assert "below twelve months" in html
    assert html.index("P01") < html.index("P02")


def test_a_trial_without_result_says_why(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(arms=("single",), documents=4, repeats=1, failing=(0, 1, 2, 3)))

    app = show("runs", trial=trial_id("single"))

    assert "Ended without a result: the model&#x27;s server answered 529: overloaded" in texts(app)


def test_a_trial_of_another_experiment_is_not_shown(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path)
    write_experiment(tmp_path, Plan(experiment_id="exp_two"))

    app = show("runs", experiment="exp_two", trial=trial_id("single"))

    assert "Select a row to see the trial's agents at work." in [caption.value for caption in app.caption]


def test_simulated_trials_are_marked(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(brain="simulated"))

    assert any("simulated" in text.value for text in show("runs").markdown)


def test_without_experiments_it_says_what_to_run(show: Show, tmp_path: Path) -> None:
    write_tau_session(tmp_path)

    assert ["make demo"] == [code.value for code in show("runs").code]
