"""Every view has an address that reproduces it: what is chosen with a widget stands in the URL."""

from __future__ import annotations

import ast
from pathlib import Path

import nightschool.dashboard

CHOOSING = {
    "checkbox",
    "date_input",
    "multiselect",
    "number_input",
    "pills",
    "radio",
    "segmented_control",
    "select_slider",
    "selectbox",
    "slider",
    "text_input",
    "toggle",
}
ASKED_FOR_WRITING = {"asking.py", "reviewing.py", "writer.py"}
"""What is typed there goes into the log and does not change what is shown."""
WRITTEN_BY_HAND = {"site.py", "pages/session.py", "pages/sql.py:selectbox:Saved questions"}
"""These write the URL themselves."""
TAKEN_AWAY = {"plots.py"}
"""Chooses between kinds of a file."""


def unbound() -> list[str]:
    folder = Path(nightschool.dashboard.__file__).parent
    found = []
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                label = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
                bound = any(keyword.arg == "bind" for keyword in node.keywords)
                if node.func.attr in CHOOSING and ast.unparse(node.func.value) == "st" and not bound:
                    found.append(f"{name}:{node.func.attr}:{label!s}")
    return found


def test_every_choice_stands_in_the_address() -> None:
    excused = ASKED_FOR_WRITING | WRITTEN_BY_HAND | TAKEN_AWAY

    assert [] == [each for each in unbound() if not {each, each.partition(":")[0]} & excused]
