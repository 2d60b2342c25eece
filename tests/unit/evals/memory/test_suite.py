from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nightschool.experiments.suite import Suite, load_suite

EVALS = Path(__file__).resolve().parents[4] / "evals"


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite("memory", [EVALS])


def _gold(suite: Suite, sample: str) -> Any:
    return suite.module.draw(sample, 0, 0).gold


def test_trades_to_learn_from_and_trades_of_the_test_share_no_sentence(suite: Suite) -> None:
    said: dict[str, set[str]] = {"train": set(), "test": set()}
    for sample in suite.module.samples(suite.config):
        said[str(sample.facts["split"])] |= set(_gold(suite, sample.id)["wording"].values())

    assert said["train"] and said["test"]
    assert not said["train"] & said["test"]


def test_the_same_draw_is_the_same_contract(suite: Suite) -> None:
    one, other = (suite.module.draw("printing-1", 0, 5) for _ in range(2))

    assert (one.document, one.gold) == (other.document, other.gold)
    assert one.document != suite.module.draw("printing-1", 1, 5).document


def test_only_the_exact_set_of_flags_passes(suite: Suite) -> None:
    drawn = suite.module.draw("printing-1", 0, 0)
    flags = [{"policy": p, "position": "violation"} for p in _gold(suite, "printing-1")["violations"]]
    answers: list[dict[str, Any]] = [{"positions": flags}, {"positions": []}]
    scored = [suite.module.score(drawn.gold, answer, drawn.document) for answer in answers]

    assert [1.0, 0.0] == [each.accuracy for each in scored]
    assert 0.0 == scored[1].completeness and scored[1].metrics["missed"] > 0


def test_the_operators_word_names_what_was_wrong_and_no_canary(suite: Suite) -> None:
    for sample in suite.module.samples(suite.config)[:20]:
        gold, document = _gold(suite, sample.id), suite.module.draw(sample.id, 0, 0).document
        comment = suite.module.feedback(gold, {"positions": []})  # type: ignore[attr-defined]

        assert gold["canary"] not in comment + document
        assert "breaks" in comment or not set(gold["violations"]) & set(gold["wording"])
