"""Whatever stands in a log is text: no page runs it, renders it, or breaks on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from nightschool.dashboard.navigation import PAGES
from tests.acceptance.dashboard.conftest import Show, texts, told_errors
from tests.acceptance.dashboard.hostile_folder import (
    EXPERIMENT,
    HOSTILE,
    LONG,
    SESSION,
    TRIAL,
    write_hostile,
)
from tests.acceptance.dashboard.test_browser import browser, served, settled  # noqa: F401 - a fixture

pytestmark = pytest.mark.timeout(240)

ADDRESSES = {entry.path: "" for entry in PAGES} | {
    "compare": f"?experiment={EXPERIMENT}",
    "outcomes": f"?experiment={EXPERIMENT}&trial={TRIAL}",
    "runs": f"?experiment={EXPERIMENT}&trial={TRIAL}",
    "session": f"?session={SESSION}&find=script",
    "costs": f"?experiment={EXPERIMENT}",
    "sql": "?q=" + quote("SELECT content, name, type FROM v1_events WHERE content IS NOT NULL"),
}
MARKUP = re.compile(r"<(script|img|svg|style|h1|b)\b", re.IGNORECASE)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    write_hostile(folder)
    return folder


@pytest.fixture(scope="module")
def address(hostile: Path) -> Iterator[str]:
    with served(hostile) as url:
        yield url


@pytest.mark.parametrize("page", ADDRESSES)
def test_a_page_draws_it_without_error_and_lets_no_markup_through(
    show: Show, hostile: Path, page: str
) -> None:
    parameters = dict(part.split("=", 1) for part in ADDRESSES[page].lstrip("?").split("&") if part)
    if page == "sql":
        parameters = {"q": "SELECT content, name FROM v1_events WHERE content IS NOT NULL"}

    app = show(page, hostile, **parameters)

    assert [] == told_errors(app)
    drawn = re.sub(r"<b>[^<]*</b>(?=<p>|</div>)", "", texts(app))  # the page's own bold is a card's head
    assert [] == MARKUP.findall(drawn)


def test_what_an_agent_asks_for_and_who_was_in_whose_way_are_text_too(show: Show, hostile: Path) -> None:
    asked = texts(show("live", hostile))
    run = texts(show("runs", hostile, experiment=EXPERIMENT, trial=TRIAL))

    assert "Permission requests" in [each.value for each in show("live", hostile).subheader]
    assert "\\u202e" in asked
    assert "\u202e" not in asked
    assert "Writes that came in one another&#x27;s way" in run


def test_a_message_of_five_megabytes_is_cut_and_its_length_named(show: Show, hostile: Path) -> None:
    html = texts(show("session", hostile, session=SESSION))

    assert f"{len(LONG):,} characters" in html
    assert len(html) < 2_000_000


@pytest.mark.browser
@pytest.mark.parametrize("page", ADDRESSES)
def test_in_a_browser_no_script_runs_and_nothing_is_fetched_from_elsewhere(
    browser: Browser,  # noqa: F811 - the fixture
    address: str,
    page: str,
) -> None:
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    shown = context.new_page()
    elsewhere: list[str] = []
    errors: list[str] = []
    shown.on("request", lambda request: elsewhere.append(request.url))
    shown.on("pageerror", lambda error: errors.append(str(error)))
    shown.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    shown.on("dialog", lambda dialog: pytest.fail(f"a script of the log ran: {dialog.message}"))

    shown.goto(f"{address}/{page}{ADDRESSES[page]}")
    settled(shown)
    shown.wait_for_timeout(300)

    assert shown.evaluate("window.pwned") is None
    assert [] == errors
    local = (address, address.replace("http", "ws"), "data:", "blob:")
    assert [] == [url for url in elsewhere if not url.startswith(local)]
    expect(shown.get_by_test_id("stException")).to_have_count(0)
    expect(shown.locator("h1")).to_have_count(0)
    context.close()


def test_every_kind_of_text_can_be_read_in_the_trace(show: Show, hostile: Path) -> None:
    html = texts(show("session", hostile, session=SESSION))

    for text in ("مرحبا بالعالم", "👩‍👩‍👧‍👦", "broken �� utf-8", "␛[31mred", "{{7*7}}", "&lt;script&gt;"):
        assert text in html
    assert len(HOSTILE) > 10
