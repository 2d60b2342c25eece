"""Draws one year's accounts and facts. Knows nothing about reports, scores or who writes. Pure."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from nightschool.core.errors import NotFound
from nightschool.experiments.suite_parts import Drawn

from .brief import DISCLOSURES, Brief, Fact, amount, write_brief

__all__ = ["LEVELS", "draw_accounts", "facts_of"]

LEVELS: Final[Mapping[str, tuple[int, int]]] = {"easy": (3, 1), "medium": (7, 2), "hard": (12, 4)}
"""Level to accounts on each side, and facts that may belong into each disclosure."""
_ID: Final = re.compile(rf"(?P<level>{'|'.join(LEVELS)})-[1-9]\d*")
_ASSETS: Final = (
    *("Cash at bank", "Equipment", "Receivables", "Stock", "Buildings", "Vehicles", "Software", "Patents"),
    *("Deposits", "Prepayments", "Land", "Furniture"),
)
_LIABILITIES: Final = (
    *("Payables", "Bank loan", "Tax liabilities", "Wages owed", "Provisions", "Overdraft", "Leases", "Bonds"),
    *("Customer deposits", "Deferred income", "Pensions", "Dividends owed"),
)
_NAMES: Final = ("Alder", "Birch", "Cedar", "Elm", "Hazel", "Larch", "Maple", "Oak", "Rowan", "Willow", "Yew")
_PEOPLE: Final = ("Anna Birk", "Carl Esche", "Dora Linde", "Emil Tanne", "Hilda Ulme", "Ivo Weide")


def facts_of(sample_id: str) -> dict[str, Any]:
    """Return what a sample's id says.

    Raises:
        NotFound: the id has no valid form.
    """
    found = _ID.fullmatch(sample_id)
    if found is None:
        levels = ", ".join(LEVELS)
        raise NotFound(f"suite `drafting` has no sample `{sample_id}`; ids look like easy-1: one of {levels}")
    accounts, _ = LEVELS[found["level"]]
    return {"level": found["level"], "accounts": 2 * accounts, "pages": 1}


def draw_accounts(sample_id: str, epoch: int, seed: int) -> Drawn:
    """Draw a year; what has to be disclosed follows from sample and seed. Raises as `facts_of`.

    The gold is what the report's lines and disclosures are to say.
    """
    facts = facts_of(sample_id)
    accounts, most = LEVELS[facts["level"]]
    truth, world = random.Random(f"{sample_id}|{seed}"), random.Random(f"{sample_id}|{seed}|{epoch}")
    counts = {section: truth.randint(0, most) for section in DISCLOSURES}
    told = list(_facts(world, counts))
    world.shuffle(told)
    brief = Brief(
        company=f"{world.choice(_NAMES)} & {world.choice(_NAMES)} Ltd",
        assets={name: world.randrange(2_000, 400_000) for name in _ASSETS[:accounts]},
        liabilities={name: world.randrange(1_000, 200_000) for name in _LIABILITIES[:accounts]},
        result={"Revenue": world.randrange(200_000, 900_000), "Expenses": world.randrange(150_000, 800_000)},
        cash={
            "Opening cash": world.randrange(5_000, 90_000),
            "Change in cash": world.randrange(-4_000, 60_000),
        },
        facts=tuple(told),
    )
    gold = {
        "lines": {**brief.assets, **brief.liabilities, **brief.result, **brief.cash, **brief.sums},
        "disclosures": {
            section: [{"who": fact.who, "amount": fact.amount} for fact in brief.disclosed(section)]
            for section in DISCLOSURES
        },
    }
    disclosed = sum(counts.values())
    return Drawn(document=write_brief(brief), gold=gold, facts=facts | {"disclosed": disclosed})


def _facts(world: random.Random, counts: Mapping[str, int]) -> Iterator[Fact]:
    """Yield what is to be disclosed, and beside it an innocent likeness of each kind."""
    for section, count in counts.items():
        for number in range(count + 1):
            yield _fact(world, section, is_disclosed=number < count)


def _fact(world: random.Random, section: str, *, is_disclosed: bool) -> Fact:
    low, high = (1_001, 90_000) if is_disclosed or section != "Related parties" else (100, 999)
    money, day = world.randrange(low, high), world.randint(2, 27)
    person, name = world.choice(_PEOPLE), f"{world.choice(_NAMES)} {world.choice(_NAMES)}"
    who, words = {
        ("Related parties", True): (
            person,
            f"On {day} March 2025 the company lent {person}, a director, {amount(money)}.",
        ),
        ("Related parties", False): (
            person,
            f"On {day} July 2025 the company sold furniture to {person}, a director, for {amount(money)}.",
        ),
        ("Contingencies", True): (name, f"{name} claims {amount(money)} in court; the outcome is open."),
        ("Contingencies", False): (
            name,
            f"A claim of {name} over {amount(money)} was settled and paid in June.",
        ),
        ("Events after the year", True): (
            name,
            f"On {day} January 2026 a fire at {name} destroyed stock of {amount(money)}.",
        ),
        ("Events after the year", False): (
            name,
            f"On {day} May 2025 a fire at {name} destroyed stock of {amount(money)}.",
        ),
    }[section, is_disclosed]
    return Fact(section=section, who=who, amount=money, is_disclosed=is_disclosed, words=f"- {words}")
