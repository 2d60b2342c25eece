"""Names of things that tasks change, and which of them are the same thing: pure.

    file:src/report/**       a file tree; a name means the file or all that lies below it
    table:sales.orders       a table; `table:sales` means every table of the schema
    endpoint:api.example.com/orders

`*` stands for anything inside one part of a name, `?` for one character, `**` for any number of parts.
An absolute and a relative file name are taken for different trees. Knows nothing about who writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from itertools import takewhile
from typing import Final, NamedTuple

from nightschool.core.errors import Malformed

__all__ = ["Resource", "covers", "overlaps", "parse_resource", "stem"]

_SEPARATORS: Final = {"endpoint": "/", "file": "/", "table": "."}
_TREE: Final = "**"


class Resource(NamedTuple):
    """A name taken apart; it means itself and everything below."""

    kind: str
    parts: tuple[str, ...]


@lru_cache(maxsize=4096)
def parse_resource(text: str) -> Resource:
    """Take a resource's name apart.

    Raises:
        Malformed: no known kind, no name, or a name that climbs with `..`.
    """
    kind, colon, name = text.partition(":")
    if not colon or kind not in _SEPARATORS or not name.strip("/. "):
        kinds = ", ".join(f"`{each}:`" for each in _SEPARATORS)
        raise Malformed(f"{text!r} names nothing that can be written; begin it with one of {kinds}")
    pieces = name.split(_SEPARATORS[kind])
    if ".." in pieces:
        raise Malformed(f"{text!r} climbs with `..`; write where it leads")
    parts = tuple(part for part in pieces if part not in ("", "."))
    root = ("/",) if name.startswith("/") and kind == "file" else ()
    ending = () if parts and parts[-1] == _TREE else (_TREE,)
    return Resource(kind, (*root, *parts, *ending))


def stem(text: str) -> tuple[str, ...]:
    """Return a name's kind and its parts up to the first pattern: names that overlap agree in the shorter."""
    kind, parts = parse_resource(text)
    return (kind, *takewhile(lambda part: not set("*?") & set(part), parts))


def overlaps(first: str, second: str) -> bool:
    """Return whether there is a thing that both names mean."""
    one, other = parse_resource(first), parse_resource(second)
    return one.kind == other.kind and _meet(one.parts, other.parts, _TREE, _names_meet)


def covers(permission: str, resource: str) -> bool:
    """Return whether everything that ``resource`` means is meant by ``permission`` too.

    When in doubt (a pattern inside a pattern) the answer is no.
    """
    whole, part = parse_resource(permission), parse_resource(resource)
    return whole.kind == part.kind and _covered(whole.parts, part.parts)


def _meet(
    first: Sequence[str], second: Sequence[str], anything: str, alike: Callable[[str, str], bool]
) -> bool:
    """Return whether one sequence fits both patterns; ``anything`` fits any number of members."""

    @cache
    def meet(i: int, j: int) -> bool:
        if i == len(first) or j == len(second):
            return all(member == anything for member in (*first[i:], *second[j:]))
        if anything in (first[i], second[j]):
            # Whichever side is `anything` ends here, or takes one member of the other side.
            return meet(i + 1, j) or meet(i, j + 1)
        return alike(first[i], second[j]) and meet(i + 1, j + 1)

    return meet(0, 0)


@lru_cache(maxsize=4096)
def _names_meet(first: str, second: str) -> bool:
    return first == second or _meet(first, second, "*", _characters_meet)


def _characters_meet(first: str, second: str) -> bool:
    return first == second or "?" in (first, second)


def _covered(whole: Sequence[str], part: Sequence[str]) -> bool:
    @cache
    def covered(i: int, j: int) -> bool:
        if i == len(whole):
            return j == len(part)
        if whole[i] == _TREE:
            return covered(i + 1, j) or (j < len(part) and covered(i, j + 1))
        if j == len(part) or part[j] == _TREE:
            return False
        return _name_covers(whole[i], part[j]) and covered(i + 1, j + 1)

    return covered(0, 0)


def _name_covers(pattern: str, name: str) -> bool:
    if pattern in ("*", name):
        return True
    return not set("*?") & set(name) and "[" not in pattern and fnmatchcase(name, pattern)
