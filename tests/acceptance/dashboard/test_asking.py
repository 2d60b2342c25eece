"""The page Live: agents that ask, who may answer them, and pools and caps of what is under way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import derived_id
from nightschool.dashboard.answering import write_answer
from nightschool.dashboard.asking import given_text
from nightschool.dashboard.caps import caps
from nightschool.events.agent import AgentToolUse
from nightschool.events.base import EventBase
from nightschool.events.plan import PlanCompleted, PoolResized
from nightschool.events.session import AgentSnapshot, SessionCreated, SessionStatusIdle, StopReason
from nightschool.events.user import UserToolConfirmation
from nightschool.journal.journal import Journal
from nightschool.sessions.permission import Answer
from nightschool.settings import read_settings
from tests.acceptance.dashboard.conftest import Show, texts
from tests.acceptance.dashboard.written_folder import Plan, write_experiment

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

SESSION = derived_id("session", "asks")
CALL = derived_id("event", "asks", "call")


def write_asking(folder: Path, given: dict[str, Any] | None = None) -> None:
    """Write a session that waits for a word on one call."""
    clock = FrozenClock()
    call = AgentToolUse(
        id=CALL, name="bash", input=given or {"command": "rm -r build"}, evaluated_permission="ask"
    )
    reason = StopReason(type="requires_action", event_ids=(CALL,))
    created = SessionCreated(
        id="sevt_1", agent=AgentSnapshot(name="builder", model="m"), metadata={"arm": "single"}
    )
    _append(folder, clock, created, call, SessionStatusIdle(id="sevt_2", stop_reason=reason))


def _append(folder: Path, clock: FrozenClock, *events: EventBase) -> None:
    journal = Journal.open(folder / "journal.sqlite", clock=clock)
    stamped = [event.model_copy(update={"processed_at": clock.now()}) for event in events]
    journal.append(SESSION, stamped, epoch=1)
    journal.close()


def _words(folder: Path) -> list[UserToolConfirmation]:
    journal = Journal.open(folder / "journal.sqlite", clock=FrozenClock(), read_only=True)
    events = [entry.event for entry in journal.read(SESSION)]
    journal.close()
    return [event for event in events if isinstance(event, UserToolConfirmation)]


def _button(app: AppTest, label: str) -> Any:
    return next(each for each in app.button if each.label == label)


def test_a_dashboard_shows_who_asks_and_only_reads_by_default(show: Show, tmp_path: Path) -> None:
    write_asking(tmp_path)

    app = show("live")

    assert "rm -r build" in texts(app)
    assert "only reads" in texts(app)
    assert [] == list(app.button)


@pytest.mark.parametrize(("label", "result"), [("Allow", "allow"), ("Deny", "deny")])
def test_a_word_given_on_the_page_is_in_the_log_and_the_request_is_gone(
    show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, label: str, result: str
) -> None:
    monkeypatch.setenv("NIGHTSCHOOL_ANSWERS", "on")
    write_asking(tmp_path)
    app = show("live")

    app.text_input(key=f"name_{CALL}").set_value("Ada")
    app.text_input(key=f"reason_{CALL}").set_value("too early")
    _button(app, label).click().run()

    (word,) = _words(tmp_path)
    assert (CALL, result, "Ada") == (word.tool_use_id, word.result, word.given_by)
    assert (None if result == "allow" else "too early") == word.deny_message
    assert "rm -r build" not in texts(app)


def test_who_gives_no_name_gives_no_word(show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIGHTSCHOOL_ANSWERS", "on")
    write_asking(tmp_path)
    app = show("live")

    app.text_input(key=f"name_{CALL}").set_value("")
    _button(app, "Allow").click().run()

    assert "name yourself" in texts(app)
    assert [] == _words(tmp_path)


def test_the_second_of_two_people_is_told_that_the_first_ones_word_holds(
    show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTSCHOOL_ANSWERS", "on")
    write_asking(tmp_path)
    app = show("live")
    write_answer(read_settings(), SESSION, CALL, Answer(result="deny", given_by="Bob"))

    app.text_input(key=f"name_{CALL}").set_value("Ada")
    _button(app, "Allow").click().run()

    assert ["deny"] == [word.result for word in _words(tmp_path)]
    assert "Somebody was faster, and that word holds: deny by Bob" in texts(app)


def test_what_is_too_long_to_be_shown_whole_cannot_be_allowed_here(
    show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTSCHOOL_ANSWERS", "on")
    write_asking(tmp_path, {"command": "x" * 200_000})

    app = show("live")

    assert "too many to show" in texts(app)
    assert [] == list(app.button)


def test_characters_that_hide_or_turn_text_round_are_shown_by_their_numbers() -> None:
    assert '{\n  "a": "\\u202eexe.\\u200b é 😀"\n}' == given_text('{"a": "\u202eexe.\u200b é 😀"}')


def test_pools_are_shown_until_their_plan_is_done(show: Show, tmp_path: Path) -> None:
    write_asking(tmp_path)
    clock = FrozenClock()
    sizes = [PoolResized(id=f"sevt_p{n}", plan_id="p", size=n, waiting=2) for n in (3, 5, 4)]
    _append(tmp_path, clock, *sizes)

    shown = texts(show("live"))
    _append(tmp_path, clock, PlanCompleted(id="sevt_done", plan_id="p", summary={}))

    assert "Pools of agents by plan" in shown
    assert all(f">{number}<" in shown for number in (4, 5, 2))
    assert "Pools of agents by plan" not in texts(show("live"))


def test_what_is_spent_of_each_cap_is_said_and_reserves_are_named() -> None:
    found = caps(
        {"usd": 20, "tokens": None, "seconds": 100, "grading_reserve": 0.2}, _spent(usd=5.0, seconds=130.0)
    )

    assert [0.25, 1.3] == [cap.share for cap in found]
    assert "$5.00 of $20.00 (25%), 20% kept for grading" in found[0].said


def test_an_experiment_without_caps_shows_no_bar_for_them(show: Show, tmp_path: Path) -> None:
    write_experiment(tmp_path, Plan(unfinished=20))

    assert 1 == len(show("live").get("progress"))


def _spent(**known: float) -> dict[str, float]:
    return {"usd": 0.0, "tokens": 0.0, "seconds": 0.0} | known
