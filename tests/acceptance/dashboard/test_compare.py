"""The Compare page over a folder that a run wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from nightschool.core.clock import SystemClock
from nightschool.experiments.ledger import fold
from nightschool.experiments.measures import from_ledger
from nightschool.experiments.report import Report, build_report
from nightschool.journal.journal import Journal
from tests.acceptance.dashboard.conftest import Show, texts
from tests.acceptance.dashboard.written_folder import Plan, write_experiment

APP = Path(__file__).parents[3] / "app.py"


def report_of(folder: Path, experiment_id: str) -> Report:
    """Return the report as the command line would make it, from the experiment's own log."""
    journal = Journal.open(folder / "journal.sqlite", clock=SystemClock(), read_only=True)
    try:
        ledger = fold(entry.event for entry in journal.read(experiment_id))
    finally:
        journal.close()
    return build_report(experiment_id, ledger.manifest, from_ledger(ledger))


def test_a_folder_without_anything_says_what_to_run(show: Show) -> None:
    app = show("compare")

    assert ["make demo", "nightschool import tau-bench FILE"] == [code.value for code in app.code]


def test_the_app_opens_on_the_latest_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIGHTSCHOOL_DATA", str(tmp_path))
    write_experiment(tmp_path)

    app = AppTest.from_file(str(APP), default_timeout=40).run()

    assert not app.exception
    assert "Latest results" in [heading.value for heading in app.subheader]


def test_the_table_shows_the_numbers_of_the_report(show: Show, demo: Path) -> None:
    found = report_of(demo, "exp_demo")

    html = texts(show("compare", demo))

    for arm in found.arms:
        recall = arm.metrics["recall"]
        assert recall.mean is not None
        assert recall.interval is not None
        assert f"{recall.mean:.2f}<small>[{recall.interval.low:.2f}, {recall.interval.high:.2f}]" in html


def test_the_verdict_is_said_for_each_arm_against_the_baseline(show: Show, demo: Path) -> None:
    html = texts(show("compare", demo))

    for contrast in report_of(demo, "exp_demo").confirmatory:
        assert contrast.comparison is not None
        assert contrast.comparison.difference is not None
        assert f"Recall {contrast.comparison.difference:+.3f}".replace("-", "−") in html
    assert "orchestrated is better than single" in html


def test_each_metric_can_be_looked_at(show: Show, demo: Path) -> None:
    app = show("compare", demo)

    for name in app.selectbox(key="metric").options:
        app.selectbox(key="metric").select(name).run()

        assert not app.exception


def test_real_results_are_not_called_simulated(show: Show, demo: Path) -> None:
    app = show("compare", demo)

    assert not any("simulated" in text.value for text in app.markdown)


def test_simulated_results_are_marked(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(brain="simulated"))

    app = show("compare")

    assert any("simulated" in text.value for text in app.markdown)


def test_an_experiment_under_way_shows_how_far_it_is_and_no_mean(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(unfinished=20))

    app = show("compare")

    assert ["28 of 48 trials recorded, 0 errored"] == [bar.proto.text for bar in app.get("progress")]
    assert "An arm's means are given when every expected trial of it has ended." in [
        caption.value for caption in app.caption
    ]
    assert "Metric by metric" not in [heading.value for heading in app.subheader]


def test_a_run_that_has_gone_quiet_is_told_how_to_go_on(show: Show, tmp_path: Path) -> None:
    """The folder's trials were recorded at a time long past."""
    write_experiment(tmp_path, Plan(unfinished=20))

    assert "nightschool run --resume exp_demo" in texts(show("compare"))


def test_an_errored_trial_is_shown_and_never_counted_as_zero(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(failing=(3,)))
    found = report_of(tmp_path, "exp_demo")
    (hit,) = [arm for arm in found.arms if arm.counts.errored]
    recall = hit.metrics["recall"].mean

    html = texts(show("compare"))

    assert "15 / 16<small>1 errored</small>" in html
    assert recall is not None
    assert f"{recall:.2f}<small>" in html


def test_the_newest_experiment_is_shown_unless_the_url_names_another(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(experiment_id="exp_one"))
    write_experiment(tmp_path, Plan(experiment_id="exp_two"))

    assert "exp_two" == show("compare").selectbox(key="choice_experiment").value
    assert "exp_one" == show("compare", experiment="exp_one").selectbox(key="choice_experiment").value


def test_an_unknown_experiment_in_the_url_is_said(show: Show, demo: Path) -> None:
    app = show("compare", demo, experiment="exp_nowhere")

    assert "There is no experiment exp_nowhere in this data folder." in texts(app)
    assert "exp_demo" == app.selectbox(key="choice_experiment").value


def test_results_recorded_since_are_seen_at_the_next_look(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(experiment_id="exp_one"))
    app = show("compare")

    write_experiment(tmp_path, Plan(experiment_id="exp_two"))
    app.run()

    assert 2 == len(app.selectbox(key="choice_experiment").options)


def test_a_damaged_journal_is_said_in_words(show: Show, tmp_path: Path) -> None:
    (tmp_path / "journal.sqlite").write_bytes(b"no database " * 500)

    assert "is-error" in texts(show("compare"))


def test_two_arms_are_set_side_by_side_on_a_document(show: Show, demo: Path) -> None:
    app = show("compare", demo, experiment="exp_demo", document="contract-03")

    assert "Side by side" in [heading.value for heading in app.subheader]
    html = texts(app)
    assert "Trials of the document under both arms" in html
    assert 4 == html.count("runs?experiment=exp_demo&amp;trial=")


def test_without_a_chosen_document_nothing_is_set_side_by_side(show: Show, demo: Path) -> None:
    assert "Side by side" not in [heading.value for heading in show("compare", demo).subheader]
