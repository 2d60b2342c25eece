"""Scoring reviews, honest ones and such as try to look good without reading."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.contracts.generate import draw_contract
from evals.contracts.playbook import policies
from evals.contracts.scoring import score_review
from nightschool.experiments.suite_parts import Drawn, Score, sections_of

Answer = dict[str, Any]

DRAWN = [draw_contract(sample, 0, 3) for sample in ("p005-1", "p012-1", "p030-1")]


@pytest.fixture(params=DRAWN, ids=["5 pages", "12 pages", "30 pages"])
def drawn(request: pytest.FixtureRequest) -> Drawn:
    found = request.param
    assert isinstance(found, Drawn)
    return found


def position(policy: str, kind: str, section: str | None, quote: str | None) -> Answer:
    return {
        "policy": policy,
        "position": kind,
        "section": section,
        "quote": quote,
        "confidence": 0.9,
        "reason": "",
    }


def missing(policy: str) -> Answer:
    return position(policy, "missing", None, None)


def true_position(held: dict[str, Any], document: str) -> Answer:
    if not held["sections"]:
        return missing(held["policy"])
    number = held["sections"][0]
    return position(held["policy"], held["position"], number, sections_of(document)[number].splitlines()[0])


def true_answer(drawn: Drawn) -> list[Answer]:
    return [true_position(held, drawn.document) for held in drawn.gold]


def score(drawn: Drawn, positions: object) -> Score:
    return score_review(drawn.gold, {"positions": positions}, drawn.document)


def findings(drawn: Drawn, kind: str) -> list[dict[str, Any]]:
    return [held for held in drawn.gold if held["position"] == kind]


def test_the_truth_scores_one_everywhere(drawn: Drawn) -> None:
    result = score(drawn, true_answer(drawn))

    assert (1.0, 1.0, 1.0) == (result.accuracy, result.completeness, result.format)
    assert {1.0} == {
        value for name, value in result.metrics.items() if name.startswith(("recall", "precision"))
    }
    assert 0 == result.metrics["false_flags"]
    assert result.metrics["findings"] == result.metrics["gold"]


def test_any_section_where_the_position_can_be_read_is_accepted(drawn: Drawn) -> None:
    sections = sections_of(drawn.document)
    answer = []
    for held in drawn.gold:
        number = held["sections"][-1] if held["sections"] else None
        kind = held["position"] if number else "missing"
        answer.append(position(held["policy"], kind, number, sections[number] if number else None))

    assert 1.0 == score(drawn, answer).accuracy


# Answers that try to look good without reading.


def test_an_answer_of_nothing_scores_nothing(drawn: Drawn) -> None:
    for nothing in ([], None, "all fine", [None, 7]):
        result = score(drawn, nothing)
        assert (0.0, 0.0, 0.0) == (result.accuracy, result.completeness, result.format)


def all_of(drawn: Drawn, kind: str, seed: int = 0) -> list[Answer]:
    """Return the same position on every policy, each with a true quote from some section."""
    rng = random.Random(seed)
    texts = [(number, body) for number, body in sections_of(drawn.document).items() if body]
    return [position(held["policy"], kind, *rng.choice(texts)) for held in drawn.gold]


def test_flagging_everything_at_random_places_scores_badly(drawn: Drawn) -> None:
    result = score(drawn, all_of(drawn, "violation"))

    assert 0.2 > result.accuracy
    assert 0.2 > result.completeness
    assert 20 < result.metrics["false_flags"]


def test_flagging_every_clause_that_is_there_is_no_better_than_a_coin() -> None:
    """Even one who finds every clause gains little by never judging it."""
    scores = []
    for drawn in DRAWN:
        answer = [
            {**each, "position": "violation"} if each["section"] else each for each in true_answer(drawn)
        ]
        scores.append(score(drawn, answer).accuracy)

    assert 0.8 > sum(scores) / len(scores)


def test_approving_everything_scores_badly(drawn: Drawn) -> None:
    result = score(drawn, all_of(drawn, "compliant"))

    assert 0.0 == result.accuracy
    assert 0.2 > result.completeness
    assert "precision" not in result.metrics


def test_calling_everything_missing_scores_badly(drawn: Drawn) -> None:
    result = score(drawn, [missing(held["policy"]) for held in drawn.gold])

    assert 0.35 > result.accuracy
    assert 0.55 > result.completeness
    assert 0.0 == result.metrics["recall_direct"]


def test_copying_the_playbook_scores_badly(drawn: Drawn) -> None:
    answer = [position(policy.id, "violation", "1", policy.not_acceptable) for policy in policies()]
    result = score(drawn, answer)

    assert (0.0, 0.0, 0.0) == (result.accuracy, result.completeness, result.format)


def test_quoting_every_section_under_every_policy_scores_badly(drawn: Drawn) -> None:
    texts = {number: body for number, body in sections_of(drawn.document).items() if body}
    answer = [position(held["policy"], "violation", *each) for held in drawn.gold for each in texts.items()]
    result = score(drawn, answer)

    assert 0.1 > result.accuracy
    assert 0.2 > result.completeness


# The parts of the score.


def test_a_violation_in_another_section_is_a_false_flag(drawn: Drawn) -> None:
    held = findings(drawn, "violation")[0]
    result = score(drawn, [position(held["policy"], "violation", "1.1", "This agreement")])

    assert 1 == result.metrics["false_flags"]
    assert 0.0 == result.metrics["recall"]


def test_a_finding_given_twice_is_counted_once_and_flagged_once(drawn: Drawn) -> None:
    held = findings(drawn, "violation")[0]
    once = true_position(held, drawn.document)
    result = score(drawn, [once, once])

    assert 1 == result.metrics["false_flags"]
    assert 0.5 == result.metrics["precision"]
    assert result.metrics["recall"] == pytest.approx(1 / result.metrics["gold"])


def test_to_say_that_an_optional_clause_is_missing_is_no_flag(drawn: Drawn) -> None:
    optional = next(held for held in drawn.gold if held["position"] == "absent")

    assert 0 == score(drawn, [missing(optional["policy"])]).metrics["findings"]


def test_to_say_that_a_required_clause_is_missing_when_it_is_there_is_a_false_flag(drawn: Drawn) -> None:
    there = next(held for held in drawn.gold if held["required"] and held["sections"])
    result = score(drawn, [missing(there["policy"])])

    assert 1 == result.metrics["false_flags"]
    assert 0.0 == result.completeness


def test_a_flag_on_a_policy_that_does_not_exist_is_a_false_flag(drawn: Drawn) -> None:
    for kind in ("violation", "missing"):
        assert 1 == score(drawn, [position("P99", kind, None, None)]).metrics["false_flags"]


def test_the_place_counts_for_completeness_whatever_is_concluded_from_it(drawn: Drawn) -> None:
    opposite = {"violation": "compliant", "compliant": "violation", "missing": "missing"}
    answer = [{**each, "position": opposite[each["position"]]} for each in true_answer(drawn)]
    result = score(drawn, answer)

    assert 1.0 == result.completeness
    assert 0.5 > result.accuracy


@pytest.mark.parametrize(
    "change",
    [
        lambda quote: quote.replace(" ", "\n  "),
        lambda quote: f"  {quote} ",
        lambda quote: quote.replace("'", "’").replace('"', "“"),
    ],
    ids=["line breaks", "margins", "typographic marks"],
)
def test_a_quote_may_differ_in_white_space_and_typography(change: Any) -> None:
    drawn = DRAWN[0]
    answer = [{**each, "quote": each["quote"] and change(each["quote"])} for each in true_answer(drawn)]

    assert 1.0 == score(drawn, answer).format


@pytest.mark.parametrize(
    "change",
    [
        {"quote": "Words that stand nowhere."},
        {"quote": ""},
        {"quote": None},
        {"section": None},
        {"section": "99.9"},
        {"section": "Section 1.1"},
        {"confidence": 1.5},
        {"confidence": "high"},
        {"position": "risky"},
        {"policy": "liability"},
        {"extra": 1},
    ],
)
def test_a_position_that_breaks_the_form_is_counted(change: dict[str, Any]) -> None:
    drawn = DRAWN[0]
    whole = [each for each in true_answer(drawn) if each["position"] != "missing"]
    broken = {**whole[0], **change}

    assert 1 - 1 / len(whole) == pytest.approx(score(drawn, [broken, *whole[1:]]).format)


def test_a_missing_clause_has_neither_section_nor_quote() -> None:
    drawn = DRAWN[0]

    assert 0.0 == score(drawn, [position("P01", "missing", "1.1", None)]).format


def test_a_position_without_a_reason_is_well_formed() -> None:
    drawn = DRAWN[0]
    bare = {name: value for name, value in missing("P01").items() if name != "reason"}

    assert 1.0 == score(drawn, [bare]).format


def test_a_recall_of_what_the_contract_does_not_have_is_left_out() -> None:
    gold = [{"policy": "P01", "required": True, "position": "missing", "via": None, "sections": []}]
    result = score_review(gold, {"positions": [missing("P01")]}, "# Contract\n\n## 1 Parties\n\nNames.\n")

    assert {"recall", "recall_missing", "precision", "false_flags", "findings", "gold"} == set(result.metrics)


def test_a_contract_without_findings_asks_for_none() -> None:
    gold = [{"policy": "P01", "required": False, "position": "absent", "via": None, "sections": []}]
    document = "# Contract\n\n## 1 Parties\n\nNames.\n"

    assert 1.0 == score_review(gold, {"positions": [missing("P01")]}, document).accuracy
    assert (
        0.0
        == score_review(gold, {"positions": [position("P01", "violation", "1", "Names.")]}, document).accuracy
    )


@settings(max_examples=25, deadline=None)
@given(st.sets(st.integers(0, 27)), st.integers(0, 1000))
def test_more_true_findings_never_score_less_and_more_false_ones_never_more(
    kept: set[int], seed: int
) -> None:
    drawn = DRAWN[1]
    some = [each for index, each in enumerate(true_answer(drawn)) if index in kept]
    noise = all_of(drawn, "violation", seed)
    held = {item["policy"]: item for item in drawn.gold}
    false = [each for each in noise if each["section"] not in held[each["policy"]]["sections"]]

    assert score(drawn, some).accuracy <= score(drawn, true_answer(drawn)).accuracy
    assert score(drawn, [*some, *false[:3]]).accuracy <= score(drawn, some).accuracy


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["positions", "policy", "position", "section", "quote"]), inner, max_size=5
            )
        ),
        max_leaves=20,
    )
)
def test_no_answer_breaks_the_scoring(answer: object) -> None:
    result = score(DRAWN[0], answer)

    assert all(0.0 <= value <= 1.0 for value in (result.accuracy, result.completeness, result.format))
