"""Small pieces of HTML for what Streamlit's own elements cannot show: aligned tables, facts, folded text.

Whatever is put in is escaped here and nowhere else; nothing that stands in a log becomes markup.
Knows nothing about what it shows.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["Cell", "Column", "Tone", "data_table", "escaped", "facts", "folded", "plain_heading", "swatch"]

Tone = Literal["", "muted", "good", "bad", "warn"]

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LONGEST_SHOWN: Final = 20_000
"""Characters of one text; the rest is named, not sent to the browser."""
_UNFOLDED: Final = 280
_UNFOLDED_LINES: Final = 4
_PREVIEW: Final = 140


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column's head; the unit stands beneath the name."""

    name: str
    unit: str = ""
    numeric: bool = True
    wraps: bool = False
    """Whether long text breaks into lines instead of widening the table."""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One value with what qualifies it beneath."""

    text: str
    note: str = ""
    tone: Tone = ""
    colour: str = ""
    """Colour of a swatch before the text."""
    title: str = ""
    link: str = ""
    """Where the text leads: an address within the dashboard, made by `urlencode`."""


def escaped(text: str) -> str:
    """Return text that is safe in HTML; control characters become visible signs."""
    return html.escape(_CONTROL.sub(_visible, text), quote=True)


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    return chr(0x2400 + code) if code < 0x20 else "␡"


def swatch(colour: str) -> str:
    """Return a small square of a colour."""
    return f'<span class="ns-swatch" style="background:{escaped(colour)}"></span>' if colour else ""


def data_table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]], *, caption: str) -> str:
    """Return a table: numbers to the right, the first column a heading of its row.

    ``caption`` names the table for screen readers.
    """
    head = "".join(_head(column) for column in columns)
    body = "".join(
        "<tr>"
        + "".join(_cell(column, cell, is_first=i == 0) for i, (column, cell) in enumerate(pairs))
        + "</tr>"
        for pairs in (list(zip(columns, row, strict=True)) for row in rows)
    )
    return (
        f'<div class="ns-scroll" tabindex="0"><table class="ns-table"><caption>{escaped(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _head(column: Column) -> str:
    unit = f"<small>{escaped(column.unit)}</small>" if column.unit else ""
    title = f' title="{escaped(column.hint)}"' if column.hint else ""
    return f'<th scope="col" class="{_side(column)}"{title}>{escaped(column.name)}{unit}</th>'


def _side(column: Column) -> str:
    return "ns-num" if column.numeric else "ns-text ns-wrap" if column.wraps else "ns-text"


def _cell(column: Column, cell: Cell, *, is_first: bool) -> str:
    tag, scope = ("th", ' scope="row"') if is_first else ("td", "")
    tone = f" ns-{cell.tone}" if cell.tone else ""
    title = f' title="{escaped(cell.title)}"' if cell.title else ""
    note = f"<small>{escaped(cell.note)}</small>" if cell.note else ""
    inside = f"{swatch(cell.colour)}{_linked(cell)}{note}"
    return f'<{tag}{scope} class="{_side(column)}{tone}"{title}>{inside}</{tag}>'


def _linked(cell: Cell) -> str:
    text = escaped(cell.text)
    return f'<a href="{escaped(cell.link)}" target="_self">{text}</a>' if cell.link else text


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names with values, as many side by side as the width allows."""
    items = "".join(f"<div><dt>{escaped(name)}</dt><dd>{escaped(value)}</dd></div>" for name, value in pairs)
    return f'<dl class="ns-facts">{items}</dl>'


def plain_heading(text: str) -> str:
    """Return text for a heading. Headings read Markdown: what comes from a log is kept from being read so."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]()<>#+-.!|~$:" else sign for sign in text)


def folded(text: str) -> str:
    """Return a text: whole when it is short, its beginning with the rest folded away when it is long."""
    if not text.strip():
        return ""
    if len(text) <= _UNFOLDED and text.count("\n") < _UNFOLDED_LINES:
        return f'<div class="ns-said" dir="auto">{escaped(text.strip())}</div>'
    start = " ".join(text[: _PREVIEW * 2].split())[:_PREVIEW]
    size = f"{len(text):,} characters"
    shown, rest = text[:_LONGEST_SHOWN], len(text) - _LONGEST_SHOWN
    more = f'<p class="ns-muted">… {rest:,} more characters are not shown here</p>' if rest > 0 else ""
    return (
        f'<details><summary><span dir="auto">{escaped(start)} …</span> <small>{size}</small></summary>'
        f'<pre dir="auto">{escaped(shown)}</pre>{more}</details>'
    )
