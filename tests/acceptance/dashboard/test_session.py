"""The Session page: facts, trace, imported transcripts."""

from __future__ import annotations

from pathlib import Path

from nightschool.core.ids import derived_id
from tests.acceptance.dashboard.conftest import Show, texts
from tests.acceptance.dashboard.written_folder import Plan, write_experiment, write_tau_session


def session_id(arm: str, *, documents: str = "contract-00") -> str:
    return derived_id("session", derived_id("trial", "exp_demo", arm, documents, 0), "root")


def test_a_session_shows_its_facts_and_its_trace(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(documents=1, repeats=1))

    html = texts(show("session", session=session_id("single")))

    assert session_id("single") in html
    assert "idle · end_turn" in html
    assert "Review the whole contract." in html
    assert "calls read_section" in html
    assert "The Customer pays the Fees within thirty days." in html


def test_a_long_session_is_shown_a_page_at_a_time(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(arms=("single",), documents=1, repeats=1, steps=1_000))
    wanted = session_id("single")

    app = show("session", session=wanted)
    assert "number: 1.1<" in texts(app)
    assert "number: 1000.1<" not in texts(app)

    app.session_state["page"] = 21
    app.run()
    assert "number: 1000.1<" in texts(app)
    assert any("Events 4,001 to 4,005 of 4,005" in caption.value for caption in app.caption)


def test_a_page_of_a_session_has_a_url(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(arms=("single",), documents=1, repeats=1, steps=120))

    app = show("session", session=session_id("single"), page="2")

    assert any("Events 201 to 400 of 485" in caption.value for caption in app.caption)


def test_another_session_begins_at_its_first_page(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(arms=("single",), documents=2, repeats=1, steps=120))
    app = show("session", session=session_id("single"), page="2")

    app.selectbox(key="choice_session").set_value(session_id("single", documents="contract-01")).run()

    assert any("Events 1 to 200 of 485" in caption.value for caption in app.caption)


def test_a_session_leads_to_those_it_started(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(documents=1, repeats=1))

    app = show("session", session=session_id("orchestrated"))

    assert ["3 sessions were started by this one"] == [
        each.label for each in app.expander if "started" in each.label
    ]
    assert ["task", "task", "task"] == list(app.dataframe[0].value["role"])


def test_an_imported_transcript_shows_its_feedback_and_stays_text(show: Show, tmp_path: Path) -> None:
    wanted = write_tau_session(tmp_path, reward=1.0)

    html = texts(show("session", session=wanted))

    assert "1 · true_check" in html
    assert "import:tau-bench" in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "<script" not in html


def test_an_unknown_session_is_said(show: Show, tmp_path: Path) -> None:
    write_tau_session(tmp_path)

    assert "There is no session sesn_nowhere in this data folder." in texts(
        show("session", session="sesn_nowhere")
    )


def test_the_newest_session_is_shown_when_none_is_named(show: Show, tmp_path: Path) -> None:
    wanted = write_tau_session(tmp_path)

    app = show("session")

    assert wanted == app.selectbox(key="choice_session").value
    assert wanted == app.query_params["session"]
