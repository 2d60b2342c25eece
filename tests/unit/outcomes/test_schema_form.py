from __future__ import annotations

from typing import Any

import pytest

from nightschool.outcomes.schema_form import MOST_CHARACTERS, BadSchema, parse_schema

FORM = parse_schema(
    {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {"positions": {"type": "array", "items": {"$ref": "#/$defs/position"}}},
        "required": ["positions"],
        "$defs": {"position": {"properties": {"id": {"pattern": "^P[0-9]+(-[0-9]+)*$", "type": "string"}}}},
    }
)
TREE: Any = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "anyOf": [
                {"required": [kind], "properties": {"in": {"$ref": "#/$defs/node"}}} for kind in ("a", "b")
            ]
        }
    },
}


def test_what_fits_passes() -> None:
    assert (1.0, ()) == FORM.check('{"positions": [{"id": "P1-2"}]}')


@pytest.mark.parametrize(
    ("artefact", "problem"),
    [
        ('{"positions": [\n  {"id": 7}]}', "line 2, column 10: `positions.0.id`: 7 is not of type 'string'"),
        ('{\n "positions": 3\n}', "line 2, column 15: `positions`: 3 is not of type 'array'"),
        ("{}", "line 1, column 1: `the whole`: 'positions' is a required property"),
        ('{"positions":\n ]', "line 2, column 2: not JSON: Expecting value"),
        ('{"a": "NaN", "b": NaN}', "line 1, column 19: not JSON: NaN is no JSON"),
        ("[" * 49_000, "line 1, column 1: nested too deep to be read"),
        ("1" * 5_000, "line 1, column 1: not JSON that can be read"),
        (" " * (MOST_CHARACTERS + 1), "50,001 characters; a form is checked up to 50,000"),
    ],
)
def test_it_says_where_an_artefact_breaks_the_schema_and_what_was_expected(
    artefact: str, problem: str
) -> None:
    score, problems = FORM.check(artefact)

    assert 0.0 == score
    assert problems[0].startswith(problem)


def test_of_a_key_given_twice_the_last_is_pointed_at() -> None:
    assert FORM.check('{"positions": [],\n"positions": 1}').problems[0].startswith("line 2, column 14")


def test_a_long_value_does_not_hide_what_was_expected() -> None:
    (problem,) = FORM.check('{"positions": "' + "x" * 1_000 + '"}').problems

    assert 'expected type "array", found' in problem
    assert len(problem) < 400


def test_work_that_doubles_with_each_level_is_given_up_the_same_way_each_time() -> None:
    artefact = '{"in":' * 14 + "{}" + "}" * 14

    (problem,) = parse_schema(TREE).check(artefact).problems
    assert "too long to check" in problem


@pytest.mark.parametrize(
    ("schema", "path", "problem"),
    [
        (3, (), "a schema is a mapping"),
        ({"type": "text"}, ("type",), "no JSON Schema: 'text'"),
        ({"$ref": "#"}, (), "never ends"),
        ({"anyOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"not": {"$ref": "#"}}}}, (), "never ends"),
        ({"items": {"$ref": "b.json"}}, ("items", "$ref"), "`b.json` leads out of the schema"),
        ({"$ref": "#/$defs/x"}, ("$ref",), "`#/\\$defs/x` leads nowhere"),
        ({"items": {"$id": "x"}}, ("items", "$id"), "take it out"),
        ({"items": {"pattern": "(a+)+"}}, ("items", "pattern"), "exponential time"),
        ({"patternProperties": {"(a+)+": {}}}, ("patternProperties",), "exponential time"),
        ({"$schema": "urn:own"}, ("$schema",), "no dialect `urn:own`"),
        ({"const": float("nan")}, (), "what JSON can hold"),
    ],
)
def test_a_schema_that_cannot_be_meant_is_refused_with_its_place(
    schema: Any, path: tuple[str, ...], problem: str
) -> None:
    with pytest.raises(BadSchema, match=problem) as caught:
        parse_schema(schema)
    assert path == caught.value.path
