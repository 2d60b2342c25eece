"""A form declared as a JSON Schema, for artefacts that are JSON.

A schema is followed nowhere outside itself: nothing is fetched while grading. What could make grading hang or
break (references that lead nowhere or round in a circle, expressions that could take exponential time) is
refused when the schema is read.

Knows nothing about rubrics and files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import specification_with

from nightschool.outcomes.form import BadForm, Formed, length_problem, shortened
from nightschool.outcomes.json_places import parse_json, place_at, place_of
from nightschool.outcomes.regexes import regex_problem

__all__ = ["MOST_CHARACTERS", "BadSchema", "SchemaForm", "parse_schema"]

_MOST_PROBLEMS: Final = 5
# Their stubs know neither a default of None nor the types of what is extended.
_EXTEND: Final[Any] = extend
_DIALECT_OF: Final[Any] = validator_for
MOST_CHARACTERS: Final = 50_000
"""A longer artefact fails."""
_MOST_STEPS: Final = 20_000
"""References followed while checking one artefact."""
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_BESIDE: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")
"""Keywords whose schemas are asked about the same value."""
_LITERAL: Final = frozenset({"const", "default", "enum", "examples"})
"""Keywords that hold values, not schemas."""
_ROOT: Final = "urn:schema"

Path = tuple[str | int, ...]


class BadSchema(BadForm):
    """A schema that cannot be meant, and where in it."""

    def __init__(self, problem: str, path: Path) -> None:
        """Say what is wrong with it, and at which keys and indices from the outermost value inward."""
        super().__init__(problem)
        self.path = path


class _TooMuchWork(Exception):
    """Checking an artefact takes more steps than are granted."""


@dataclass(frozen=True, slots=True)
class SchemaForm:
    """Asks whether a text is JSON that fits a schema."""

    schema: Mapping[str, Any]
    name: Literal["json_schema"] = "json_schema"

    def check(self, artefact: str) -> Formed:
        """Return 1 if the artefact fits, else 0 and the first places at which it does not."""
        if too_long := length_problem(artefact, MOST_CHARACTERS):
            return too_long
        try:
            value = parse_json(artefact)
            errors = list(islice(_validator(self.schema).iter_errors(value), _MOST_PROBLEMS))
        except json.JSONDecodeError as error:
            place = place_at(artefact, error.pos)
            return Formed(0.0, (f"line {place.line}, column {place.column}: not JSON: {error.msg}",))
        except _TooMuchWork:
            return Formed(
                0.0, ("line 1, column 1: so long or so nested that it would take too long to check",)
            )
        except RecursionError:
            return Formed(0.0, ("line 1, column 1: nested too deep to be read",))
        except ValueError as error:
            return Formed(0.0, (f"line 1, column 1: not JSON that can be read: {error}",))
        return Formed(float(not errors), tuple(_problem(artefact, each) for each in errors))


def _validator(schema: Mapping[str, Any]) -> Any:
    """Return a validator that gives up after a fixed number of steps.

    A schema that refers to itself in alternatives doubles its work with each level an artefact is nested. All
    recursion goes through references, so these are counted; steps and not seconds, so that the same
    artefact always gets the same verdict.
    """
    left = _MOST_STEPS

    def counting(keyword: Any, steps: Callable[[Any], int]) -> Any:
        def check(validator: Any, value: Any, instance: Any, inside: Any) -> Iterator[ValidationError]:
            nonlocal left
            left -= steps(instance)
            if left < 0:
                raise _TooMuchWork
            yield from keyword(validator, value, instance, inside) or ()

        return check

    dialect = _dialect(schema)
    known = dialect.VALIDATORS
    counted = {name: counting(known[name], lambda _: 1) for name in _REFERENCES if name in known}
    if "uniqueItems" in known:
        counted["uniqueItems"] = counting(known["uniqueItems"], _pairs)
    # Named again in the schema, the dialect would bring back the validator that counts nothing.
    bare = {key: value for key, value in schema.items() if key != "$schema"}
    return _EXTEND(dialect, counted)(bare, registry=Registry())


def _dialect(schema: Mapping[str, Any]) -> Any:
    """Return the class of validators that a schema asks for; None: there is no such dialect."""
    return _DIALECT_OF(schema, default=None) if "$schema" in schema else Draft202012Validator


def _pairs(instance: Any) -> int:
    """Return what comparing each item with each other costs, in steps; texts and numbers are sorted."""
    if not isinstance(instance, list):
        return 0
    is_sortable = (
        len({type(item) for item in instance} & {str, int, float}) == len({*map(type, instance)}) == 1
    )
    return 1 if is_sortable else len(instance) ** 2 // 100


def _problem(artefact: str, error: ValidationError) -> str:
    path = tuple(error.absolute_path)
    place = place_of(artefact, path)
    name = ".".join(map(str, path)) or "the whole"
    return f"line {place.line}, column {place.column}: `{name}`: {_expected(error)}"


def _expected(error: ValidationError) -> str:
    """Return what a schema asked for; what was found may be long and goes last."""
    if error.message == shortened(error.message):
        return error.message
    asked = shortened(json.dumps(error.validator_value, ensure_ascii=False, default=str))
    found = shortened(json.dumps(error.instance, ensure_ascii=False))
    return f"expected {error.validator} {asked}, found {found}"


def parse_schema(schema: Any) -> SchemaForm:
    """Read a schema.

    Args:
        schema: the schema as a value; draft 2020-12 unless its `$schema` names another.

    Raises:
        BadSchema: it is no schema, a reference leads out of it, nowhere or in a circle, or an expression
            could take exponential time.
    """
    if not isinstance(schema, Mapping):
        raise BadSchema("a schema is a mapping, such as {type: object}", ())
    dialect = _dialect(schema)
    if dialect is None:
        raise BadSchema(f"no dialect `{schema['$schema']}`; leave it out for draft 2020-12", ("$schema",))
    try:
        json.dumps(schema, allow_nan=False)
        dialect.check_schema(schema)
    except SchemaError as error:
        raise BadSchema(f"no JSON Schema: {shortened(error.message)}", tuple(error.absolute_path)) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise BadSchema(f"a schema holds what JSON can hold: {error}", ()) from error
    resolver = (
        Registry()
        .with_resource(_ROOT, specification_with(dialect.META_SCHEMA["$schema"]).create_resource(schema))
        .resolver(_ROOT)
    )
    for path, each in _schemas(schema, ()):
        _check_keywords(each, path, resolver)
        _check_ends(each, path, resolver)
    return SchemaForm(schema)


def _schemas(value: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield everything in a schema that may be one, with its place."""
    if isinstance(value, Mapping):
        yield path, value
        for key, inner in value.items():
            if key not in _LITERAL or (path and path[-1] == "properties"):
                yield from _schemas(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _schemas(inner, (*path, number))


def _check_keywords(schema: Mapping[str, Any], path: Path, resolver: Any) -> None:
    for name in ("$id", "$schema"):
        if path and isinstance(schema.get(name), str):
            raise BadSchema(
                f"`{name}` inside a schema would change what references mean; take it out", (*path, name)
            )
    for name in _REFERENCES:
        reference = schema.get(name)
        if isinstance(reference, str):
            _target(reference, (*path, name), resolver)
    given, by_name = schema.get("pattern"), schema.get("patternProperties")
    patterns = [given] if isinstance(given, str) else []
    for pattern in [*patterns, *(by_name if isinstance(by_name, Mapping) else ())]:
        if problem := regex_problem(pattern):
            raise BadSchema(problem, (*path, "pattern" if pattern == given else "patternProperties"))


def _target(reference: str, path: Path, resolver: Any) -> Any:
    if not reference.startswith("#"):
        raise BadSchema(f"`{reference}` leads out of the schema; put what it names under `$defs`", path)
    try:
        return resolver.lookup(reference).contents
    except Unresolvable as error:
        raise BadSchema(f"`{reference}` leads nowhere; name something under `$defs`", path) from error


def _check_ends(schema: Mapping[str, Any], path: Path, resolver: Any) -> None:
    """Refuse a schema that asks itself about the same value again: that would never end."""
    seen: set[int] = set()
    open_ = [*_asked_besides(schema, path, resolver)]
    while open_:
        each = open_.pop()
        if each is schema:
            raise BadSchema("it refers to itself without going into the value; that never ends", path)
        if isinstance(each, Mapping) and id(each) not in seen:
            seen.add(id(each))
            open_ += _asked_besides(each, path, resolver)


def _asked_besides(schema: Mapping[str, Any], path: Path, resolver: Any) -> Iterator[Any]:
    """Yield the schemas that are asked about the same value as this one."""
    for name in _REFERENCES:
        if isinstance(schema.get(name), str):
            yield _target(schema[name], (*path, name), resolver)
    for name in _BESIDE:
        match schema.get(name):
            case list() as several:
                yield from several
            case Mapping() as one if name == "dependentSchemas":
                yield from one.values()
            case Mapping() as one:
                yield one
