from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from nightschool.experiments.analysis import analyse
from nightschool.experiments.design import Manifest
from nightschool.experiments.integrity import threats
from nightschool.experiments.ledger import fold
from nightschool.experiments.measures import from_ledger
from nightschool.experiments.page.document import write_page
from nightschool.experiments.report import build_report
from tests.unit.experiments.fakes import events_of, manifest

SAMPLES = [f"s{index:02}" for index in range(24)]
NOISE = np.random.default_rng(2).normal(0, 0.03, (3, 24, 3))
VOID = {"meta", "br", "img", "input", "hr", "link"}


def quality(arm: str, sample: str, epoch: int) -> float:
    return float(0.6 + 0.15 * (arm == "pool") + NOISE[len(arm) % 3, int(sample[1:]), epoch])


def page(declared: Manifest, drop: int = 0) -> str:
    events = events_of(declared, quality)
    ledger = fold(events[: len(events) - drop])
    trials = from_ledger(ledger)
    report = build_report("exp_1", declared, trials)
    found = threats(report, ledger)
    return write_page(report, analyse(report, trials), found, searched=24, commands=["nightschool run sums"])


class Balance(HTMLParser):
    """Checks that every element is closed in its order, and keeps what a reader reads."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.read: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert all(value is not None for _, value in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.read.append(data)


def words(html: str) -> str:
    parser = Balance()
    parser.feed(html)
    assert [] == parser.open
    return " ".join(parser.read)


@pytest.fixture(scope="module")
def whole() -> str:
    return page(manifest(samples=SAMPLES, repeats=3, question="Is a pool worth it?", smallest_effect=0.02))


def test_a_reader_finds_question_answer_and_what_it_rests_on(whole: str) -> None:
    read = words(whole)
    assert "Is a pool worth it?" in read
    assert "pool against single" in read
    assert "better" in read
    parts = ["Result", "Threats to validity", "Effective number", "Design", "Reliability", "Exploratory"]
    assert sorted(read.index(part) for part in parts) == [read.index(part) for part in parts]
    assert "144 graded trials are 24 independent observations" in read
    assert "nightschool run sums" in read


def test_it_asks_for_nothing_from_anywhere(whole: str) -> None:
    assert [] == re.findall(r"<(?:script|link|img|iframe)\b|\bsrc=|@import|url\(", whole)
    assert {"http://www.w3.org/2000/svg"} == set(re.findall(r"https?://[^\"'\s<]+", whole))
    assert "default-src 'none'" in whole.replace("&#x27;", "'")


def test_names_from_outside_are_text_and_never_markup() -> None:
    html = page(manifest(samples=SAMPLES, question="<script>alert(1)</script>"))
    assert "<script" not in html
    assert "<script>alert(1)</script>" in words(html)


def test_a_simulated_experiment_says_so_first() -> None:
    html = page(manifest(samples=SAMPLES, brain="simulated"))
    assert html.index("Simulated: every number on this page") < html.index("<h1>")


def test_an_unfinished_experiment_claims_nothing() -> None:
    html = page(manifest(samples=SAMPLES), drop=3)
    read = words(html)
    assert "No claim may be made" in read
    assert "missing trials" in read
    assert "<svg" not in html


def test_a_factorial_design_shows_effects_and_interaction() -> None:
    factors = {"routing": ["one", "many"], "memory": ["off", "on"]}
    cells = {
        "a": {"routing": "one", "memory": "off"},
        "bb": {"routing": "one", "memory": "on"},
        "ccc": {"routing": "many", "memory": "off"},
        "dddd": {"routing": "many", "memory": "on"},
    }
    read = words(page(manifest(arms=list(cells), samples=SAMPLES, factors=factors, cells=cells)))
    assert "routing=many × memory=on" in read
    assert "The best arm is among" in read


def test_the_trade_off_is_drawn_where_something_is_consumed() -> None:
    """All trials of these arms consume alike but for nothing, so there is no front to draw."""
    assert "Quality, cost and time" not in page(manifest(samples=SAMPLES))
