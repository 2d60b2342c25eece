from __future__ import annotations

import re

import pytest

from nightschool.outcomes.regexes import regex_problem


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+",
        r"(\\.|.)*",
        r"(a?b?)*",
        r"(a|)*",
        r"(a*)*b",
        r"(?i:(?:A[a]+)+)",
        r"(?s:(?:.|\n)*)",
        r"(\w|_a)*",
    ],
)
def test_a_repetition_that_can_be_cut_in_several_ways_is_refused(pattern: str) -> None:
    assert "exponential time" in (regex_problem(pattern) or "")


@pytest.mark.parametrize(
    "pattern",
    [
        r"[a-z]+(-[a-z]+)*",
        r"\w+( \w+)*",
        r'"([^"\\]|\\.)*"',
        r'".*?(?<!\\)(\\\\)*?"',
        r"(.|\n)*?",
        r"(ab){2,}",
        r"(?:[A-Z][a-z]+)+",
        r"(a|b|[0-9])*",
    ],
)
def test_a_repetition_that_can_be_cut_in_one_way_is_taken(pattern: str) -> None:
    assert regex_problem(pattern) is None


def test_flags_count() -> None:
    assert regex_problem("(?:[A-Z][a-z]+)+", re.IGNORECASE) is not None


def test_what_is_no_expression_is_said_to_be_none() -> None:
    assert "is no regular expression" in (regex_problem("(") or "")
