"""The front page and the contributor's page name only what exists."""

from __future__ import annotations

import re

import pytest

from tests.architecture.tree import PACKAGE, ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
PAGES = ["README.md", "CONTRIBUTING.md"]
INLINE = re.compile(r"^(?:\$ )?make ([a-z-]+)|`make ([a-z-]+)", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_every_make_target_that_a_page_names_exists(page: str) -> None:
    named = {a or b for a, b in INLINE.findall((ROOT / page).read_text(encoding="utf-8"))}

    assert named <= TARGETS


@pytest.mark.parametrize("page", PAGES)
def test_every_path_that_a_page_names_exists(page: str) -> None:
    """A path is something in backquotes with a slash in it and no blank or placeholder."""
    text = (ROOT / page).read_text(encoding="utf-8")
    paths = re.findall(r"`([\w.-]+/[\w./-]*)`", text)

    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("part", sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py")))
def test_the_annotated_tree_shows_every_part(part: str) -> None:
    assert f"── {part}/ " in (ROOT / "README.md").read_text(encoding="utf-8")


def test_make_help_lists_every_target_that_is_meant_for_people() -> None:
    described = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))

    assert {"bench", "check", "dashboard", "demo", "format", "nightly", "test"} <= described
