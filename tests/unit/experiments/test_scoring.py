from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import Malformed
from nightschool.core.usage import Usage
from nightschool.experiments.scoring import efficiency, grade, regrade
from nightschool.experiments.suite import Reference
from nightschool.outcomes.rubric_yaml import parse_rubric_yaml
from tests.unit.experiments.fakes import GOLD, DrawnSum, suite

PAGE = Reference(tokens_per_page=1000, tool_calls_per_page=2, seconds_per_page=1)
USED = st.floats(0, 1e6)


def test_efficiency_is_quality_times_the_share_of_what_was_needed_in_what_was_used() -> None:
    spent = efficiency(PAGE, pages=10, accuracy=0.8, tokens=20_000, tool_calls=10, seconds=40)
    assert pytest.approx(0.8 * (0.5 + 1.0 + 0.25) / 3) == spent


def test_an_arm_that_did_nothing_is_not_efficient() -> None:
    assert 0.0 == efficiency(PAGE, pages=10, accuracy=0.0, tokens=0, tool_calls=0, seconds=0)


def test_what_is_not_known_or_has_no_reference_is_left_out() -> None:
    assert 0.5 == efficiency(
        Reference(tokens_per_page=1000, seconds_per_page=1),
        pages=1,
        accuracy=1.0,
        tokens=2000,
        tool_calls=99,
        seconds=None,
    )
    timed = Reference(seconds_per_page=1)
    assert efficiency(timed, pages=1, accuracy=1, tokens=1, tool_calls=1, seconds=None) is None


@given(st.floats(0.1, 500), st.floats(0, 1), USED, USED, USED, st.floats(1, 3))
def test_efficiency_stays_in_its_scale_and_never_rises_with_consumption(
    pages: float, accuracy: float, tokens: float, calls: float, seconds: float, more: float
) -> None:
    spent = efficiency(PAGE, pages=pages, accuracy=accuracy, tokens=tokens, tool_calls=calls, seconds=seconds)
    dearer = efficiency(
        PAGE, pages=pages, accuracy=accuracy, tokens=tokens * more, tool_calls=calls, seconds=seconds
    )
    assert spent is not None
    assert dearer is not None
    assert 0 <= dearer <= spent <= accuracy + 1e-12


def test_a_form_that_the_rubric_declares_decides_the_format_of_a_trial() -> None:
    rubric = parse_rubric_yaml(
        "title: x\ndimensions: [{name: format, checks: [{json_schema: {required: [notes]}}]}]"
    )
    drawn = DrawnSum("a", GOLD, {})
    right, wrong = (
        grade(replace(suite(), rubric=rubric), drawn, answer, usage=Usage(), tool_calls=1, seconds=1.0)
        for answer in ({"quality": 0.95, "document": "a", "notes": ""}, {"quality": 0.95, "document": "a"})
    )
    assert (1.0, 0.0) == (right.scores["format"], wrong.scores["format"])


def test_a_suite_without_reference_has_no_efficiency_and_is_judged_by_the_rest() -> None:
    drawn = DrawnSum("a", GOLD, {})
    answer = {"quality": 0.95, "document": "a"}
    graded = grade(suite(), drawn, answer, usage=Usage(), tool_calls=1, seconds=1.0)
    assert {"accuracy": 0.95, "completeness": 0.95, "format": 1.0} == graded.scores
    assert {"strict": True, "standard": True, "lenient": True} == graded.tiers


@pytest.mark.parametrize("facts", [{}, {"pages": 0}, {"pages": "ten"}, {"pages": True}])
def test_a_reference_per_page_needs_to_know_the_pages(facts: dict[str, Any]) -> None:
    drawn = DrawnSum("a", GOLD, facts)
    answer = {"quality": 0.5, "document": "a"}
    with pytest.raises(Malformed, match="without a number of `pages`"):
        grade(suite(PAGE), drawn, answer, usage=Usage(), tool_calls=1, seconds=1.0)


def test_weights_change_the_verdict_of_the_same_scores() -> None:
    scores = {"accuracy": 0.5, "format": 1.0}
    assert {"strict": False, "standard": True, "lenient": True} == regrade(scores, {})
    assert {"strict": False, "standard": False, "lenient": False} == regrade(scores, {"accuracy": 5.0})
