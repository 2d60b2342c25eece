"""The analysts' contract as a page: read from the views' own files and from the views themselves.

Knows nothing about where the page is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from nightschool.core.errors import Malformed
from nightschool.warehouse.schema import (
    VIEWS,
    create_tables,
    create_views,
    macros_sql,
    named_query,
    view_sql,
)

__all__ = ["Column", "ViewPage", "describe_views", "sql_page"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a view."""

    name: str
    kind: str
    """Its SQL type."""
    meaning: str
    """What it says, with its unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewPage:
    """What a view promises."""

    name: str
    meaning: str
    grain: str
    """What one row is."""
    key: str
    """What makes a row unique."""
    columns: tuple[Column, ...]


def describe_views() -> list[ViewPage]:
    """Return what every view promises.

    Raises:
        Malformed: a view's comment names other columns than the view has.
    """
    with duckdb.connect() as connection:
        create_tables(connection)
        connection.execute(named_query("all_events"))
        create_views(connection)
        return [_describe(connection, name) for name in VIEWS]


def _describe(connection: duckdb.DuckDBPyConnection, name: str) -> ViewPage:
    meaning, grain, key, meanings = _read_comment(name, view_sql(name))
    view = connection.view(name)
    kinds = {column: str(kind) for column, kind in zip(view.columns, view.types, strict=True)}
    if list(kinds) != list(meanings):
        differing = sorted(set(kinds) ^ set(meanings)) or ["their order"]
        raise Malformed(f"views/{name}.sql: comment and view differ in {', '.join(differing)}", view=name)
    columns = (Column(name=each, kind=kinds[each], meaning=meanings[each]) for each in kinds)
    return ViewPage(name=name, meaning=meaning, grain=grain, key=key, columns=tuple(columns))


def _read_comment(name: str, sql: str) -> tuple[str, str, str, dict[str, str]]:
    """Read the block a view's file begins with: meaning, grain, key, columns."""
    lines = [line.removeprefix("--").strip() for line in sql.splitlines() if line.startswith("--")]
    meaning, grain, key, heading, *columns = (line.partition(": ") for line in lines)
    labels = [meaning[0], grain[0], key[0], heading[0]]
    if labels != [name, "Grain", "Key", "Columns:"]:
        raise Malformed(f"views/{name}.sql: the comment begins with {labels}", view=name)
    return meaning[2], grain[2], key[2], {column[0]: column[2] for column in columns}


def sql_page() -> str:
    """Return docs/reference/sql.md."""
    pages = describe_views()
    lines = [
        "# SQL",
        "",
        "What the log answers. A view keeps its name, its grain and its columns; it only ever gains columns.",
        "What changes meaning gets a new version (`v2_...`) beside the old one.",
        "",
        *(f"- [`{page.name}`](#{page.name}): {page.meaning}" for page in pages),
    ]
    for page in pages:
        lines += ["", f"## {page.name}", "", _sentence(page.meaning), ""]
        lines += [f"**One row** is {page.grain}", f"**Key**: {page.key}", ""]
        lines += ["| column | type | meaning |", "|---|---|---|"]
        lines += [f"| `{each.name}` | {each.kind} | {each.meaning} |" for each in page.columns]
    return "\n".join([*lines, "", *_functions()])


def _functions() -> list[str]:
    """Return the section on the macros that are a promise: those with an example."""
    lines = [
        "## Functions",
        "",
        "Statistics to use in a question, in agreement with scipy and statsmodels. `confidence := 0.9` as",
        "the last argument changes the intervals from 0.95.",
    ]
    for comment in macros_sql().split("\n\n"):
        comments = (line for line in comment.splitlines() if line.startswith("--"))
        told = [line.removeprefix("--").strip() for line in comments]
        text, example, asked = "\n".join(told).partition("\nExample: ")
        if example:
            signature, _, meaning = text.partition(": ")
            lines += ["", f"### `{signature}`", "", _sentence(meaning), "", "```sql", asked, "```"]
    return lines


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
