"""The policies that contracts are reviewed against."""

from __future__ import annotations

import re

import pytest

from evals.contracts.library import library
from evals.contracts.playbook import parse_playbook, playbook_text, policies
from evals.contracts.templates import Choice, Slot, Template
from nightschool.core.errors import Malformed

POLICY = """# Playbook

## P01 Title
Clause: a clause
Position: a position
Acceptable: "good"
"""


def test_there_are_enough_policies_of_both_kinds() -> None:
    by_quantity = [policy for policy in policies() if policy.limit]

    assert len(policies()) >= 20
    assert 0.4 < len(by_quantity) / len(policies()) < 0.6


def test_some_policies_are_required_and_some_are_not() -> None:
    assert {True, False} == {policy.required for policy in policies()}


def test_the_playbook_says_whose_side_we_take() -> None:
    assert "We review as the Customer." in playbook_text()


def test_a_policy_without_a_field_is_refused_with_file_and_line() -> None:
    with pytest.raises(Malformed, match=r"book\.md:3: policy P01 has no field 'Not acceptable'"):
        parse_playbook(POLICY, source="book.md")


def test_a_limit_that_cannot_be_read_is_refused_with_file_and_line() -> None:
    text = POLICY + 'Not acceptable: "bad"\nLimit: twelve months\n'

    with pytest.raises(Malformed, match=r"book\.md:3: policy P01.*'twelve months' is not a limit"):
        parse_playbook(text, source="book.md")


def word_groups(text: str, size: int = 5) -> set[tuple[str, ...]]:
    """Return all runs of so many words within a sentence."""
    sentences = [re.findall(r"[a-z']+", sentence) for sentence in re.split(r"[.:;]", text.lower())]
    return {
        tuple(words[start : start + size]) for words in sentences for start in range(len(words) - size + 1)
    }


def literal_text(template: Template) -> str:
    """Return the text of a template with its first alternatives."""
    pieces = []
    for part in template.parts:
        match part:
            case str():
                pieces.append(part)
            case Slot():
                pieces.append("0")
            case Choice():
                pieces.append(literal_text(part.options[0]))
    return "".join(pieces)


def test_examples_in_the_playbook_are_worded_unlike_every_clause() -> None:
    """A reviewer must understand the example; matching its words must not be enough."""
    examples = {
        group for policy in policies() for group in word_groups(policy.acceptable + policy.not_acceptable)
    }
    clauses = {
        group
        for clause_type in library().clause_types.values()
        for wordings in clause_type.wordings.values()
        for wording in wordings
        for template in (wording.clause, wording.support)
        if template
        for group in word_groups(literal_text(template))
    }

    assert set() == examples & clauses
