from __future__ import annotations

from typing import Any

import pytest

from nightschool.models.embed import CachedEmbedder, Embedder, MiniLmEmbedder
from nightschool.outcomes.findings import findings_of
from nightschool.outcomes.grader import grade_pointing, pointer_line
from nightschool.outcomes.overlooked import Pointer, overlooked
from nightschool.outcomes.playbook import policies_of
from nightschool.sandbox.documents import parse_document
from tests.unit.models.reader.desk import LEASE, PLAYBOOK

DEPOSIT = "Whatever sum was left with the Landlord as security is returned within two weeks of moving out."
DOCUMENT = parse_document(f"{LEASE}\n### 5.3 Handover\n\nThe caretaker reads the meters. {DEPOSIT}\n")
POLICIES = policies_of(PLAYBOOK)
PETS = "Keeping animals of any kind in the flat, dogs and cats included, is forbidden."


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return CachedEmbedder(MiniLmEmbedder())


def missing(*policies: str) -> list[dict[str, Any]]:
    return [
        {"policy": policy, "position": "missing", "section": None, "quote": None, "confidence": 0.6}
        for policy in policies
    ]


def pointed(embedder: Embedder, answer: list[dict[str, Any]], *only: str) -> list[Pointer]:
    findings = findings_of({"positions": answer})
    return overlooked(DOCUMENT, POLICIES, findings, embedder, only=only)


def test_the_sentence_that_speaks_to_a_policy_is_pointed_at_with_its_section(embedder: Embedder) -> None:
    deposit, pets = pointed(embedder, missing("L2", "L4"), "L4", "L2")[::-1]

    assert ("L4", "5.3", DEPOSIT) == (deposit.policy, deposit.section, deposit.quote)
    assert ("L2", "4.1", PETS) == (pets.policy, pets.section, pets.quote)


def test_what_was_quoted_was_not_overlooked(embedder: Embedder) -> None:
    quoted = {"policy": "L1", "position": "compliant", "section": "4.1", "quote": PETS, "confidence": 0.9}
    (pets,) = pointed(embedder, [quoted, *missing("L2")], "L2")

    assert PETS != pets.quote


def test_a_document_without_a_sentence_points_nowhere(embedder: Embedder) -> None:
    assert [] == overlooked(parse_document("# D\n## 1 A\nNo.\n"), POLICIES, (), embedder, only=["L4"])


def test_only_a_strong_doubt_sends_the_result_back(embedder: Embedder) -> None:
    answer = {"positions": missing(*(policy.id for policy in POLICIES))}

    def fed_back(least: float) -> tuple[str, ...]:
        verdict = grade_pointing(answer, DOCUMENT, policies=POLICIES, embedder=embedder, least=least)
        assert verdict.satisfied == (not verdict.feedback)
        return verdict.feedback

    assert len(POLICIES) == len(fed_back(0.0))
    assert () == fed_back(9.0)
    assert f"L4: section 5.3 may speak to it: “{DEPOSIT}”" in fed_back(0.0)


def test_a_doubt_that_was_looked_into_is_not_raised_again(embedder: Embedder) -> None:
    answer = {"positions": missing(*(policy.id for policy in POLICIES))}
    first = grade_pointing(answer, DOCUMENT, policies=POLICIES, embedder=embedder, least=0.0)
    earlier = ["; ".join(first.feedback[1:])]
    second = grade_pointing(
        answer, DOCUMENT, policies=POLICIES, embedder=embedder, least=0.0, earlier=earlier
    )

    assert first.feedback[:1] == second.feedback


def test_an_answer_that_breaks_the_schema_is_not_looked_into(embedder: Embedder) -> None:
    verdict = grade_pointing(
        {"positions": [{"policy": "L4"}]}, DOCUMENT, policies=POLICIES, embedder=embedder, least=0.0
    )

    assert {"format": 0.0} == verdict.scores


def test_a_pointer_is_one_line() -> None:
    line = pointer_line(Pointer(policy="P1", section="2.1", quote="Ten euros.", strength=1.0))

    assert "P1: section 2.1 may speak to it: “Ten euros.”" == line
