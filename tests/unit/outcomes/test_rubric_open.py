from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import Malformed
from nightschool.outcomes.gradings import criteria_of
from nightschool.outcomes.rubric import parse_rubric
from nightschool.outcomes.rubric_open import parse_open_rubric

FORECAST = """# Rubric: quarterly forecast

## Revenue projections (40%)
1. Growth is derived from
   five years of history.
2) The segments add up.

## Layout & style (weight: 0.2)
- [ ] One sheet for each statement.

### Notes
Are the sources named?
"""


def test_headings_become_dimensions_and_items_their_criteria() -> None:
    revenue, layout, notes = parse_rubric(FORECAST).dimensions

    assert ("revenue-projections", 0.4) == (revenue.name, revenue.weight)
    assert ("Growth is derived from five years of history.", "The segments add up.") == revenue.criteria
    assert ("layout-style", 0.2, ("One sheet for each statement.",)) == (
        layout.name,
        layout.weight,
        layout.criteria,
    )
    assert ("notes", 1.0, "Are the sources named?", ()) == (
        notes.name,
        notes.weight,
        notes.question,
        notes.criteria,
    )


def test_each_criterion_has_an_id_that_a_grader_can_name() -> None:
    ids = [criterion.id for criterion in criteria_of(parse_rubric(FORECAST))]

    assert ["revenue-projections.1", "revenue-projections.2", "layout-style.1", "notes.1"] == ids


def test_a_text_without_headings_is_one_dimension() -> None:
    (whole,) = parse_open_rubric("- It is short.\n- It is true.\n").dimensions

    assert ("quality", ("It is short.", "It is true.")) == (whole.name, whole.criteria)


def test_two_headings_of_one_name_stay_apart() -> None:
    rubric = parse_open_rubric("## Tone\n- Kind.\n## Tone\n- Clear.\n")

    assert ["tone", "tone-2"] == [dimension.name for dimension in rubric.dimensions]


@pytest.mark.parametrize("text", ["", "# Title only\n", "## A\n## B\n", "## A (0)\n- Free.\n"])
def test_what_judges_nothing_is_refused(text: str) -> None:
    with pytest.raises(Malformed, match="something to judge by"):
        parse_open_rubric(text)


@given(st.text())
def test_any_text_is_a_rubric_or_refused(text: str) -> None:
    try:
        rubric = parse_open_rubric(text)
    except Malformed:
        return
    names = [dimension.name for dimension in rubric.dimensions]
    assert len(set(names)) == len(names) > 0
    assert all(dimension.criteria or dimension.question for dimension in rubric.dimensions)
