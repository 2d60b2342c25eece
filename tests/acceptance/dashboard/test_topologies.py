"""The Topologies page: what arrangements of agents cost and bring, and how many agents are worth having."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.dashboard.conftest import Show, texts, told_errors
from tests.acceptance.dashboard.written_folder import Plan, write_experiment

WITHOUT_SINGLE = Plan(experiment_id="exp_pair", arms=("subagents", "orchestrated"), coordinated=True)


@pytest.fixture(scope="session")
def coordinated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coordinated")
    write_experiment(folder, Plan(experiment_id="exp_drawn", brain="simulated", coordinated=True))
    write_experiment(folder, WITHOUT_SINGLE)
    write_experiment(folder)
    return folder


def test_arms_amplification_and_widths_are_drawn(show: Show, coordinated: Path) -> None:
    app = show("topologies", coordinated, experiment="exp_drawn")

    assert ["Topologies", "Error amplification", "How many agents at once"] == [
        heading.value for heading in app.subheader
    ]
    assert 5 == len(app.get("plotly_chart"))
    assert [] == told_errors(app)
    drawn = texts(app)
    for head in ("Overhead", "Redundancy", "Message density", "Critical path", "Work / span", "Idle share"):
        assert head in drawn
    assert "4 agents" in drawn


def test_drawn_results_are_marked_and_the_replay_is_named_as_one(show: Show, coordinated: Path) -> None:
    drawn = " ".join(text.value for text in show("topologies", coordinated, experiment="exp_drawn").markdown)
    worked = " ".join(text.value for text in show("topologies", coordinated, experiment="exp_pair").markdown)

    assert "recorded durations, here simulated ones" in drawn
    assert "simulated" not in worked
    assert "What it costs to join the results of more agents is left out" in drawn
    assert "What it costs to join the results of more agents is left out" in worked


def test_without_an_arm_of_one_agent_nothing_is_amplified(show: Show, coordinated: Path) -> None:
    app = show("topologies", coordinated, experiment="exp_pair")

    assert 4 == len(app.get("plotly_chart"))
    assert any("where an arm `single` ran" in caption.value for caption in app.caption)


def test_a_measure_is_chosen_to_stand_beside_accuracy(show: Show, coordinated: Path) -> None:
    app = show("topologies", coordinated, experiment="exp_drawn")
    app.selectbox(key="measure").set_value("idle").run()

    assert [] == [error.message for error in app.exception]
    assert "**Idle share**" in [text.value for text in app.markdown]


def test_an_experiment_without_such_measures_gives_way_and_says_so(show: Show, coordinated: Path) -> None:
    app = show("topologies", coordinated, experiment="exp_demo")

    assert "nothing that this page shows" in texts(app)
    assert {"exp_drawn", "exp_pair"} >= {app.selectbox(key="choice_experiment").value}


def test_an_experiment_under_way_has_no_means_yet(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(unfinished=40, coordinated=True))
    app = show("topologies")

    assert 0 == len(app.get("plotly_chart"))
    assert "How the trials of each arm add up" in texts(app)


def test_without_such_an_experiment_it_says_what_to_run(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path)

    assert ["nightschool run evals/orchestration"] == [code.value for code in show("topologies").code]
