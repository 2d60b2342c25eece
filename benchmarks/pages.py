"""How fast the dashboard's pages are over a data folder, and whether its memory is bounded.

    nightschool fixtures big /tmp/big
    .venv/bin/python -m benchmarks.pages /tmp/big [--repeats 5] [--reruns 500]

A server of its own, an installed Chromium, one visit after another. A visit loads the whole front end anew,
as a link from elsewhere does; a change goes from one page to another inside the app. `first` is when the
page's first content stands, `done` when nothing more comes. `docs/performance.md` has a run's table.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from nightschool import open_warehouse

__all__ = ["main"]

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking")
CONTENT: Final = ", ".join(
    f'[data-testid="stMain"] {kind}' for kind in (".ns-facts", "h3", '[data-testid="stSelectbox"]')
)
IDLE: Final = '[data-testid="stApp"][data-test-script-state="notRunning"]'
PATIENCE: Final = 120_000


class Visit(NamedTuple):
    """Seconds from the address to content, and to the end."""

    first: float
    done: float


def addresses(data: Path) -> dict[str, str]:
    """Return a page's name and address for each that is measured, over what is in the folder."""
    with open_warehouse(data) as log:
        newest = (
            "SELECT experiment_id, min(trial_id) AS trial FROM v1_trials GROUP BY ALL ORDER BY 1 DESC LIMIT 2"
        )
        experiment, trial = log.query(newest).row(-1)
        longest = "SELECT session_id FROM v1_events GROUP BY session_id ORDER BY count(*) DESC LIMIT 1"
        (session,) = log.query(longest).row(0)
    question = "q=SELECT+arm,+avg(accuracy)+AS+accuracy+FROM+v1_trials+GROUP+BY+arm"
    return {
        "home": "home",
        "compare": f"compare?experiment={experiment}",
        "outcomes": f"outcomes?experiment={experiment}",
        "topologies": f"topologies?experiment={experiment}",
        "dreaming": "dreaming",
        "runs": f"runs?experiment={experiment}",
        "runs, one trial": f"runs?experiment={experiment}&trial={trial}",
        "session, the longest": f"session?session={session}",
        "session, its 77th page": f"session?session={session}&page=77",
        "live": "live",
        "costs": f"costs?experiment={experiment}",
        "sql": f"sql?{question}",
        "settings": "settings",
    }


@contextmanager
def served(data: Path) -> Iterator[tuple[str, int]]:
    """Serve the dashboard and give its address and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "nightschool.dashboard", "--port", str(port), "--data", str(data)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://localhost:{port}/_stcore/health")
        yield f"http://localhost:{port}", process.pid
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_for(url: str) -> None:
    """Wait until the server answers."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=2):  # noqa: S310 - an address of our own
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise TimeoutError(url)


def visit(page: Page, url: str) -> Visit:
    """Open an address and say how long its content and its end took."""
    began = time.perf_counter()
    page.goto(url, wait_until="commit")
    page.locator(CONTENT).first.wait_for(timeout=PATIENCE)
    first = time.perf_counter() - began
    page.locator(IDLE).wait_for(timeout=PATIENCE)
    return Visit(first, time.perf_counter() - began)


def change(page: Page, title: str) -> float:
    """Go to another page by its name in the navigation; return the seconds until it stands."""
    began = time.perf_counter()
    page.get_by_role("link", name=re.compile(rf"\b{title}$")).first.click()
    page.wait_for_url(re.compile(f"/{title.lower()}"), timeout=PATIENCE)
    page.locator(CONTENT).first.wait_for(timeout=PATIENCE)
    page.locator(IDLE).wait_for(timeout=PATIENCE)
    return time.perf_counter() - began


def megabytes(process: int) -> float:
    """Return the memory that the server holds now."""
    text = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    (kilobytes,) = re.findall(r"VmRSS:\s+(\d+) kB", text)
    return int(kilobytes) / 1024


def rerun(page: Page, process: int, times: int) -> list[float]:
    """Draw the page so many times and return the server's memory at every tenth of them."""
    held = []
    for number in range(times):
        page.keyboard.press("r")
        page.wait_for_timeout(60)
        page.locator(IDLE).wait_for(timeout=PATIENCE)
        if (number + 1) % max(1, times // 10) == 0:
            held.append(megabytes(process))
    return held


def main(arguments: list[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Measure the dashboard's pages.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--reruns", type=int, default=0)
    options = parser.parse_args(arguments)
    executable = next(path for name in BROWSERS if (path := shutil.which(name)))
    with served(options.data) as (address, process), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        measure(browser, address, process, options)
    return 0


def measure(browser: Browser, address: str, process: int, options: argparse.Namespace) -> None:
    """Print what is measured as it comes."""
    pages = addresses(options.data)
    print(f"load average {os.getloadavg()[0]:.1f}; server {megabytes(process):.0f} MB before the first page")
    print("| page | first content | done | change to it |\n|---|---|---|---|")
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    for name, path in pages.items():
        visits = [visit(page, f"{address}/{path}") for _ in range(options.repeats)]
        changes = []
        if name in {"home", "compare", "topologies", "dreaming", "runs", "live", "costs", "settings"}:
            for _ in range(options.repeats):
                change(page, "SQL")
                changes.append(change(page, name.capitalize()))
        middle = [statistics.median(values) for values in zip(*visits, strict=True)]
        turned = f"{statistics.median(changes):.2f} s" if changes else ""
        print(f"| {name} | {middle[0]:.2f} s | {middle[1]:.2f} s | {turned} |", flush=True)
    if options.reruns:
        visit(page, f"{address}/{pages['compare']}")
        before = megabytes(process)
        held = rerun(page, process, options.reruns)
        print(
            f"memory over {options.reruns} reruns: {before:.0f} MB, then "
            + ", ".join(f"{m:.0f}" for m in held)
        )
    print(f"load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
