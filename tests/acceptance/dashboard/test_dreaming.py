"""The page Dreaming: versions, a dream's diff, provenance, conflicts, decisions, what it is worth."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.acceptance.dashboard.conftest import Show, texts, told_errors
from tests.acceptance.dashboard.dreamt_folder import (
    OLD,
    SCRIPT,
    WEAK,
    adopt,
    decide,
    note_trials,
    write_dream,
    write_effect,
)
from tests.acceptance.dashboard.test_browser import (  # noqa: F401 - a fixture
    LOOKS,
    browser,
    served,
    visiting,
)
from tests.acceptance.dashboard.written_folder import write_tau_session


def test_a_folder_without_dreams_says_what_to_run(show: Show, tmp_path: Path) -> None:
    write_tau_session(tmp_path)

    assert [f"nightschool --data {tmp_path} dream"] == [code.value for code in show("dreaming").code]


def test_a_dream_shows_what_it_changes_and_the_commands_that_decide(show: Show, tmp_path: Path) -> None:
    dream_id = write_dream(tmp_path).dream_id

    app = show("dreaming")

    changes = app.dataframe[0].value
    assert {"created"} == set(changes["what"])
    assert OLD in set(changes["says"])
    assert [
        f"nightschool --data {tmp_path} dream adopt {dream_id}",
        f"nightschool --data {tmp_path} dream reject {dream_id} --reason 'why not'",
        f"nightschool --data {tmp_path} dream try {dream_id}",
        f"nightschool --data {tmp_path} dream effect",
    ] == [code.value for code in app.code]
    assert "Nobody has decided yet. Nothing speaks against it." in texts(app)
    assert [] == told_errors(app)


def test_what_a_trial_on_a_suite_says_is_shown_and_speaks_against_adoption(
    show: Show, tmp_path: Path
) -> None:
    dream_id = write_dream(tmp_path).dream_id
    trial = {"experiment_id": "exp_tried", "suite": "memory", "shortcuts": ("stopped early on m-1",)}
    earlier = {**trial, "result": "pass", "reason": "an earlier word"}
    last = {**trial, "result": "regression", "reason": "it fell by <b>a tenth</b>"}
    note_trials(tmp_path, dream_id, earlier, last)

    app = show("dreaming")

    html = unescape(texts(app))
    assert "regression on memory: it fell by <b>a tenth</b>" in html
    assert "<b>a tenth" not in texts(app)
    assert "Against it: the gate says regression on the suite 'memory' (experiment exp_tried)" in html
    assert "Against it: stopped early on m-1, on the suite 'memory'" in html
    commands = [code.value for code in app.code]
    assert f"nightschool --data {tmp_path} dream adopt {dream_id} --approve" in commands
    assert f"nightschool --data {tmp_path} compare exp_tried" in commands
    assert [] == told_errors(app)


def test_a_trial_that_passed_is_no_objection(show: Show, tmp_path: Path) -> None:
    dream_id = write_dream(tmp_path).dream_id
    passed = {"result": "pass", "reason": "as good", "experiment_id": "exp_1", "suite": "memory"}
    note_trials(tmp_path, dream_id, passed)

    html = texts(show("dreaming"))

    assert "pass on memory: as good" in html
    assert "Nothing speaks against it." in html


def test_gates_are_told_with_their_reasons(show: Show, tmp_path: Path) -> None:
    done = write_dream(tmp_path).completed

    html = unescape(texts(show("dreaming")))

    assert done.gates
    assert all(gate.partition(": ")[2] in html for gate in done.gates)


def test_an_open_conflict_shows_both_sides(show: Show, tmp_path: Path) -> None:
    write_dream(tmp_path)

    app = show("dreaming")

    assert any("1 open, 0 settled" in caption.value for caption in app.caption)
    sides = texts(app).partition("ns-sides")[2].partition("ns-facts")[0]
    assert OLD in sides
    assert WEAK in sides
    assert "the conflict is open" in sides


def test_a_memory_leads_to_the_sessions_and_events_it_rests_on(show: Show, tmp_path: Path) -> None:
    memories = write_dream(tmp_path).plan.memories
    path = next(path for path, memory in memories.items() if memory.text == OLD)

    app = show("dreaming", memory=path)

    html = texts(app)
    assert 'href="session?session=sesn_old3"' in html
    assert 'href="session?session=sesn_old3&amp;event=sevt_old3_f"' in html
    assert "a person (10)" in html
    assert "disagrees with" in html
    assert 1 == len(app.get("plotly_chart"))
    assert f"sure</dt><dd>{memories[path].attributes.confidence:.2f}" in html


def test_an_adopted_dream_can_be_rolled_back_and_looking_writes_nothing(show: Show, tmp_path: Path) -> None:
    dream_id = write_dream(tmp_path).dream_id
    adopt(tmp_path, dream_id)
    before = (tmp_path / "journal.sqlite").read_bytes()

    app = show("dreaming")

    assert f"nightschool --data {tmp_path} dream rollback --store default" in [c.value for c in app.code]
    assert "recalled from now" in texts(app)
    assert before == (tmp_path / "journal.sqlite").read_bytes()


def test_a_rejected_dream_says_why(show: Show, tmp_path: Path) -> None:
    decide(tmp_path, write_dream(tmp_path).dream_id, "not our way")

    assert "not our way" in texts(show("dreaming"))


def test_a_removed_text_is_said_to_be_removed(show: Show, tmp_path: Path) -> None:
    result = write_dream(tmp_path)
    sha256 = next(memory.sha256 for memory in result.plan.memories.values() if memory.text == OLD)
    _redact(tmp_path, result.completed.output_store_id, sha256)

    says = set(show("dreaming").dataframe[0].value["says"])

    assert OLD not in says
    assert any(each.startswith("(its text was removed") for each in says)


def _redact(folder: Path, store_id: str, sha256: str) -> None:
    from nightschool.bootstrap import open_workspace
    from nightschool.memory.store import MemoryStore
    from nightschool.settings import Settings

    with open_workspace(Settings(data_dir=folder)) as space:
        store = MemoryStore(journal=space.journal, clock=space.clock, ids=space.ids, store_id=store_id)
        store.redact(sha256)


def test_gain_harm_and_learning_are_drawn_where_they_were_measured(show: Show, tmp_path: Path) -> None:
    write_dream(tmp_path)
    write_effect(tmp_path)

    app = show("dreaming")

    html = texts(app)
    assert 3 == len(app.get("plotly_chart"))
    assert "No claim for the dream: it cannot be told to beat raw episodes." in html
    assert "[+32, +62]" in html
    assert "n = 26" in html
    assert any("On 20 contracts of the test, for 2 orders" in caption.value for caption in app.caption)


def test_what_sessions_said_is_no_markup(show: Show, tmp_path: Path) -> None:
    memories = write_dream(tmp_path).plan.memories
    path = next(path for path, memory in memories.items() if "script" in memory.text)

    html = texts(show("dreaming", memory=path))

    assert "<script" not in html
    assert "&lt;script&gt;window.pwned" in html
    assert "script" in SCRIPT


def test_an_unknown_store_is_named(show: Show, tmp_path: Path) -> None:
    write_dream(tmp_path)

    assert "There is no store nowhere in this data folder." in texts(show("dreaming", store="nowhere"))


@pytest.mark.browser
@pytest.mark.timeout(180)
@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_in_a_browser_a_memory_leads_to_its_session(
    browser: Browser,  # noqa: F811 - the fixture
    tmp_path: Path,
    scheme: str,
    width: int,
) -> None:
    memories = write_dream(tmp_path).plan.memories
    write_effect(tmp_path)
    path = next(path for path, memory in memories.items() if memory.text == OLD)
    with (
        served(tmp_path) as address,
        visiting(browser, f"{address}/dreaming?memory={path}", scheme=scheme, width=width) as page,
    ):
        expect(page.get_by_test_id("stPlotlyChart")).to_have_count(4)
        overflow = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow <= 0
        assert page.evaluate("window.pwned") is None
        page.locator('.ns-table a[href*="event=sevt_old3_f"]').click()
        expect(page.locator(".ns-trace .is-marked")).to_be_visible()
