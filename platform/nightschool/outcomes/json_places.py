"""Where in a JSON text a value stands, so that what is wrong with it can be pointed at.

Pure. Knows nothing about schemas.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

__all__ = ["Place", "parse_json", "place_at", "place_of"]

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_DECODER: Final = json.JSONDecoder()


class Place(NamedTuple):
    """A place in a text, both counted from 1."""

    line: int
    column: int


def parse_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        json.JSONDecodeError: it is none; NaN and Infinity are none either.
        ValueError: a number with more digits than can be read.
        RecursionError: nested too deep.
    """

    def refuse(constant: str) -> Any:
        position = max(_STRING.sub(lambda match: " " * len(match[0]), text).find(constant), 0)
        raise json.JSONDecodeError(f"{constant} is no JSON", text, position)

    return json.loads(text, parse_constant=refuse)


def place_at(text: str, position: int) -> Place:
    """Return the place of a position counted in characters from 0."""
    before = text[:position]
    return Place(before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1)


def place_of(text: str, path: Sequence[str | int]) -> Place:
    """Return where the value at a path begins; of a key that is given twice, the last counts.

    Args:
        text: valid JSON.
        path: keys and indices from the outermost value inward; where it leads nowhere, the last value on it.
    """
    position = _skip(text, 0)
    for step in path:
        found = [start for key, start in _members(text, position) if key == step]
        if not found:
            break
        position = found[-1]
    return place_at(text, position)


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _members(text: str, position: int) -> Iterator[tuple[str | int, int]]:
    """Yield key or index of each member of the object or list at a position, and where its value begins."""
    is_object = text.startswith("{", position)
    if not is_object and not text.startswith("[", position):
        return
    position = _skip(text, position + 1)
    number = 0
    while text[position] not in "]}":
        key: str | int = number
        if is_object:
            key, position = _DECODER.raw_decode(text, position)
            position = _skip(text, _skip(text, position) + 1)
        yield key, position
        _, position = _DECODER.raw_decode(text, position)
        position = _skip(text, position)
        if text[position] == ",":
            position = _skip(text, position + 1)
        number += 1
