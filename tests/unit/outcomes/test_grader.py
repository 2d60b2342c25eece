from __future__ import annotations

from typing import Any

from nightschool.outcomes.grader import grade, grade_absences
from nightschool.sandbox.documents import parse_document

DOCUMENT = parse_document("# Deal\n## 1 Term\nThe term is\n  three years.\n## 2 Price\nTen euros.\n")


def _position(**changes: Any) -> dict[str, Any]:
    base = {
        "policy": "P01",
        "position": "violation",
        "section": "1",
        "quote": "three years",
        "confidence": 0.9,
    }
    return base | changes


def test_an_answer_whose_quotes_stand_in_their_sections_satisfies() -> None:
    verdict = grade({"positions": [_position(quote="The term is three YEARS.")]}, DOCUMENT)

    assert verdict.satisfied
    assert {"format": 1.0} == verdict.scores


def test_a_quote_that_is_not_there_is_named_in_the_feedback() -> None:
    verdict = grade({"positions": [_position(section="2")]}, DOCUMENT)

    assert not verdict.satisfied
    assert ("P01: the quote is not in section 2",) == verdict.feedback


def test_a_policy_without_a_position_is_named_in_the_feedback() -> None:
    verdict = grade({"positions": [_position()]}, DOCUMENT, policies=("P01", "P02"))

    assert 0.5 == verdict.scores["completeness"]
    assert ("P02: no position given",) == verdict.feedback


def test_a_missing_policy_needs_no_quote() -> None:
    verdict = grade({"positions": [_position(position="missing", section=None, quote=None)]}, DOCUMENT)

    assert verdict.satisfied


def test_an_empty_quote_is_no_evidence() -> None:
    assert not grade({"positions": [_position(quote="  ")]}, DOCUMENT).satisfied


def test_an_answer_that_breaks_the_schema_scores_nothing_for_format() -> None:
    assert {"format": 0.0} == grade({"positions": [{"policy": "P01"}]}, DOCUMENT).scores


def test_a_required_clause_said_to_be_missing_is_sent_back_to_be_looked_for() -> None:
    answer = {
        "positions": [
            _position(),
            _position(policy="P02", position="missing", section=None, quote=None),
            _position(policy="P03", position="missing", section=None, quote=None),
        ]
    }
    verdict = grade_absences(answer, DOCUMENT, required=("P01", "P02"))

    assert not verdict.satisfied
    assert ("P02: no evidence that it is missing; look again",) == verdict.feedback
    assert {"format": 1.0, "completeness": 1.0} == verdict.scores


def test_an_answer_that_claims_no_absence_is_not_doubted() -> None:
    assert grade_absences({"positions": [_position()]}, DOCUMENT, required=("P01",)).satisfied


def test_what_breaks_the_schema_is_not_doubted_but_named() -> None:
    verdict = grade_absences({"positions": [{"policy": "P01"}]}, DOCUMENT, required=("P01",))

    assert {"format": 0.0} == verdict.scores
