"""Write the pages of docs/reference that are read off the code: events, errors, settings, views, commands.

    .venv/bin/python docs/generate.py            write them
    .venv/bin/python docs/generate.py --check    name those that are not current, exit 1 if there is one

Knows nothing about the prose around them: concepts, how-to pages and decisions are written by hand.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import click

from nightschool.cli import exits
from nightschool.cli.exits import exit_code
from nightschool.cli.main import cli
from nightschool.core import errors
from nightschool.events import base, union
from nightschool.orchestration.merge_schema import MergeSchema
from nightschool.orchestration.plan_file import plan_schema
from nightschool.settings import VARIABLES
from nightschool.warehouse.reference import sql_page

__all__ = ["PAGES", "main"]

HERE: Final = Path(__file__).resolve().parent
HELP_WIDTH: Final = 100


class Field(NamedTuple):
    """One attribute of an event as its source states it."""

    name: str
    kind: str
    default: str | None
    meaning: str


def _docstring(thing: object) -> str:
    return inspect.cleandoc(getattr(thing, "__doc__", None) or "").replace("``", "`")


def _class_node(kind: type) -> ast.ClassDef:
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    return next(node for node in tree.body if isinstance(node, ast.ClassDef))


def fields_of(kind: type) -> Iterator[Field]:
    """Yield the fields a class declares itself, each with the string beneath it as its meaning."""
    body = _class_node(kind).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        meaning = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            meaning = inspect.cleandoc(str(after.value.value)).replace("\n", " ")
        default = None if node.value is None else ast.unparse(node.value)
        yield Field(node.target.id, ast.unparse(node.annotation), default, meaning)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("``", "`")


def _field_table(kind: type) -> list[str]:
    rows = [each for each in fields_of(kind) if each.name != "type"]
    if not rows:
        return []
    lines = ["| field | type | default | meaning |", "|---|---|---|---|"]
    for row in rows:
        default = "required" if row.default is None else f"`{_cell(row.default)}`"
        lines.append(f"| `{row.name}` | `{_cell(row.kind)}` | {default} | {_cell(row.meaning)} |")
    return [*lines, ""]


def events_page() -> str:
    """Return docs/reference/events.md."""
    lines = [
        "# Events",
        "",
        *_docstring(sys.modules[base.__package__]).split("\n")[2:],
        "",
        "An event of a type that this version does not know is kept whole: nothing is dropped.",
        "",
        "## Every event",
        "",
        _docstring(base.EventBase),
        "",
        *_field_table(base.EventBase),
    ]
    family = ""
    for name, kind in union.EVENT_TYPES.items():
        if kind.__module__ != family:
            family = kind.__module__
            lines += [f"## {family.rsplit('.', 1)[-1]}", "", _docstring(sys.modules[family]), ""]
            lines += _values(family)
        lines += [f"### `{name}`", "", _docstring(kind), "", *_field_table(kind)]
    return "\n".join(lines)


def _values(module: str) -> list[str]:
    """Return the section of the values that a family's events are made of."""
    lines: list[str] = []
    for name in getattr(sys.modules[module], "__all__", ()):
        kind = getattr(sys.modules[module], name)
        if isinstance(kind, type) and not issubclass(kind, base.EventBase):
            lines += [f"### {name} (a value inside events)", "", _docstring(kind), "", *_field_table(kind)]
    return lines


def _tree(kind: type[errors.NightschoolError]) -> Iterator[type[errors.NightschoolError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from _tree(child)


def errors_page() -> str:
    """Return docs/reference/errors.md."""
    lines = [
        "# Errors",
        "",
        "Every error that nightschool raises on purpose has a code that stays the same between versions.",
        "`retryable` says whether doing the same again can help. A message says what happened, where, and",
        "what to do; the sentence below is the one shown when there is nothing more exact to say.",
        "",
        "| code | class | kind of | retryable | exit code | in general |",
        "|---|---|---|---|---|---|",
    ]
    for kind in _tree(errors.NightschoolError):
        parent = kind.__base__.__name__ if kind.__base__ else ""
        retryable = "yes" if kind.retryable else "no"
        message = _cell(_docstring(kind).replace("\n", " "))
        names = f"`{kind.code}` | `{kind.__name__}` | `{parent}`"
        lines.append(f"| {names} | {retryable} | {exit_code(kind())} | {message} |")
    return "\n".join([*lines, "", "## Exit codes", "", "```", _docstring(exits), "```"])


def settings_page() -> str:
    """Return docs/reference/settings.md."""
    lines = [
        "# Settings",
        "",
        "Read from the environment once, when a command starts. An option on the command line outranks them;",
        "`nightschool config` shows what is in force.",
        "",
        "| variable | sets |",
        "|---|---|",
    ]
    return "\n".join([*lines, *(f"| `{name}` | {_cell(meaning)} |" for name, meaning in VARIABLES.items())])


def commands(
    command: click.Command = cli, name: str = "nightschool", parent: click.Context | None = None
) -> Iterator[click.Context]:
    """Yield the context of a command and of every command below it."""
    settings = {**command.context_settings, "terminal_width": HELP_WIDTH}
    context = click.Context(command, info_name=name, parent=parent, **settings)
    yield context
    if isinstance(command, click.Group):
        for child_name in command.list_commands(context):
            child = command.get_command(context, child_name)
            if child is not None:
                yield from commands(child, child_name, context)


def cli_page() -> str:
    """Return docs/reference/cli.md."""
    lines = ["# Command line", "", "What `--help` prints, for every command.", ""]
    for context in commands():
        heading = "#" * (2 if context.parent is None else 3)
        lines += [f"{heading} `{context.command_path}`", "", "```", context.get_help(), "```", ""]
    return "\n".join(lines)


def merge_schema_page() -> str:
    """Return docs/reference/merge.schema.json."""
    return json.dumps(MergeSchema.model_json_schema(), indent=2)


def plan_schema_page() -> str:
    """Return docs/reference/plan.schema.json."""
    return json.dumps(plan_schema(), indent=2)


PAGES: Final[dict[str, Callable[[], str]]] = {
    "reference/cli.md": cli_page,
    "reference/errors.md": errors_page,
    "reference/events.md": events_page,
    "reference/merge.schema.json": merge_schema_page,
    "reference/plan.schema.json": plan_schema_page,
    "reference/settings.md": settings_page,
    "reference/sql.md": sql_page,
}
"""Path under docs/ to what writes it."""


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` compare them; return the exit code."""
    stale = 0
    for path, page in PAGES.items():
        file, text = HERE / path, page().rstrip("\n") + "\n"
        if "--check" not in arguments:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            stale = 1
            print(f"docs/{path} is not current; `make docs` writes it")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
