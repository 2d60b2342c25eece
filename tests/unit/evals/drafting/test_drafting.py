"""The accounts say all that a report needs, true checks find what is wrong in one, and no shortcut pays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.drafting.books import LEVELS, draw_accounts
from evals.drafting.brief import DISCLOSURES, SUMS, read_brief
from evals.drafting.scoring import score_report
from evals.drafting.work import check, decisions, faults, made
from nightschool.core.errors import NotFound
from nightschool.experiments.probes import gaming_probes, probe_suite
from nightschool.experiments.suite import load_suite

ROOT = Path(__file__).resolve().parents[4]
IDS: list[str] = yaml.safe_load((ROOT / "evals" / "drafting" / "suite.yaml").read_text("utf-8"))["samples"]


def handed_in(text: str) -> dict[str, Any]:
    return {"files": [{"path": "report.md", "content": text}]}


def right(sample: str) -> tuple[Any, str]:
    drawn = draw_accounts(sample, 0, 0)
    return drawn, made(drawn.document, frozenset())["files"][0]["content"]


@given(st.sampled_from(IDS), st.integers(0, 5), st.integers(0, 5))
@settings(max_examples=60)
def test_whoever_reads_the_accounts_knows_all_that_there_is_to_know(
    sample: str, epoch: int, seed: int
) -> None:
    drawn = draw_accounts(sample, epoch, seed)
    brief = read_brief(drawn.document)
    assert drawn.gold["lines"] == {
        **brief.assets,
        **brief.liabilities,
        **brief.result,
        **brief.cash,
        **brief.sums,
    }
    assert drawn.gold["disclosures"] == {
        section: [{"who": fact.who, "amount": fact.amount} for fact in brief.disclosed(section)]
        for section in DISCLOSURES
    }


@given(st.sampled_from(IDS), st.integers(0, 5))
@settings(max_examples=40)
def test_the_sums_tie_out(sample: str, epoch: int) -> None:
    lines = draw_accounts(sample, epoch, 0).gold["lines"]
    assert lines["Total assets"] == lines["Total liabilities and equity"]
    assert lines["Equity"] + lines["Total liabilities"] == lines["Total assets"]
    assert lines["Profit after tax"] + lines["Tax due"] == lines["Revenue"] - lines["Expenses"]
    assert lines["Closing cash"] == lines["Opening cash"] + lines["Change in cash"]
    assert 0 <= lines["Tax due"]


@pytest.mark.parametrize("sample", IDS)
def test_the_ceiling_is_one_for_a_report_that_is_right(sample: str) -> None:
    drawn, text = right(sample)
    found = score_report(drawn.gold, handed_in(text), drawn.document)
    assert (1.0, 1.0, 1.0) == (found.accuracy, found.completeness, found.format)
    assert (1.0, 0.0, 1.0) == tuple(found.metrics[n] for n in ("success", "error_rate", "completion"))
    assert {} == check(drawn.document, handed_in(text)) | faults(drawn.document, handed_in(text))


@given(st.sampled_from(IDS), st.integers(0, 3), st.data())
@settings(max_examples=120)
def test_a_decision_taken_wrongly_is_no_success_and_is_what_a_careful_reader_finds(
    sample: str, epoch: int, data: st.DataObject
) -> None:
    drawn = draw_accounts(sample, epoch, 0)
    decision = data.draw(st.sampled_from(decisions(drawn.document)))
    answer = made(drawn.document, frozenset({decision.name}))
    said = check(drawn.document, answer) if decision.kind == "form" else faults(drawn.document, answer)
    assert 0.0 == score_report(drawn.gold, answer, drawn.document).metrics["success"]
    assert [decision.name] == list(said)


@given(st.sampled_from(IDS), st.text() | st.none() | st.integers())
def test_whatever_is_handed_in_gets_a_score_and_no_success(sample: str, text: Any) -> None:
    drawn = draw_accounts(sample, 0, 0)
    found = score_report(drawn.gold, handed_in(text), drawn.document)
    assert 0 <= found.accuracy <= 1
    assert 0.0 == found.metrics["success"]
    check(drawn.document, handed_in(text))
    faults(drawn.document, handed_in(text))


def test_a_disclosure_may_be_worded_freely_but_not_tell_of_what_does_not_belong_there() -> None:
    sample = next(each for each in IDS if draw_accounts(each, 0, 0).gold["disclosures"]["Contingencies"])
    drawn, text = right(sample)
    fact = drawn.gold["disclosures"]["Contingencies"][0]
    innocent = next(
        each
        for each in read_brief(drawn.document).facts
        if each.section == "Contingencies" and not each.is_disclosed
    )
    told = f"{fact['who']}: {fact['amount']:,}."
    free = text.replace(told, f"A suit by {fact['who']} about EUR {fact['amount']:,} is pending.")
    more = text.replace(told, f"{told} {innocent.who}: {innocent.amount:,}.")
    found = [score_report(drawn.gold, handed_in(each), drawn.document).metrics for each in (free, more)]
    assert [1.0, 0.0] == [each["success"] for each in found]
    assert [1.0, 2 / 3] == [each["disclosures"] for each in found]


def test_hours_are_those_of_what_is_right() -> None:
    drawn, text = right("easy-1")
    lines = len(drawn.gold["lines"])
    whole, half = (
        score_report(drawn.gold, handed_in(each), drawn.document).metrics["hours_equivalent"]
        for each in (text, made(drawn.document, frozenset(SUMS))["files"][0]["content"])
    )
    assert (lines * 2 + 3 * 15) / 60 == pytest.approx(whole)
    assert ((lines - len(SUMS)) * 2 + 3 * 15) / 60 == pytest.approx(half)


@pytest.mark.parametrize("level", LEVELS)
def test_levels_differ_in_accounts(level: str) -> None:
    assert 2 * LEVELS[level][0] == draw_accounts(f"{level}-1", 0, 0).facts["accounts"]


def test_an_unknown_sample_is_refused() -> None:
    with pytest.raises(NotFound, match="easy-1"):
        draw_accounts("simple-1", 0, 0)


def test_no_shortcut_passes() -> None:
    assert () == gaming_probes(probe_suite(load_suite("drafting", [ROOT / "evals"]), IDS))
