from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import Malformed
from nightschool.orchestration.resources import covers, overlaps

PIECES = st.sampled_from(["a", "b", "ab", "*", "a*", "*b", "?", "**"])
PATTERNS = st.lists(PIECES, min_size=1, max_size=4).map(lambda parts: "file:" + "/".join(parts))
NAMES = st.lists(st.sampled_from(["a", "b", "ab", "ba"]), min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("file:src", "file:src/a.py"),
        ("file:src/", "file:./src"),
        ("file:src/**", "file:src/deep/down/a.py"),
        ("file:src/*.py", "file:src/a?.py"),
        ("file:**/notes.md", "file:out/2026/notes.md"),
        ("table:sales", "table:sales.orders"),
        ("table:sales.*", "table:sales.orders"),
        ("endpoint:api.example.com/orders", "endpoint:api.example.com/orders/7"),
    ],
)
def test_names_that_mean_one_thing_overlap(first: str, second: str) -> None:
    assert overlaps(first, second)
    assert overlaps(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("file:src/a.py", "file:src/b.py"),
        ("file:src", "file:source"),
        ("file:src/*.py", "file:src/*.md"),
        ("table:sales.orders", "table:sales.returns"),
        ("file:sales", "table:sales"),
        ("file:/etc", "file:etc"),
    ],
)
def test_names_of_different_things_do_not(first: str, second: str) -> None:
    assert not overlaps(first, second)


@pytest.mark.parametrize("name", ["src", "disk:src", "file:", "file:/", "file:a/../b"])
def test_what_names_nothing_is_refused(name: str) -> None:
    with pytest.raises(Malformed):
        overlaps(name, "file:a")


def _matches(pattern: str, name: list[str]) -> bool:
    """Say by trying whether a name lies in the pattern's tree: the slow and obvious way."""

    def below(parts: list[str], left: list[str]) -> bool:
        if not parts:
            return True
        if parts[0] == "**":
            return any(below(parts[1:], left[n:]) for n in range(len(left) + 1))
        return bool(left) and fnmatchcase(left[0], parts[0]) and below(parts[1:], left[1:])

    return below(pattern.removeprefix("file:").split("/"), name)


@given(PATTERNS, PATTERNS, NAMES)
def test_two_patterns_that_a_name_fits_overlap(first: str, second: str, name: list[str]) -> None:
    if _matches(first, name) and _matches(second, name):
        assert overlaps(first, second)


@given(PATTERNS, PATTERNS, NAMES)
def test_what_a_permission_covers_it_covers_whole(permission: str, resource: str, name: list[str]) -> None:
    if covers(permission, resource) and _matches(resource, name):
        assert _matches(permission, name)


def test_a_permission_covers_its_tree_and_nothing_beside_it() -> None:
    assert covers("file:out/**", "file:out/north.md")
    assert covers("file:out", "file:out/deep/**")
    assert not covers("file:out", "file:**")
    assert not covers("file:out/*", "table:out")
    assert not covers("file:out/a", "file:out/*")
