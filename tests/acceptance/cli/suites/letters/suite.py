"""Letters of agreement of half a page with three clauses each: the smallest contracts to compare arms on."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Final

from nightschool.experiments.suite_parts import Drawn, SampleSpec, Score

__all__ = ["draw", "playbook_text", "samples", "score"]

_PLAYBOOK: Final = """# Playbook
We review as the Customer.

## P01 Liability cap
Clause: limitation of the Supplier's liability
Required: yes
Position: The Supplier may limit its liability, but not below twelve months of charges.
Acceptable: "The Supplier is liable up to the sum of eighteen monthly charges."
Not acceptable: "The Supplier is liable for no more than two monthly charges."
Limit: at least 12 months

## P02 Notice to terminate
Clause: notice to terminate without cause
Required: yes
Position: The Customer may terminate without cause with at most ninety days' notice.
Acceptable: "The Customer can end the agreement at any time by sixty days' notice."
Not acceptable: "The Customer can end the agreement only by a year's notice."
Limit: at most 90 days

## P03 Payment term
Clause: time for payment of invoices
Required: yes
Position: The Customer has at least thirty days to pay an invoice.
Acceptable: "Each invoice falls due forty-five days after it was received."
Not acceptable: "Each invoice falls due five days after it was received."
Limit: at least 30 days
"""

_CLAUSES: Final = {
    "P01": (
        "Liability",
        "The total liability of the Supplier is limited to the charges of {} months.",
        (3, 24),
    ),
    "P02": ("Termination", "The Customer may terminate without cause by {} days' written notice.", (240, 60)),
    "P03": ("Payment", "The Customer shall pay each invoice within {} days of its receipt.", (7, 45)),
}
"""Policy to heading, words, and the quantity that breaks it and the one that keeps it."""

_FILLER: Final = (
    ("Counterparts", "This letter may be signed in counterparts, which together are one document."),
    ("Headings", "Headings are for convenience and do not affect how this letter is read."),
    ("Notices", "Notices are given in writing and reach the other party at the address stated above."),
)


def samples(config: Mapping[str, Any]) -> list[SampleSpec]:
    """Return the letters that the declaration names."""
    return [SampleSpec(id=str(name), facts={"pages": 1}) for name in config["samples"]]


def draw(sample_id: str, epoch: int, seed: int) -> Drawn:
    """Draw a letter: its truth follows from the sample, the order of its sections from the draw."""
    truth, world = random.Random(sample_id), random.Random(f"{sample_id}|{epoch}|{seed}")
    broken = frozenset(truth.sample(sorted(_CLAUSES), truth.choice((1, 2))))
    parts = [(title, words.format(q[policy not in broken])) for policy, (title, words, q) in _CLAUSES.items()]
    parts += world.sample(_FILLER, 2)
    world.shuffle(parts)
    sections = [f"## {number} {title}\n\n{text}\n" for number, (title, text) in enumerate(parts, 1)]
    facts = {"pages": 1, "sections": len(sections)}
    return Drawn(document="\n".join(["# Letter of agreement\n", *sections]), gold=broken, facts=facts)


def playbook_text() -> str:
    """Return what the letters are reviewed against."""
    return _PLAYBOOK


def score(gold: frozenset[str], answer: Mapping[str, Any], document: str) -> Score:
    """Score the findings of an answer against the policies that are broken."""
    positions = answer["positions"]
    flagged = {position["policy"] for position in positions if position["position"] != "compliant"}
    recall = len(flagged & gold) / len(gold)
    quoted = [position["quote"] in document for position in positions if position["quote"]]
    metrics = {"recall": recall, "false_flags": float(len(flagged - gold)), "gold": float(len(gold))}
    return Score(
        accuracy=2 * len(flagged & gold) / (len(flagged) + len(gold)),
        completeness=len({position["policy"] for position in positions}) / len(_CLAUSES),
        format=sum(quoted) / len(quoted) if quoted else 0.0,
        metrics=metrics,
    )
