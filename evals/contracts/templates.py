"""Text with slots and alternatives, such as ``"The [buyer|customer] pays within {limit}."``.

Knows nothing about contracts. ``[a|b]`` picks one alternative, ``{name}`` or ``{name:form}`` asks the caller
for a word. Both may stand inside an alternative. A template is parsed once and rendered many times.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from nightschool.core.errors import Malformed

__all__ = ["Choice", "Resolve", "Slot", "Template", "parse", "render", "slot_names"]

Resolve = Callable[[str, str], str]
"""Given a slot's name and form, its text."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a word that the caller supplies."""

    name: str
    form: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives, one of which is taken."""

    options: tuple[Template, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A parsed text. One text has one template, so two are equal only if they are the same object."""

    parts: tuple[str | Slot | Choice, ...]


@cache
def parse(text: str) -> Template:
    """Parse a text with slots and alternatives.

    Raises:
        Malformed: a bracket is not closed, or a closing one was never opened.
    """
    template, end = _parse_until(text, 0, stops="")
    if end != len(text):
        raise Malformed(f"unexpected {text[end]!r} at character {end + 1} of {text!r}; remove it", text=text)
    return template


def _parse_until(text: str, position: int, *, stops: str) -> tuple[Template, int]:
    parts: list[str | Slot | Choice] = []
    while position < len(text) and text[position] not in stops:
        character = text[position]
        if character == "{":
            slot, position = _parse_slot(text, position)
            parts.append(slot)
        elif character == "[":
            choice, position = _parse_choice(text, position)
            parts.append(choice)
        elif character in "]}":
            break
        else:
            end = min(
                (found for mark in "{[]}|" if (found := text.find(mark, position + 1)) >= 0),
                default=len(text),
            )
            parts.append(text[position:end])
            position = end
    return Template(tuple(parts)), position


def _parse_slot(text: str, start: int) -> tuple[Slot, int]:
    end = text.find("}", start)
    if end < 0:
        raise Malformed(f"'{{' at character {start + 1} of {text!r} is never closed; add '}}'", text=text)
    name, _, form = text[start + 1 : end].partition(":")
    return Slot(name, form), end + 1


def _parse_choice(text: str, start: int) -> tuple[Choice, int]:
    options: list[Template] = []
    position = start
    while True:
        option, position = _parse_until(text, position + 1, stops="|]")
        options.append(option)
        if position >= len(text):
            raise Malformed(f"'[' at character {start + 1} of {text!r} is never closed; add ']'", text=text)
        if text[position] == "]":
            return Choice(tuple(options)), position + 1


def render(template: Template, rng: random.Random, resolve: Resolve) -> str:
    """Return the text with one alternative taken of each choice and every slot resolved."""
    return "".join(_pieces(template, rng, resolve))


def _pieces(template: Template, rng: random.Random, resolve: Resolve) -> Iterator[str]:
    for part in template.parts:
        if isinstance(part, str):
            yield part
        elif isinstance(part, Slot):
            yield resolve(part.name, part.form)
        else:
            yield from _pieces(part.options[int(rng.random() * len(part.options))], rng, resolve)


def slot_names(template: Template) -> frozenset[str]:
    """Return the names of all slots, those inside alternatives included."""
    names: set[str] = set()
    for part in template.parts:
        if isinstance(part, Slot):
            names.add(part.name)
        elif isinstance(part, Choice):
            names.update(*(slot_names(option) for option in part.options))
    return frozenset(names)
