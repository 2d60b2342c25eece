"""The suite as the experiment engine sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nightschool.core.errors import Malformed, NotFound
from nightschool.experiments.suite import Suite, load_suite
from nightschool.models.reader.playbook import parse_playbook

EVALS = Path(__file__).resolve().parents[4] / "evals"


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite("contracts", [EVALS])


def test_the_engine_loads_the_suite(suite: Suite) -> None:
    assert "accuracy" == suite.primary_metric
    assert ("false_flags",) == suite.lower_is_better


def test_the_five_dimensions_have_weights_that_sum_to_one(suite: Suite) -> None:
    assert {"accuracy", "completeness", "consistency", "efficiency", "format"} == set(suite.weights)
    assert 1.0 == pytest.approx(sum(suite.weights.values()))


def test_there_are_24_samples_from_5_to_30_pages(suite: Suite) -> None:
    samples = suite.module.samples(suite.config)
    pages = [sample.facts["pages"] for sample in samples]

    assert 24 == len({sample.id for sample in samples})
    assert (5, 30) == (min(pages), max(pages))


def test_a_sample_is_drawn_and_its_truth_scored(suite: Suite) -> None:
    sample = suite.module.samples(suite.config)[0]
    drawn = suite.module.draw(sample.id, 0, 0)
    result = suite.module.score(drawn.gold, {"positions": []}, drawn.document)

    assert 0.0 == result.accuracy
    assert "recall" in result.metrics


def test_the_playbook_is_read_by_a_reviewer_as_it_is_meant(suite: Suite) -> None:
    playbook = parse_playbook(f"You review contracts.\n\n{suite.module.playbook_text()}")

    assert "Customer" == playbook.party
    assert 28 == len(playbook.policies)
    assert 15 == sum(policy.limit is not None for policy in playbook.policies)
    assert all(policy.acceptable and policy.not_acceptable for policy in playbook.policies)


@pytest.mark.parametrize("declared", [None, [], "p005-1", {"p005-1": 5}])
def test_samples_that_are_no_list_are_refused(suite: Suite, declared: object) -> None:
    with pytest.raises(Malformed, match="`samples` must be a list"):
        suite.module.samples({"samples": declared})


def test_a_sample_of_another_form_is_refused(suite: Suite) -> None:
    with pytest.raises(NotFound, match="no sample 'long'"):
        suite.module.samples({"samples": ["long"]})
