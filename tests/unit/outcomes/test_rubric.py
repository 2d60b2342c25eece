from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import Malformed
from nightschool.outcomes.rubric import parse_rubric
from nightschool.outcomes.tiers import DIMENSIONS

TEXT = """# Rubric: review of a contract
The tier is Strict.

## Accuracy (0.35)
Are the findings
right?
- A finding is a clause
  that violates its policy.
- Twice is once.

## Format
"""


def test_dimensions_come_with_weight_question_and_criteria() -> None:
    accuracy, form = parse_rubric(TEXT).dimensions

    assert ("accuracy", 0.35, "Are the findings right?") == (
        accuracy.name,
        accuracy.weight,
        accuracy.question,
    )
    assert ("A finding is a clause that violates its policy.", "Twice is once.") == accuracy.criteria
    assert 1.0 == form.weight


def test_a_changed_text_is_another_version() -> None:
    assert parse_rubric(TEXT).text_hash != parse_rubric(TEXT + "\n").text_hash


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("## Accuracy\n", "begins with a title"),
        ("# R\n", "needs something to judge by"),
        ("# R\n## Accuracy (0)\n", "needs a dimension with a weight above 0"),
        ("# R\n## Format\n## Beauty\n", "r.md, line 3: no dimension `beauty`; there are: accuracy"),
        ("# R\n## Format\n## format\n", "r.md, line 3: `format` was already given on line 2"),
        ("# R\n## Format (much)\n", "r.md, line 2: the weight `much` must be a number"),
        ("# R\n## Format (nan)\n", "the weight `nan`"),
        ("# R\n## Format (-1)\n", "the weight `-1`"),
    ],
)
def test_a_malformed_rubric_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(Malformed, match=message):
        parse_rubric(text, name="r.md")


@given(st.dictionaries(st.sampled_from(DIMENSIONS), st.floats(0.01, 9), min_size=1))
def test_weights_come_back_as_they_were_written(weights: dict[str, float]) -> None:
    text = "# R\n" + "".join(f"## {name.title()} ({weight!r})\n" for name, weight in weights.items())

    assert weights == parse_rubric(text).weights


def test_the_contracts_suite_has_a_rubric_with_all_five_dimensions() -> None:
    rubric = parse_rubric(Path("evals/contracts/rubric.md").read_text(encoding="utf-8"))

    assert set(DIMENSIONS) == set(rubric.weights)
    assert all(dimension.criteria for dimension in rubric.dimensions)
