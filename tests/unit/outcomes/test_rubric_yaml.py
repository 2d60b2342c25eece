from __future__ import annotations

from typing import Any

import pytest

from nightschool.core.errors import Malformed
from nightschool.outcomes.checks import Checked, decide_by_code
from nightschool.outcomes.gradings import criteria_of
from nightschool.outcomes.rubric import parse_rubric
from nightschool.outcomes.rubric_yaml import parse_rubric_yaml
from nightschool.sandbox.documents import parse_document

TEXT = """title: review
dimensions:
  - name: accuracy
    weight: 2
    question: Are the findings right?
    criteria: [Each is true.]
    anchors: {1: all are, 0: none is}
  - name: completeness
    checks: [coverage]
  - name: format
    checks: [schema, quotes]
"""
DOCUMENT = parse_document("# Deal\n## 1 Term\nThe term is three years.\n")


def position(**changes: Any) -> dict[str, Any]:
    base = {"policy": "P01", "position": "violation", "section": "1", "quote": "three years", "confidence": 1}
    return base | changes


def test_weights_criteria_anchors_and_checks_are_read() -> None:
    rubric = parse_rubric_yaml(TEXT)

    assert {"accuracy": 2.0, "completeness": 1.0, "format": 1.0} == rubric.weights
    assert ((0.0, "none is"), (1.0, "all are")) == rubric.dimensions[0].anchors
    assert {"completeness": ("coverage",), "format": ("schema", "quotes")} == rubric.checks
    assert ["accuracy.1"] == [each.id for each in criteria_of(rubric, decided=rubric.checks)]


def test_another_text_is_another_version() -> None:
    assert parse_rubric_yaml(TEXT).text_hash != parse_rubric_yaml(TEXT + "# seen\n").text_hash


def test_both_forms_say_the_same() -> None:
    as_yaml = "title: x\ndimensions: [{name: format, weight: 0.5, question: 'Q?', criteria: [A., B.]}]\n"
    as_markdown = "# Rubric: x\n## Format (0.5)\nQ?\n- A.\n- B.\n"

    assert parse_rubric(as_markdown).dimensions == parse_rubric_yaml(as_yaml).dimensions


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("title: [", "not YAML"),
        ("dimensions: []", "`title`"),
        ("title: x\ndimensions: []", "`dimensions`"),
        ("title: x\ndimensions: [{name: beauty, question: Q}]", "dimensions.0.name"),
        ("title: x\ndimensions: [{name: format, question: Q, weight: .nan}]", "dimensions.0.weight"),
        ("title: x\ndimensions: [{name: format, question: Q, weight: 0}]", "weight above 0"),
        ("title: x\ndimensions: [{name: format}]", "needs a question, criteria or checks"),
        ("title: x\ndimensions: [{name: format, checks: [magic]}]", "no check `magic`; there are: coverage"),
        ("title: x\ndimensions: [{name: format, question: Q}, {name: format, question: Q}]", "given twice"),
        ("title: x\ndimensions: [{name: format, question: Q, anchors: {2: no}}]", "anchors"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(Malformed, match=f"a.yaml: .*{problem}"):
        parse_rubric_yaml(text, name="a.yaml")


def test_checks_decide_what_they_can_and_leave_the_rest() -> None:
    answer = {"positions": [position(), position(policy="P02", quote="four years")]}
    checked = Checked(answer=answer, document=DOCUMENT, policies=("P01", "P02", "P03", "P04"))
    decided = decide_by_code(parse_rubric_yaml(TEXT).checks, checked)

    assert {"completeness": 0.5, "format": 0.5} == decided.scores
    assert (
        "P03: no position given",
        "P04: no position given",
        "P02: the quote is not in section 1",
    ) == decided.feedback


def test_an_answer_without_its_form_fails_every_check_and_is_told_once() -> None:
    checked = Checked(answer={"positions": [{"policy": "P01"}]}, document=DOCUMENT, policies=("P01",))
    decided = decide_by_code(parse_rubric_yaml(TEXT).checks, checked)

    assert {"completeness": 0.0, "format": 0.0} == decided.scores
    assert len(set(decided.feedback)) == len(decided.feedback) > 0
