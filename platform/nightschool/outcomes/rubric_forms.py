"""The forms that a rubric in YAML declares for its format: read, and refused where they cannot be meant.

    checks: [quotes, {json_schema: answer.schema.json}, {grammar: answer.lark}]

A schema is a mapping, or the name of a file beside the rubric; a grammar is a text with its rules, or such a
name. Knows nothing about where files lie: it is handed what reads them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import yaml

from nightschool.core.errors import Malformed
from nightschool.outcomes.form import BadForm, Form
from nightschool.outcomes.grammar_form import parse_grammar
from nightschool.outcomes.json_places import parse_json, place_at, place_of
from nightschool.outcomes.schema_form import BadSchema, parse_schema

__all__ = ["FormReader", "ReadFile"]

ReadFile = Callable[[str], str]
"""Returns the text of a file beside the rubric; raises OSError or UnicodeDecodeError."""

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormReader:
    """Reads the forms of one rubric."""

    name: str
    """The rubric's file."""
    root: yaml.Node | None
    """The rubric's YAML, for the lines of what is wrong."""
    read_file: ReadFile | None
    texts: list[str]
    """The text of each file that was read: what it says is part of what the rubric says."""

    def form(self, declared: Mapping[str, Any], path: Path) -> Form:
        """Return the form that a check declares.

        Args:
            declared: `json_schema` or `grammar` with what it is.
            path: where in the rubric it stands.

        Raises:
            Malformed: it cannot be meant.
        """
        (kind, given), *more = declared.items() or [("", None)]
        path = (*path, kind)
        if more or kind not in ("json_schema", "grammar"):
            raise self._malformed(
                "a form is {json_schema: …} or {grammar: …}", self.name, self._line(path[:-1])
            )
        if kind == "json_schema":
            return self._schema_file(given, path) if isinstance(given, str) else self._schema(given, path)
        if not isinstance(given, str) or not given.strip():
            problem = "a grammar is a text with a rule `start: …`, or the name of a file beside the rubric"
            raise self._malformed(problem, self.name, self._line(path))
        return self._grammar(given, path) if ":" in given else self._grammar_file(given, path)

    def _schema(self, schema: Any, path: Path) -> Form:
        try:
            return parse_schema(schema)
        except BadSchema as error:
            raise self._malformed(error.problem, self.name, self._line((*path, *error.path))) from error

    def _schema_file(self, file: str, path: Path) -> Form:
        text = self._text(file, path)
        place = self._beside(file)
        try:
            return parse_schema(parse_json(text))
        except BadSchema as error:
            raise self._malformed(error.problem, place, place_of(text, error.path).line) from error
        except json.JSONDecodeError as error:
            problem = f"not JSON: {error.msg}; mend it, or write the schema into the rubric"
            raise self._malformed(problem, place, place_at(text, error.pos).line) from error
        except (ValueError, RecursionError) as error:
            raise self._malformed(f"not JSON that can be read: {error}", place, 1) from error

    def _grammar(self, text: str, path: Path) -> Form:
        try:
            return parse_grammar(text)
        except BadForm as error:
            node = self._node(path)
            is_block = isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")
            line = self._line(path) + (error.line if is_block else 0)
            raise self._malformed(error.problem, self.name, line) from error

    def _grammar_file(self, file: str, path: Path) -> Form:
        text = self._text(file, path)
        try:
            return parse_grammar(text)
        except BadForm as error:
            raise self._malformed(error.problem, self._beside(file), error.line) from error

    def _text(self, file: str, path: Path) -> str:
        parts = PurePosixPath(file)
        if self.read_file is None or parts.is_absolute() or ".." in parts.parts:
            problem = (
                f"`{file}` is no file beside the rubric; put it there, or write the form into the rubric"
            )
            raise self._malformed(problem, self.name, self._line(path))
        try:
            text = self.read_file(file)
        except (OSError, ValueError) as error:
            problem = f"`{file}` beside the rubric cannot be read ({error}); put it there as UTF-8"
            raise self._malformed(problem, self.name, self._line(path)) from error
        self.texts.append(text)
        return text

    def _beside(self, file: str) -> str:
        return str(PurePosixPath(self.name).parent / file)

    def _malformed(self, problem: str, file: str, line: int) -> Malformed:
        return Malformed(f"{file}, line {line}: {problem}", path=file, line=line)

    def _line(self, path: Path) -> int:
        node = self._node(path)
        return 1 if node is None else node.start_mark.line + 1

    def _node(self, path: Path) -> yaml.Node | None:
        """Return the node at a path, or the last one on the way to it."""
        node = self.root
        for step in path:
            inner = _inside(node, step)
            if inner is None:
                break
            node = inner
        return node


def _inside(node: yaml.Node | None, step: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == str(step)), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        values: Sequence[yaml.Node] = node.value
        return values[step] if step < len(values) else None
    return None
