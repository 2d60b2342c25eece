"""Declarations that people write in YAML, read so that a mistake is reported with file, line and field.

Knows nothing about what is declared: the caller brings the pydantic model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from nightschool.core.errors import Malformed

__all__ = ["fail_at", "read_yaml"]

Declared = TypeVar("Declared", bound=BaseModel)


def read_yaml(path: Path, model: type[Declared]) -> Declared:
    """Read a YAML file into a model.

    Raises:
        Malformed: not readable as text or as YAML, not a mapping, or a field that does not fit.
        FileNotFoundError: there is no such file; the caller knows what it was looking for.
    """
    tree = _compose(path)
    if not isinstance(tree, yaml.MappingNode):
        raise Malformed(f"{path}: expected `field: value` lines", path=str(path))
    _refuse_doubled_fields(path, tree)
    try:
        return model.model_validate(_construct(path, tree))
    except ValidationError as error:
        first = error.errors()[0]
        _fail(path, tree, _named(first["loc"]), _reason(first, model), error)


def fail_at(path: Path, field: tuple[str | int, ...], reason: str) -> NoReturn:
    """Report something found wrong with a field after the file was read.

    Raises:
        Malformed: always, with file, line and field.
    """
    _fail(path, _compose(path), field, reason, None)


def _compose(path: Path) -> yaml.Node | None:
    try:
        # SafeLoader only: a declaration must never be able to construct anything but data.
        return yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise Malformed(f"{path}: not UTF-8 text ({error.reason})", path=str(path)) from error
    except yaml.YAMLError as error:
        raise _not_yaml(path, error) from error


def _construct(path: Path, tree: yaml.MappingNode) -> Any:
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_document(tree)
    except yaml.YAMLError as error:
        raise _not_yaml(path, error) from error
    finally:
        loader.dispose()


def _not_yaml(path: Path, error: yaml.YAMLError) -> Malformed:
    mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
    line = mark.line + 1 if mark else 1
    problem = (error.problem if isinstance(error, yaml.MarkedYAMLError) else None) or str(error)
    return Malformed(f"{path}, line {line}: {problem}", path=str(path), line=line)


def _refuse_doubled_fields(path: Path, tree: yaml.MappingNode) -> None:
    seen: set[str] = set()
    for key, _ in tree.value:
        if key.value in seen:
            line = key.start_mark.line + 1
            message = f"{path}, line {line}: field `{key.value}` is given twice"
            raise Malformed(message, path=str(path), line=line, field=key.value)
        seen.add(key.value)


def _named(place: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Leave out what is no field: the kinds of value that pydantic tried one after another."""
    return tuple(part for part in place if isinstance(part, int) or "[" not in part)


def _reason(error: ErrorDetails, model: type[BaseModel]) -> str:
    if error["type"] == "extra_forbidden":
        known = _fields_beside(model, error["loc"][:-1])
        return "unknown field" + (f"; known: {', '.join(sorted(known))}" if known else "")
    return error["msg"].removeprefix("Value error, ")


def _fields_beside(model: type[BaseModel], place: tuple[str | int, ...]) -> list[str]:
    """Return the fields of the part of a model that stands at a place; none where it is no model."""
    for part in place:
        kinds = get_args(model.model_fields[str(part)].annotation) if part in model.model_fields else ()
        inner = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
        if not inner:
            return []
        model = inner[0]
    return list(model.model_fields)


def _fail(
    path: Path, tree: yaml.Node | None, field: tuple[str | int, ...], reason: str, cause: Exception | None
) -> NoReturn:
    line, name = _line_of(tree, field), ".".join(str(part) for part in field)
    about = f": field `{name}`" if name else ""
    raise Malformed(f"{path}, line {line}{about}: {reason}", path=str(path), line=line, field=name) from cause


def _line_of(tree: yaml.Node | None, field: tuple[str | int, ...]) -> int:
    """Return the line of the field, or of the nearest thing around it when the field itself is missing."""
    line, node = 1, tree
    for part in field:
        if isinstance(node, yaml.MappingNode):
            found = [(key, value) for key, value in node.value if key.value == str(part)]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            found = [(node.value[part], node.value[part])]
        else:
            found = []
        if not found:
            break
        line, node = found[0][0].start_mark.line + 1, found[0][1]
    return line
