"""A dashboard with a login: who is not logged in sees nothing; who writes does so under their own name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from nightschool.core.clock import FrozenClock
from nightschool.events.user import UserToolConfirmation
from nightschool.journal.journal import Journal
from tests.acceptance.dashboard.identity_provider import CLIENT, identity_provider
from tests.acceptance.dashboard.test_asking import SESSION, write_asking
from tests.acceptance.dashboard.test_browser import browser, served, settled  # noqa: F401 - a fixture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

ADA = {"email": "Ada@example.org", "email_verified": True, "name": "Ada"}
SECRET = "a secret of forty characters for cookies"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder in which a server started now looks for secrets."""
    folder = tmp_path / "home"
    (folder / ".streamlit").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    return folder


def _configure(home: Path, provider: str, more: str = "", **auth: str) -> None:
    known = {
        "redirect_uri": "http://localhost:{port}/oauth2callback",
        "cookie_secret": SECRET,
        "client_id": CLIENT,
        "client_secret": "known to both",
        "server_metadata_url": f"{provider}/.well-known/openid-configuration",
    } | auth
    lines = [f'{name} = "{value}"' for name, value in known.items()]
    (home / ".streamlit" / "secrets.toml").write_text("\n".join(["[auth]", *lines, more]), encoding="utf-8")


def _open(browser: Browser, address: str) -> Page:  # noqa: F811 - the fixture
    page = browser.new_context().new_page()
    page.set_default_timeout(40_000)
    page.goto(address)
    settled(page)
    return page


def _log_in(page: Page) -> None:
    page.get_by_role("button", name=re.compile("Log in")).click()


def test_nothing_is_shown_before_the_login_and_a_word_is_recorded_under_ones_own_name(
    browser: Browser,  # noqa: F811 - the fixture
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NIGHTSCHOOL_ANSWERS", "on")
    monkeypatch.setenv("NIGHTSCHOOL_REVIEWER", "somebody else")
    write_asking(tmp_path)
    with identity_provider(ADA) as provider, served(tmp_path) as address:
        _configure(home, provider, '[nightschool]\npeople = ["ada@example.org"]')
        page = _open(browser, f"{address}/live")
        expect(page.get_by_text("Log in to look at this data folder")).to_be_visible()
        expect(page.get_by_text("rm -r build")).to_have_count(0)

        _log_in(page)
        expect(page.get_by_text("Ada@example.org").first).to_be_visible()
        page.goto(f"{address}/live")
        expect(page.get_by_text("rm -r build")).to_be_visible()
        expect(page.get_by_label("Your name")).to_have_count(0)
        page.get_by_role("button", name="Allow").click()
        expect(page.get_by_text("Recorded: allow by Ada@example.org")).to_be_visible()

        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_text("Log in to look at this data folder")).to_be_visible()
    assert ["Ada@example.org"] == _who_answered(tmp_path)


@pytest.mark.parametrize("person", [ADA | {"email": "eve@example.org"}, ADA | {"email_verified": False}])
def test_who_is_not_listed_or_has_an_unchecked_address_is_not_let_in(
    browser: Browser,  # noqa: F811 - the fixture
    home: Path,
    tmp_path: Path,
    person: Mapping[str, Any],
) -> None:
    write_asking(tmp_path)
    with identity_provider(person) as provider, served(tmp_path) as address:
        _configure(home, provider, '[nightschool]\npeople = ["ada@example.org"]')
        page = _open(browser, f"{address}/live")
        _log_in(page)

        expect(page.get_by_text("This account is not let in")).to_be_visible()
        expect(page.get_by_text("rm -r build")).to_have_count(0)


@pytest.mark.parametrize("fault", ["not toml", "short secret", "a field is missing"])
def test_whatever_is_wrong_with_the_configuration_shuts_the_door(
    browser: Browser,  # noqa: F811 - the fixture
    home: Path,
    tmp_path: Path,
    fault: str,
) -> None:
    write_asking(tmp_path)
    if fault == "not toml":
        (home / ".streamlit" / "secrets.toml").write_text("[auth\n", encoding="utf-8")
    elif fault == "short secret":
        _configure(home, "http://localhost:1", cookie_secret="short")
    else:
        _configure(home, "http://localhost:1", client_id="")
    with served(tmp_path) as address:
        page = _open(browser, f"{address}/live")

        expect(page.locator(".ns-notice.is-error")).to_contain_text("nobody is let in")
        expect(page.get_by_text("rm -r build")).to_have_count(0)
        expect(page.get_by_text("short")).to_have_count(0)


def test_a_login_that_is_demanded_and_not_configured_shuts_the_door(
    browser: Browser,  # noqa: F811 - the fixture
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NIGHTSCHOOL_LOGIN", "on")
    write_asking(tmp_path)
    with served(tmp_path) as address:
        page = _open(browser, f"{address}/live")

        expect(page.locator(".ns-notice.is-error")).to_contain_text("a login is demanded")
        expect(page.get_by_text("rm -r build")).to_have_count(0)


def _who_answered(folder: Path) -> list[str | None]:
    journal = Journal.open(folder / "journal.sqlite", clock=FrozenClock(), read_only=True)
    events = [entry.event for entry in journal.read(SESSION)]
    journal.close()
    return [event.given_by for event in events if isinstance(event, UserToolConfirmation)]
