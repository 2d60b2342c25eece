"""The dashboard in a real browser: every page, light and dark, wide and narrow, filled and empty."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from nightschool.core.ids import derived_id
from nightschool.dashboard.navigation import PAGES
from tests.acceptance.dashboard.written_folder import Plan, write_experiment, write_tau_session

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

ROOT = Path(__file__).parents[3]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TRIAL = derived_id("trial", "exp_demo", "orchestrated", "contract-03", 0)
SESSION = derived_id("session", derived_id("trial", "exp_demo", "single", "contract-03", 0), "root")
LOOKS = [("light", 1400), ("dark", 420)]
CONTENT = ".ns-facts, h3, [data-testid=stSelectbox]"
PATIENCE = 40_000
"""Milliseconds: a busy machine draws its first page slowly."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve the app over a folder, as `make dashboard` does, and give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "nightschool.dashboard", "--port", str(port), "--data", str(folder)]
    process = subprocess.Popen(
        command, cwd=ROOT, env=dict(os.environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        address = f"http://localhost:{port}"
        _wait_for(f"{address}/_stcore/health")
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(url, timeout=2):  # noqa: S310 - an address of our own
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            assert time.monotonic() < deadline
            time.sleep(0.1)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a dashboard over a folder with experiments and an imported transcript."""
    folder = tmp_path_factory.mktemp("filled")
    write_tau_session(folder, reward=1.0)
    write_experiment(folder, Plan(experiment_id="exp_drawn", brain="simulated", coordinated=True))
    write_experiment(folder, Plan(experiment_id="exp_under_way", unfinished=20))
    write_experiment(folder, Plan(steps=120, failing=(5,)))
    with served(folder) as address:
        yield address


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """An installed Chromium, without a window."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield opened
        opened.close()


@contextmanager
def visiting(browser: Browser, url: str, *, scheme: str = "light", width: int = 1400) -> Iterator[Page]:
    """Open an address; when the block ends, there must be no error in the page or in the console."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.goto(url)
    settled(page)
    yield page
    settled(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.locator(".ns-notice.is-error")).to_have_count(0)
    assert [] == errors
    context.close()


def settled(page: Page) -> None:
    """Wait until the page is drawn."""
    expect(page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]')).to_be_visible(
        timeout=PATIENCE
    )


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_the_comparison_is_drawn(browser: Browser, filled: str, scheme: str, width: int) -> None:
    with visiting(browser, f"{filled}/compare?experiment=exp_demo", scheme=scheme, width=width) as page:
        expect(page.get_by_text("orchestrated is better than single")).to_be_visible()
        expect(page.locator(".ns-table").first.locator("tbody tr")).to_have_count(3)
        expect(page.get_by_test_id("stPlotlyChart")).to_have_count(6)
        expect(page.locator(".js-plotly-plot .scatterlayer").first).to_be_visible()
        overflow = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow <= 0


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_topologies_are_drawn_and_the_chosen_measure_is_in_the_address(
    browser: Browser, filled: str, scheme: str, width: int
) -> None:
    with visiting(browser, f"{filled}/topologies?experiment=exp_drawn", scheme=scheme, width=width) as page:
        expect(page.get_by_test_id("stPlotlyChart")).to_have_count(5)
        expect(page.locator(".js-plotly-plot .scatterlayer").last).to_be_visible()
        expect(page.get_by_text("recorded durations, here simulated ones")).to_be_visible()
        page.get_by_role("combobox", name=re.compile("beside")).click()
        page.get_by_role("option", name="Idle share", exact=True).click()
        expect(page).to_have_url(re.compile("measure=Idle"))
        expect(page.get_by_text("idle share of agents' time · n = 8 samples")).to_be_visible()
        overflow = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow <= 0


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_a_trial_is_drawn(browser: Browser, filled: str, scheme: str, width: int) -> None:
    url = f"{filled}/runs?experiment=exp_demo&trial={TRIAL}"
    with visiting(browser, url, scheme=scheme, width=width) as page:
        expect(page.get_by_role("heading", name="orchestrated · contract-03 · repeat 1")).to_be_visible()
        expect(page.locator(".js-plotly-plot .barlayer .point")).to_have_count(4)
        expect(page.get_by_text("below twelve months' fees").first).to_be_visible()


@pytest.mark.parametrize("page_name", [entry.path for entry in PAGES])
@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_every_page_is_drawn_within_its_width(
    browser: Browser, filled: str, page_name: str, scheme: str, width: int
) -> None:
    """With NIGHTSCHOOL_TEST_PICTURES naming a folder, each is kept there as a picture."""
    with visiting(browser, f"{filled}/{page_name}", scheme=scheme, width=width) as page:
        expect(page.get_by_test_id("stMain").locator(CONTENT).first).to_be_visible()
        overflow = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow <= 0
        if folder := os.environ.get("NIGHTSCHOOL_TEST_PICTURES"):
            expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
            page.screenshot(path=Path(folder) / f"{page_name}-{scheme}-{width}.png")


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_a_session_is_drawn(browser: Browser, filled: str, scheme: str, width: int) -> None:
    with visiting(browser, f"{filled}/session?session={SESSION}", scheme=scheme, width=width) as page:
        expect(page.get_by_text("Review the whole contract.")).to_be_visible()
        page.locator("ol.ns-trace details summary").first.click()
        expect(page.locator("ol.ns-trace details[open] pre").first).to_be_visible()
        page.get_by_role("button", name=re.compile(r"\b2$")).click()
        expect(page.get_by_text("Events 201 to 400")).to_be_visible()
        expect(page).to_have_url(re.compile("page=2"))


def test_a_bar_of_the_timeline_leads_to_its_session(browser: Browser, filled: str) -> None:
    with visiting(browser, f"{filled}/runs?experiment=exp_demo&trial={TRIAL}") as page:
        page.locator(".js-plotly-plot .barlayer .point").nth(1).click(force=True)
        expect(page).to_have_url(re.compile(r"/session\?session=sesn_"))
        expect(page.get_by_text("Sections: 3, 3.1")).to_be_visible()


def test_the_address_leads_back_to_what_was_shown(browser: Browser, filled: str) -> None:
    """What is chosen on a page is in its URL: opened elsewhere, it shows the same."""
    with visiting(browser, f"{filled}/?experiment=exp_demo") as page:
        expect(page).to_have_url(re.compile("/compare"))
        page.get_by_role("combobox", name=re.compile("Metric")).click()
        page.get_by_role("option", name="Tokens", exact=True).click()
        expect(page).to_have_url(re.compile("metric=Tokens"))
        url = page.url

    with visiting(browser, url) as page:
        expect(page.get_by_text("tokens per document").first).to_be_visible()


def test_an_imported_transcript_is_text_and_nothing_else(browser: Browser, filled: str) -> None:
    wanted = derived_id("session", "tau-bench", "gpt-4o-airline", 0, 0)
    with visiting(browser, f"{filled}/session?session={wanted}") as page:
        page.on("dialog", lambda dialog: pytest.fail(f"a script of the log ran: {dialog.message}"))
        expect(page.get_by_text("<b>ZX12</b> & <script>alert(1)</script>")).to_be_visible()


def test_simulated_results_and_running_experiments_are_marked(browser: Browser, filled: str) -> None:
    with visiting(browser, f"{filled}/compare?experiment=exp_drawn") as page:
        expect(page.locator(".stMarkdownBadge").first).to_contain_text("simulated")
    with visiting(browser, f"{filled}/compare?experiment=exp_under_way") as page:
        expect(page.get_by_text("28 of 48 trials recorded, 0 errored")).to_be_visible()


def test_a_running_experiment_is_followed_to_its_end(browser: Browser, tmp_path: Path) -> None:
    """Nobody touches the page: it counts up by itself, and shows the result when the last trial is in."""
    write_experiment(tmp_path, Plan(unfinished=20))
    with served(tmp_path) as address, visiting(browser, f"{address}/compare") as page:
        expect(page.get_by_text("28 of 48 trials recorded")).to_be_visible()

        write_experiment(tmp_path, Plan(unfinished=5))
        expect(page.get_by_text("43 of 48 trials recorded")).to_be_visible()

        write_experiment(tmp_path, Plan())
        expect(page.get_by_text("orchestrated is better than single")).to_be_visible()
        expect(page.get_by_text("trials recorded")).to_have_count(0)


def test_an_empty_folder_says_what_to_run_and_shows_the_first_results(
    browser: Browser, tmp_path: Path
) -> None:
    with served(tmp_path) as address:
        for name in ("runs", "session"):
            with visiting(browser, f"{address}/{name}") as page:
                expect(page.get_by_text("make demo")).to_be_visible()
        with visiting(browser, f"{address}/compare") as page:
            expect(page.get_by_text("make demo")).to_be_visible()
            write_experiment(tmp_path)
            expect(page.get_by_text("orchestrated is better than single")).to_be_visible()


def test_a_dot_of_a_document_sets_both_arms_side_by_side(browser: Browser, filled: str) -> None:
    with visiting(browser, f"{filled}/compare?experiment=exp_demo") as page:
        plot = page.locator("[class*='st-key-documents_']").first
        plot.locator(".scatterlayer .point").first.click(force=True)
        expect(page.get_by_role("heading", name="Side by side")).to_be_visible()
        expect(page).to_have_url(re.compile("document=contract-"))
