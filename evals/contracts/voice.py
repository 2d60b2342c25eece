"""How one contract speaks: its parties' names, its numbers, the services and places it is about.

Knows nothing about policies or truth. A voice is drawn once for a document; each paragraph then asks it for
words, and hears the same word for the same slot until the paragraph ends.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from nightschool.core.errors import Malformed

from .quantities import NumberStyle, Quantity, write
from .templates import Template, render

__all__ = ["Voice", "draw_voice"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """The words that one document uses."""

    rng: random.Random
    style: NumberStyle
    words: Mapping[str, tuple[str, ...]]
    fixed: Mapping[str, str] = field(default_factory=dict)

    def say(self, template: Template, given: Mapping[str, str | Quantity] | None = None) -> str:
        """Render one paragraph.

        Args:
            template: the paragraph.
            given: values for its own slots; a quantity is written in this voice's style.

        Raises:
            Malformed: the template has a slot that nothing fills.
        """
        heard: dict[str, str | Quantity] = {**self.fixed, **(given or {})}

        def resolve(name: str, form: str) -> str:
            if name not in heard:
                heard[name] = self._word(name)
            return _shape(heard[name], form, self.style)

        return render(template, self.rng, resolve)

    def _word(self, name: str) -> str:
        values = self.words.get(name)
        if not values:
            raise Malformed(f"no words for the slot {{{name}}}; add them to filler/words.yaml", slot=name)
        return values[int(self.rng.random() * len(values))]


def _shape(value: str | Quantity, form: str, style: NumberStyle) -> str:
    if isinstance(value, Quantity):
        return write(value, style, form)
    if form == "cap":
        return value[0].upper() + value[1:]
    return value


def draw_voice(rng: random.Random, words: Mapping[str, tuple[str, ...]], kind: str, pages: int) -> Voice:
    """Draw the voice of one document.

    Args:
        rng: the document's source of chance.
        words: the library's words.
        kind: ``services``, ``software`` or ``supply``; decides what is bought.
        pages: its length; a long contract is about more services and places.
    """
    subjects = rng.sample(words[f"service_{kind}"], min(len(words[f"service_{kind}"]), 4 + pages // 8))
    sites = rng.sample(words["site"], min(len(words["site"]), 3 + pages // 25))
    supplier_place, customer_place = rng.sample(words["place"], 2)
    fixed = {
        "supplier_name": _company(rng, words, kind),
        "customer_name": _company(rng, words, "customer"),
        "supplier_place": supplier_place,
        "customer_place": customer_place,
        "supplier_street": rng.choice(words["street"]),
        "customer_street": rng.choice(words["street"]),
        "supplier_number": str(rng.randrange(10_000_000, 99_999_999)),
        "customer_number": str(rng.randrange(10_000_000, 99_999_999)),
        "date": f"{rng.randrange(1, 29)} {rng.choice(words['month'])} {rng.randrange(2019, 2026)}",
        "old_year": str(rng.randrange(2008, 2018)),
        "board": rng.choice(words["board"]),
    }
    own = {"service": tuple(subjects), "site": tuple(sites)}
    return Voice(rng=rng, style=rng.choice(list(NumberStyle)), words={**words, **own}, fixed=fixed)


def _company(rng: random.Random, words: Mapping[str, tuple[str, ...]], kind: str) -> str:
    return " ".join(
        rng.choice(words[name]) for name in ("company_stem", f"company_trade_{kind}", "company_form")
    )
