from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from nightschool.core.errors import Malformed
from nightschool.outcomes.checks import Checked, decide_by_code
from nightschool.outcomes.rubric_parts import Rubric
from nightschool.outcomes.rubric_yaml import parse_rubric_yaml
from nightschool.sandbox.documents import parse_document

BOTH = """title: both
dimensions:
  - name: format
    checks:
      - json_schema: {type: object, required: [sum]}
      - grammar: |
          start: "{" /[^}]+/ "}"
"""
DOCUMENT = parse_document("# Deal\n## 1 Term\nThe term is three years.\n")


def reading(text: str, **files: str) -> Rubric:
    def read(file: str) -> str:
        if file not in files:
            raise FileNotFoundError(file)
        return files[file]

    return parse_rubric_yaml(text, name="a/rubric.yaml", read_file=read)


def with_check(check: str) -> str:
    return f"title: x\ndimensions:\n  - name: format\n    checks: [{check}]\n"


def test_the_least_of_the_declared_forms_decides_format() -> None:
    rubric = reading(BOTH)
    right = Checked(answer={}, document=DOCUMENT, text='{"sum": 1}')
    wrong = Checked(answer={}, document=DOCUMENT, text='{"total": 1}')

    assert {"format": 1.0} == decide_by_code(rubric.checks, right).scores
    assert {"format": 0.0} == decide_by_code(rubric.checks, wrong).scores
    assert ("line 1, column 1: `the whole`: 'sum' is a required property",) == decide_by_code(
        rubric.checks, wrong
    ).feedback


def test_an_answer_handed_in_as_a_value_is_asked_about_as_its_json() -> None:
    answer = Checked(answer={"sum": 1}, document=DOCUMENT)

    assert {"format": 1.0} == decide_by_code(reading(BOTH).checks, answer).scores


def test_a_rubric_without_a_form_leaves_format_absent() -> None:
    rubric = reading("title: x\ndimensions: [{name: accuracy, question: Q}]")

    assert () == rubric.forms
    assert {} == decide_by_code(rubric.checks, Checked(answer={}, document=DOCUMENT)).scores


def test_files_beside_the_rubric_are_part_of_its_version() -> None:
    text = with_check("{json_schema: s.json}, {grammar: g.lark}")
    one = reading(text, **{"s.json": '{"type": "object"}', "g.lark": 'start: "{}"'})
    other = reading(text, **{"s.json": '{"type": "object"}', "g.lark": 'start: "{ }"'})

    assert ["json_schema", "grammar"] == [form.name for form in one.forms]
    assert one.text_hash != other.text_hash


def test_a_rubric_with_forms_travels_between_processes() -> None:
    rubric = pickle.loads(pickle.dumps(reading(BOTH)))  # noqa: S301

    assert reading(BOTH) == rubric
    assert [1.0, 1.0] == [form.check('{"sum": 1}').score for form in rubric.forms]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (with_check("{json_schema: {type: text}}"), "a/rubric.yaml, line 4: no JSON Schema: 'text'"),
        (with_check("{json_schema: 3}"), "a/rubric.yaml, line 4: a schema is a mapping"),
        (
            with_check("{json_schema: no.json}"),
            "a/rubric.yaml, line 4: `no.json` beside the rubric cannot be",
        ),
        (with_check("{json_schema: ../s.json}"), "line 4: `../s.json` is no file beside the rubric"),
        (with_check("{json_schema: /s.json}"), "line 4: `/s.json` is no file beside the rubric"),
        (with_check("{json_schema: s.json}"), "a/s.json, line 2: no JSON Schema: -1 is less"),
        (with_check("{json_schema: broken.json}"), "a/broken.json, line 3: not JSON: .*; mend it"),
        (with_check("{grammar: g.lark}"), "a/g.lark, line 2: .*'b' used but not defined"),
        (with_check("{grammar: 3}"), "a/rubric.yaml, line 4: a grammar is a text"),
        (with_check("{regex: x}"), r"a/rubric.yaml, line 4: a form is \{json_schema"),
        (with_check("{}"), r"a/rubric.yaml, line 4: a form is \{json_schema"),
        (BOTH.replace('"}"\n', '"}" tail\n'), "a/rubric.yaml, line 7: .*'tail' used but not defined"),
        (BOTH.replace("name: format", "name: accuracy"), "a form is declared for `format` only"),
    ],
)
def test_a_form_that_cannot_be_meant_is_refused_when_the_rubric_is_read(text: str, problem: str) -> None:
    files = {
        "s.json": '{\n"minLength": -1}',
        "broken.json": '{\n"type":\n}',
        "g.lark": 'start: "a"\n  | b\n',
    }
    with pytest.raises(Malformed, match=problem) as caught:
        reading(text, **files)
    assert str(caught.value).startswith("a/")


def test_without_a_reader_forms_cannot_be_in_files() -> None:
    with pytest.raises(Malformed, match="no file beside the rubric"):
        parse_rubric_yaml(with_check("{grammar: g.lark}"))


def test_the_schema_of_the_contracts_suite_can_be_declared() -> None:
    schema = Path("evals/contracts/answer.schema.json").read_text(encoding="utf-8")
    (form,) = reading(with_check("{json_schema: s.json}"), **{"s.json": schema}).forms
    position = {"policy": "P01", "position": "missing", "section": None, "quote": None, "confidence": 0.5}

    assert 1.0 == form.check(json.dumps(position)).score
    assert 0.0 == form.check(json.dumps(position | {"position": "perhaps"})).score
