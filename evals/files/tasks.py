"""Draws one task: rules and length follow from sample and seed, names and amounts from the repeat as well.

Knows nothing about scores or who does the work. Pure.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from nightschool.core.errors import NotFound
from nightschool.experiments.suite_parts import Drawn

from .brief import CODES, FORMATS, RULES, TREES, Brief, Record, write_brief
from .content import contents_of

__all__ = ["LEVELS", "draw_task", "facts_of"]

LEVELS: Final[Mapping[str, tuple[int, int]]] = {"easy": (6, 3), "medium": (12, 5), "hard": (24, 8)}
"""Level to the number of records and of rules; a file of rows only has at most six rules."""

_ID: Final = re.compile(rf"(?P<level>{'|'.join(LEVELS)})-(?P<format>{'|'.join(FORMATS)})-[1-9]\d*")
_OF_TREES: Final = ("total", "count")
_GIVEN: Final = [
    "Anna",
    "Bela",
    "Carl",
    "Dora",
    "Emil",
    "Fina",
    "Gero",
    "Hilda",
    "Ivo",
    "Jana",
    "Karl",
    "Lena",
]
_SURNAMES: Final = [
    "Ahorn",
    "Birk",
    "Esche",
    "Fichte",
    "Hasel",
    "Kiefer",
    "Linde",
    "Rotdorn",
    "Tanne",
    "Ulme",
    "Weide",
    "Zeder",
]
_THINGS: Final = ("expenses", "receipts", "claims", "costs")


def facts_of(sample_id: str) -> dict[str, Any]:
    """Return what a sample's id says.

    Raises:
        NotFound: the id has no valid form.
    """
    found = _ID.fullmatch(sample_id)
    if found is None:
        forms = f"one of {', '.join(LEVELS)}, one of {', '.join(FORMATS)}, a number"
        raise NotFound(f"suite `files` has no sample `{sample_id}`; ids look like easy-json-1: {forms}")
    return {"level": found["level"], "format": found["format"], "pages": 1}


def draw_task(sample_id: str, epoch: int, seed: int) -> Drawn:
    """Draw a task; gold: the file's name and what it holds. Raises as `facts_of`."""
    facts = facts_of(sample_id)
    count, wanted = LEVELS[facts["level"]]
    truth, world = random.Random(f"{sample_id}|{seed}"), random.Random(f"{sample_id}|{seed}|{epoch}")
    known = [name for name in RULES if facts["format"] in TREES or name not in _OF_TREES]
    chosen = set(truth.sample(known, min(wanted, len(known))))
    brief = Brief(
        path=f"{truth.choice(_THINGS)}.{facts['format']}",
        records=tuple(_records(world, count)),
        rules=tuple(name for name in RULES if name in chosen),
    )
    title = f"Expenses of {world.choice(_SURNAMES)} & {world.choice(_SURNAMES)}"
    return Drawn(
        document=write_brief(brief, title),
        gold={"path": brief.path, "content": contents_of(brief)},
        facts=facts | {"records": count, "rules": len(brief.rules)},
    )


def _records(world: random.Random, count: int) -> Sequence[Record]:
    numbers = world.sample(range(101, 999), count)
    if numbers == sorted(numbers):
        numbers.reverse()
    void = set(world.sample(numbers, max(1, count // 6)))
    return [
        Record(
            voucher=f"V{number}",
            day=(2026, world.randint(1, 12), world.randint(1, 28)),
            given=world.choice(_GIVEN),
            surname=world.choice(_SURNAMES),
            category=world.choice(list(CODES)),
            cents=world.randrange(150, 90_000),
            is_void=number in void,
        )
        for number in numbers
    ]
