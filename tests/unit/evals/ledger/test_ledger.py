"""The books are what their truth says, and scoring finds out what a review is worth."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.ledger.books import CHECKS, ROWS, draw_books
from evals.ledger.scoring import score_review
from nightschool.core.errors import NotFound
from nightschool.experiments.probes import gaming_probes, probe_suite
from nightschool.experiments.suite import load_suite
from nightschool.outcomes.playbook import policies_of

ROOT = Path(__file__).resolve().parents[4]
SUITE = ROOT / "evals" / "ledger"
IDS = yaml.safe_load((SUITE / "suite.yaml").read_text("utf-8"))["samples"]


def section(document: str, number: str) -> str:
    found = re.search(rf"^## {number} .*?$(.*?)(?=^## |\Z)", document, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1].strip()


def oracle(sample: str, epoch: int = 0) -> tuple[Any, dict[str, Any]]:
    """What somebody hands in who knows the truth."""
    drawn = draw_books(sample, epoch, 0)
    positions = []
    for held in drawn.gold:
        at = held["sections"][0] if held["sections"] else None
        quote = None if at is None else section(drawn.document, at).splitlines()[0]
        positions.append(
            {"policy": held["policy"], "position": held["position"], "section": at, "quote": quote}
        )
    return drawn, {"positions": positions}


@pytest.mark.parametrize("sample", IDS)
def test_the_ceiling_is_one_for_whoever_knows_the_truth(sample: str) -> None:
    drawn, answer = oracle(sample)
    found = score_review(drawn.gold, answer, drawn.document)
    assert (1.0, 1.0, 1.0) == (found.accuracy, found.completeness, found.format)
    assert (0.0, 1.0) == (found.metrics["error_rate"], found.metrics["completion"])


@given(st.sampled_from(IDS), st.integers(0, 5))
@settings(max_examples=40)
def test_arithmetic_in_the_books_is_broken_where_the_truth_says_so(sample: str, epoch: int) -> None:
    drawn = draw_books(sample, epoch, 0)
    truth = {held["policy"]: held for held in drawn.gold}

    def numbers(check: str) -> list[int]:
        text = section(drawn.document, truth[check]["sections"][0])
        return [int(value.replace(",", "")) for value in re.findall(r": (-?[\d,]+)$", text, re.MULTILINE)]

    cash, equipment, receivables, assets, debts, equity, other = numbers("P01")
    assert (cash + equipment + receivables, debts + equity) == (assets, other)
    *segments, revenue = numbers("P02")
    *flows, closing = numbers("P03")
    sales, purchases, due = numbers("P10")
    differences = {
        "P01": assets - other,
        "P02": sum(segments) - revenue,
        "P03": sum(flows) - closing,
        "P10": sales - purchases - due,
    }
    for check, difference in differences.items():
        assert (abs(difference) > 1) == (truth[check]["position"] == "violation"), check


@given(st.sampled_from(IDS), st.integers(0, 5))
@settings(max_examples=40)
def test_journals_hold_the_error_where_the_truth_says_so_and_an_innocent_likeness_always(
    sample: str, epoch: int
) -> None:
    drawn = draw_books(sample, epoch, 0)
    truth = {held["policy"]: held for held in drawn.gold}
    sales, paid, approved = (
        section(drawn.document, truth[check]["sections"][0]).splitlines() for check in ("P04", "P05", "P06")
    )
    late = [row for row in sales if "delivered 2026" in row]
    twice = [row for row in paid if paid.count(row) > 1]
    alone = [
        row
        for row in approved
        if int(row.split(": ")[1].split(", approved")[0].replace(",", "")) > 10_000 and " and " not in row
    ]
    for check, errors in (("P04", late), ("P05", twice), ("P06", alone)):
        assert bool(errors) == (truth[check]["position"] == "violation"), check
    assert any("delivered 2025-12" in row and "invoiced 2026" in row for row in sales)
    assert 2 <= sum("Northgate Rent, invoice R" in row for row in paid)


def test_a_repeat_is_the_same_truth_in_other_books() -> None:
    first, second = draw_books("medium-1", 0, 0), draw_books("medium-1", 1, 0)
    assert [held["position"] for held in first.gold] == [held["position"] for held in second.gold]
    assert first.document != second.document
    assert first == draw_books("medium-1", 0, 0)


@pytest.mark.parametrize("level", ROWS)
def test_levels_differ_in_length(level: str) -> None:
    drawn = draw_books(f"{level}-1", 0, 0)
    assert (level, ROWS[level]) == (drawn.facts["level"], drawn.facts["rows"])


def test_an_unknown_sample_is_refused() -> None:
    with pytest.raises(NotFound, match="easy-1"):
        draw_books("simple-1", 0, 0)


def test_flagging_everything_costs_accuracy() -> None:
    drawn, answer = oracle("easy-1")
    for position in answer["positions"]:
        position["position"] = "violation"
    found = score_review(drawn.gold, answer, drawn.document)
    assert found.accuracy < 0.7
    assert found.metrics["false_flags"] > 0


def test_the_playbook_has_the_ten_checks() -> None:
    text = (SUITE / "playbook.md").read_text("utf-8")
    assert list(CHECKS) == [policy.id for policy in policies_of(text)]


def test_no_shortcut_passes() -> None:
    assert () == gaming_probes(probe_suite(load_suite("ledger", [ROOT / "evals"]), IDS))
