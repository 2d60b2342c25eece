"""Home, Live, Costs, SQL and Settings; and every page over an empty folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from nightschool.core.clock import FrozenClock, SystemClock
from nightschool.core.ids import derived_id
from nightschool.dashboard.navigation import PAGES
from nightschool.dashboard.source import open_source
from nightschool.journal.journal import Journal
from nightschool.journal.queue import Queue
from nightschool.settings import VARIABLES, read_settings
from tests.acceptance.dashboard.conftest import Show, texts, told_errors
from tests.acceptance.dashboard.written_folder import Plan, write_experiment, write_tau_session


@pytest.mark.parametrize("page", [entry.path for entry in PAGES])
def test_over_an_empty_folder_a_page_says_what_to_run(show: Show, page: str) -> None:
    assert "make demo" in [code.value for code in show(page).code]


@pytest.mark.parametrize("page", [entry.path for entry in PAGES])
def test_a_folder_with_only_a_transcript_is_no_error(show: Show, tmp_path: Path, page: str) -> None:
    write_tau_session(tmp_path)

    assert [] == told_errors(show(page))


def test_home_tells_the_latest_verdicts_and_what_was_stopped(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(experiment_id="exp_stopped", unfinished=20))
    write_experiment(tmp_path)

    app = show("home")

    assert "orchestrated is better than single" in texts(app)
    assert "stopped at 28 of 48 trials" in texts(app)
    assert "nightschool run --resume exp_stopped" in [code.value for code in app.code]


@pytest.mark.parametrize("page", ["home", "compare"])
def test_an_experiment_of_one_arm_has_nothing_to_compare_and_says_so(
    show: Show, tmp_path: Path, page: str
) -> None:
    write_experiment(tmp_path, Plan(arms=("single",)))

    app = show(page)

    assert "One arm alone: there is nothing to compare it with." in [each.value for each in app.caption]


def test_home_says_what_became_worse_since_the_experiment_before(show: Show, tmp_path: Path) -> None:
    clock = FrozenClock()
    write_experiment(tmp_path, Plan(experiment_id="exp_1"), clock=clock)
    clock.advance(3600)
    write_experiment(tmp_path, Plan(experiment_id="exp_2", slope={"single": -0.009}), clock=clock)

    html = texts(show("home"))

    assert "single regressed" in html
    assert "orchestrated: no change can be told" in html


def test_two_experiments_of_different_brains_are_not_set_against_each_other(
    show: Show, tmp_path: Path
) -> None:
    write_experiment(tmp_path, Plan(experiment_id="exp_1"))
    write_experiment(tmp_path, Plan(experiment_id="exp_2", brain="simulated"))

    assert "no change can be told" not in texts(show("home"))


def test_the_comparison_can_be_set_beside_an_older_experiment(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(experiment_id="exp_1"))
    write_experiment(tmp_path, Plan(experiment_id="exp_2", slope={"single": -0.009}))

    app = show("compare", experiment="exp_2", against="exp_1")

    assert "single regressed" in texts(app)
    assert 7 == len(app.get("plotly_chart"))


def test_live_shows_what_is_under_way_and_the_queues(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(unfinished=20))
    clock = SystemClock()
    journal = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    Queue(journal=journal, clock=clock, name="rerun").put("a", {}, priority=5)
    journal.close()

    app = show("live")

    assert "28 of 48 trials, 0 errored; last change" in app.get("progress")[0].proto.text
    assert "rerun" in texts(app)


def test_live_says_that_nothing_runs(show: Show, demo: Path) -> None:
    app = show("live", demo)

    assert "Nothing is running" in [heading.value for heading in app.subheader]


def test_costs_add_up_to_the_trials(show: Show, demo: Path) -> None:
    journal = Journal.open(demo / "journal.sqlite", clock=SystemClock(), read_only=True)
    spent = sum(float(getattr(entry.event, "cost_usd", None) or 0) for entry in journal.read("exp_demo"))
    journal.close()

    assert f"${spent:,.2f}" in texts(show("costs", demo))


def test_an_answer_is_a_table_and_can_be_drawn(show: Show, demo: Path) -> None:
    app = show("sql", demo, q="SELECT arm, count(*) AS trials FROM v1_trials GROUP BY arm ORDER BY arm")

    assert {"orchestrated": 16, "single": 16, "subagents": 16} == dict(
        zip(app.dataframe[0].value["arm"], app.dataframe[0].value["trials"], strict=True)
    )
    assert 1 == len(app.get("plotly_chart"))


@pytest.mark.parametrize(
    "question",
    [
        "DELETE FROM v1_events",
        "CREATE TABLE t AS SELECT 1",
        "ATTACH '/tmp/other.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "COPY (SELECT 1) TO '/tmp/out.csv'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        "SET enable_external_access = true",
        "PRAGMA database_list; DROP VIEW v1_events",
        "EXPLAIN ANALYZE INSERT INTO memory.tail.events SELECT * FROM memory.tail.events",
        "SELECT 1; SELECT 2",
        "no sql at all",
    ],
)
def test_a_question_that_would_do_harm_is_refused_in_words(show: Show, demo: Path, question: str) -> None:
    app = show("sql", demo, q=question)

    assert 1 == len(told_errors(app))
    assert 0 == len(app.dataframe)


def test_saved_questions_can_all_be_answered(show: Show, demo: Path) -> None:
    app = show("sql", demo)

    for name in app.selectbox(key="saved").options:
        app.selectbox(key="saved").select(name).run()
        assert not app.exception
        assert [] == told_errors(app)


def test_a_folders_own_questions_are_listed(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path)
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "mine.sql").write_text("SELECT 42 AS answer", encoding="utf-8")
    app = show("sql")

    app.selectbox(key="saved").select("mine").run()

    assert [42] == list(app.dataframe[0].value["answer"])


def test_settings_say_whether_the_folder_is_well_and_never_the_key(
    show: Show, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTSCHOOL_API_KEY", "a-secret-key")

    html = texts(show("settings", demo))

    assert "a-secret-key" not in html
    assert "ns-bad" not in html
    assert str(demo) in html


def test_settings_say_what_is_in_force_for_each_variable_that_is_no_stand_in(show: Show, demo: Path) -> None:
    html = texts(show("settings", demo))

    unsaid = [name for name in VARIABLES if re.search(rf">{name}</th><td[^>]*>–<", html)]
    assert ["ANTHROPIC_API_KEY"] == unsaid


def test_settings_say_what_the_dashboard_writes(
    show: Show, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "with `--answers`, words to agents that ask" in show("settings", demo).caption[-1].value
    write_tau_session(tmp_path)
    monkeypatch.setenv("NIGHTSCHOOL_ANSWERS", "on")
    assert "people's labels, and words to agents that ask" in show("settings").caption[-1].value


def test_cost_plots_say_what_they_rest_on(show: Show, demo: Path) -> None:
    captions = [each.value for each in show("costs", demo).caption]

    assert any("n = 16 (single), 16 (subagents), 16 (orchestrated) trials." in each for each in captions), (
        captions
    )
    assert any(each.startswith("n = 48 trials") for each in captions), captions


def test_a_trial_shows_its_plan_with_retries(show: Show, demo: Path) -> None:
    trial = derived_id("trial", "exp_demo", "orchestrated", "contract-03", 0)

    app = show("runs", demo, experiment="exp_demo", trial=trial)

    (caption,) = [each.value for each in app.caption if each.value.startswith("Critical path")]
    assert "2 tasks, 4.00 s measured. 1 task had to be tried again" in caption


def test_the_tasks_of_a_trial_are_those_of_the_view(demo: Path) -> None:
    source = open_source(read_settings(data=demo))
    assert source is not None
    trial = derived_id("trial", "exp_demo", "orchestrated", "contract-03", 0)

    asked = source.ask("plan_tasks", of=trial, most=100).drop("ended_at")
    view = source.reader.query(
        f"SELECT {', '.join(asked.columns)} FROM v1_tasks WHERE trial_id = $t", {"t": trial}
    )
    source.close()

    assert_frame_equal(view, asked, check_row_order=False)
    assert 3 == asked.height


def test_words_are_found_in_a_session_and_led_to(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(arms=("single",), documents=1, repeats=1, steps=120))
    wanted = derived_id("session", derived_id("trial", "exp_demo", "single", "contract-00", 0), "root")

    app = show("session", session=wanted, find="90.1 Fees")

    assert 1 == len(app.dataframe[0].value)
    assert "90.1 Fees" in app.dataframe[0].value["What"][0]


def test_an_address_leads_to_an_event_on_a_later_page(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(arms=("single",), documents=1, repeats=1, steps=120))
    wanted = derived_id("session", derived_id("trial", "exp_demo", "single", "contract-00", 0), "root")
    journal = Journal.open(tmp_path / "journal.sqlite", clock=SystemClock(), read_only=True)
    event = next(
        entry.event
        for entry in journal.read(wanted)
        if entry.seq > 300 and entry.event.type == "agent.tool_result"
    )
    journal.close()

    app = show("session", session=wanted, event=event.id)

    assert any("Events 201 to 400" in caption.value for caption in app.caption)
    assert 'class="is-marked' in texts(app)


def test_an_event_of_another_session_is_said(show: Show, tmp_path: Path) -> None:
    wanted = write_tau_session(tmp_path)

    assert "There is no event sevt_nowhere in this session." in texts(
        show("session", session=wanted, event="sevt_nowhere")
    )
