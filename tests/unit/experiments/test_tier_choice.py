from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from nightschool.experiments.suite import Suite, load_suite
from nightschool.experiments.tier_choice import infer_tier, tier_of_suite
from nightschool.models.embed import MiniLmEmbedder
from nightschool.outcomes.tiers import Tier

EVALS = (Path(__file__).resolve().parents[3] / "evals",)


@pytest.fixture(scope="module")
def contracts() -> Suite:
    return load_suite("contracts", EVALS)


def not_needed() -> NoReturn:
    raise AssertionError("nothing had to be inferred")


def test_what_a_person_asks_for_outranks_the_suite(contracts: Suite) -> None:
    suite = replace(contracts, tier=Tier.STRICT)
    choice = tier_of_suite(suite, asked="lenient", folders=EVALS, embedder=not_needed)

    assert (Tier.LENIENT, "as asked", None) == (choice.tier, choice.reason, choice.confidence)


def test_a_suites_own_tier_outranks_that_of_its_domain(contracts: Suite) -> None:
    suite = replace(contracts, tier=Tier.LENIENT)

    assert Tier.LENIENT is tier_of_suite(suite, asked=None, folders=EVALS, embedder=not_needed).tier


def test_a_declared_domain_decides_without_a_guess(contracts: Suite) -> None:
    choice = tier_of_suite(contracts, asked=None, folders=EVALS, embedder=not_needed)

    assert (Tier.STRICT, "the suite's domain is law: Strict") == (choice.tier, choice.reason)


def test_a_suite_that_says_nothing_is_taken_for_what_its_description_says(contracts: Suite) -> None:
    config = {"description": "Read the patient's record and list every drug that must not be given."}
    suite = replace(contracts, title="Ward round", config=config)
    choice = tier_of_suite(suite, asked=None, folders=EVALS, embedder=MiniLmEmbedder)

    assert Tier.STRICT is choice.tier
    assert choice.reason.startswith("medicine (")
    assert choice.confidence is not None
    assert 0.6 < choice.confidence <= 1


def test_what_cannot_be_placed_is_standard_and_says_so() -> None:
    choice = infer_tier("xyzzy", asked=None, folders=EVALS, embedder=MiniLmEmbedder)

    assert Tier.STANDARD is choice.tier
    assert choice.reason.startswith("not sure of the field")
    assert {"tier_reason", "tier_confidence"} == set(choice.as_facts())


def test_without_examples_it_is_standard_and_says_so(tmp_path: Path) -> None:
    choice = infer_tier("Review the lease.", asked=None, folders=[tmp_path], embedder=not_needed)

    assert Tier.STANDARD is choice.tier
    assert "no examples" in choice.reason
