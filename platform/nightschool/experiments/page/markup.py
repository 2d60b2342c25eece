"""HTML and SVG as text, with everything that comes from outside escaped. Knows nothing about experiments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["Markup", "columns", "element", "section", "text"]


class Markup(str):
    """Text that is markup already and must not be escaped again."""

    __slots__ = ()


def text(value: object) -> Markup:
    """Return a value as markup; what is none yet is escaped."""
    return value if isinstance(value, Markup) else Markup(escape(str(value)))


def element(name: str, /, *children: object, **attributes: object) -> Markup:
    """Return an element.

    Args:
        name: the tag.
        children: markup, or values that are escaped.
        attributes: `_` in a name stands for `-`, and one at its end is dropped (`class_`); None is left out.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(text(child) for child in children)
    return Markup(f"<{name}{given}>{inside}</{name}>")


def columns(head: Sequence[object], rows: Iterable[Sequence[object]]) -> Markup:
    """Return a table that scrolls by itself where the page is narrow; the first cell of a row names it."""
    body = [
        element("tr", element("th", row[0], scope="row"), *[element("td", cell) for cell in row[1:]])
        for row in rows
    ]
    top = element("tr", *[element("th", cell, scope="col") for cell in head])
    table = element("table", element("thead", top), element("tbody", *body))
    return element("div", table, class_="wide", tabindex="0")


def section(title: str, *children: object) -> Markup:
    """Return a part of the page under its heading."""
    return element("section", element("h2", title), *children)
