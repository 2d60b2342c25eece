from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from nightschool.core.errors import InvalidInput, Malformed
from nightschool.experiments.domains import DomainExamples, load_domains
from nightschool.models.embed import HashEmbedder, MiniLmEmbedder
from nightschool.outcomes.domain import DomainClassifier, Example, held_out
from nightschool.outcomes.tiers import Tier

EVALS = Path(__file__).resolve().parents[3] / "evals"
TIERS: Mapping[str, Tier] = {"law": Tier.STRICT, "play": Tier.LENIENT}


@pytest.fixture(scope="module")
def known() -> DomainExamples:
    return load_domains([EVALS])


@pytest.fixture(scope="module")
def classifier(known: DomainExamples) -> DomainClassifier:
    return DomainClassifier(known.examples, known.tiers, MiniLmEmbedder())


@pytest.mark.parametrize(
    ("task", "domain", "tier"),
    [
        ("What is the highest daily dose of ibuprofen for an adult?", "medicine", Tier.STRICT),
        ("Does this employment contract let the landlord raise the rent?", "law", Tier.STRICT),
        ("Compute the operating margin from the income statement.", "finance", Tier.STRICT),
        ("Write a silly haiku about breakfast.", "drafting", Tier.LENIENT),
    ],
)
def test_medicine_law_and_finance_are_strict_and_drafts_lenient(
    classifier: DomainClassifier, task: str, domain: str, tier: Tier
) -> None:
    guess = classifier.guess(task)

    assert (domain, tier, False) == (guess.domain, guess.tier, guess.abstained)
    assert guess.reason.startswith(f"{domain} (")


def test_what_it_cannot_place_is_standard_and_it_says_so(classifier: DomainClassifier) -> None:
    guess = classifier.guess("xyzzy")

    assert guess.abstained
    assert Tier.STANDARD is guess.tier
    assert "not sure of the field" in guess.reason


def test_on_tasks_it_was_not_fitted_to_it_is_right_calibrated_and_seldom_too_lenient(
    known: DomainExamples,
) -> None:
    """The numbers of docs/concepts/outcomes-and-tiers.md, with room for another processor's arithmetic."""
    found = held_out(known.examples, known.tiers, MiniLmEmbedder())

    assert 100 == found.examples
    assert found.accuracy >= 0.85
    assert found.accuracy_when_sure >= found.accuracy
    assert found.missed_strict <= 0.10
    assert found.calibration_error <= 0.10


def test_the_same_examples_give_the_same_guess(known: DomainExamples, classifier: DomainClassifier) -> None:
    again = DomainClassifier(known.examples, known.tiers, MiniLmEmbedder())

    assert classifier.guess("Review the lease.") == again.guess("Review the lease.")


def examples(**counts: int) -> list[Example]:
    return [
        Example(text=f"{domain} {number}", domain=domain)
        for domain, count in counts.items()
        for number in range(count)
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (examples(law=20), "two fields"),
        (examples(law=20, play=3), "`play` has 3 examples"),
        (examples(law=20, botany=20), "`botany` has no tier"),
    ],
)
def test_examples_that_cannot_be_fitted_to_are_refused(given: list[Example], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        DomainClassifier(given, TIERS, HashEmbedder())


def test_a_domain_without_a_tier_is_named_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "outcomes").mkdir()
    (tmp_path / "outcomes" / "domains.yaml").write_text(
        "tiers: {law: strict}\ntasks: {botany: [Name the plant.]}\n", encoding="utf-8"
    )

    with pytest.raises(Malformed, match=r"domains\.yaml, line 1.*`botany`"):
        load_domains([tmp_path])
