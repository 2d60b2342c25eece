"""The suite's door: draws contracts, scores reviews, says what was wrong. Knows nothing about memories."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from nightschool.experiments.suite_parts import Drawn, SampleSpec, Score, positions_of

from .idioms import IDIOMS, LOOKALIKES, PLAIN_FINE, PLAIN_VIOLATIONS

__all__ = ["draw", "feedback", "oracle", "playbook_text", "samples", "score"]

_PLAYBOOK: Final = Path(__file__).parents[1] / "contracts" / "playbook.md"
_TRADES: Final = {
    "canteen": "runs the canteen in the Customer's offices",
    "cleaning": "cleans the Customer's halls and windows",
    "hosting": "keeps the Customer's websites running",
    "freight": "carries the Customer's pallets between its depots",
    "printing": "prints the Customer's catalogues",
    "security": "guards the Customer's sites at night",
    "training": "teaches the Customer's staff languages",
    "gardens": "tends the lawns around the Customer's buildings",
}
_IDIOM_SHARE: Final = 0.5
"""How often a contract has an idiom of each kind."""
_LOOKALIKE_SHARE: Final = 0.4
"""How often it has a sentence that uses an idiom's words in their plain sense."""
_TRAIN: Final = frozenset({"canteen", "cleaning", "hosting", "freight"})


def samples(config: Mapping[str, Any]) -> list[SampleSpec]:
    """Return the contracts of every trade, those to learn from first."""
    count = int(config.get("contracts_per_family", 10))
    found = []
    for split in ("train", "test"):
        for family in config.get(split, ()):
            for number in range(count):
                facts = {"family": str(family), "split": split, "pages": 1}
                found.append(SampleSpec(id=f"{family}-{number}", facts=facts))
    return found


def draw(sample_id: str, epoch: int, seed: int) -> Drawn:
    """Draw one contract; the same arguments give the same contract."""
    family = sample_id.rpartition("-")[0]
    rng = random.Random(f"{sample_id}/{epoch}/{seed}")
    split = "train" if family in _TRAIN else "test"
    side = 0 if split == "train" else 1
    clauses: dict[str, str] = {}
    wording: dict[str, str] = {}
    broken: list[str] = []
    for breaks in (False, True):
        if rng.random() < _IDIOM_SHARE:
            idiom = rng.choice([each for each in IDIOMS if each.breaks == breaks])
            clauses[idiom.policy] = rng.choice((idiom.train, idiom.test)[side])
            wording[idiom.policy] = clauses[idiom.policy]
            broken += [idiom.policy] if breaks else []
    plain_bad = rng.choice(sorted(set(PLAIN_VIOLATIONS) - set(clauses)))
    clauses[plain_bad] = PLAIN_VIOLATIONS[plain_bad]
    plain_good = rng.choice(sorted(set(PLAIN_FINE) - set(clauses)))
    clauses[plain_good] = PLAIN_FINE[plain_good]
    order = rng.sample(sorted(clauses), len(clauses))
    titles = _titles()
    lines = [f"# Agreement on {family}", "", "## 1 Subject", f"The Supplier {_TRADES[family]}.", ""]
    for number, policy in enumerate(order, start=2):
        lines += [f"## {number} {titles[policy]}", clauses[policy], ""]
    if rng.random() < _LOOKALIKE_SHARE:
        lines += [f"## {len(order) + 2} Premises", rng.choice(LOOKALIKES[split]), ""]
    canary = hashlib.sha256(f"canary/{sample_id}/{epoch}/{seed}".encode()).hexdigest()[:20]
    gold = {
        "violations": sorted([*broken, plain_bad]),
        "wording": wording,
        "canary": canary,
    }
    facts = {"family": family, "split": split, "pages": 1}
    return Drawn(document="\n".join(lines), gold=gold, facts=facts)


def playbook_text() -> str:
    """Return the playbook as it stands in a system prompt."""
    return _PLAYBOOK.read_text(encoding="utf-8")


def score(gold: Mapping[str, Any], answer: Mapping[str, Any], document: str) -> Score:
    """Score a review against its truth; it passes when exactly the right policies are flagged."""
    flagged, wanted = _flagged(answer), set(gold["violations"])
    both = len(flagged & wanted)
    exact = float(flagged == wanted)
    quotes = [item.get("quote") for item in positions_of(answer) if item.get("position") == "violation"]
    sound = [quote for quote in quotes if isinstance(quote, str) and quote in document]
    return Score(
        accuracy=exact,
        completeness=both / len(wanted),
        format=len(sound) / len(quotes) if quotes else 1.0,
        metrics={
            "false_flags": float(len(flagged - wanted)),
            "missed": float(len(wanted - flagged)),
            "f1": 2 * both / (len(flagged) + len(wanted)),
        },
    )


def feedback(gold: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    """Return what an operator who knows the house says about a review; empty when it is right."""
    flagged, wanted = _flagged(answer), set(gold["violations"])
    wording = gold["wording"]
    said = [
        f"In this house '{wording[policy].rstrip('.')}' is no violation of {policy}."
        for policy in sorted(flagged - wanted)
        if policy in wording
    ]
    said += [
        f"In this house '{wording[policy].rstrip('.')}' breaks {policy}."
        for policy in sorted(wanted - flagged)
        if policy in wording
    ]
    return " ".join(said)


def oracle(gold: Mapping[str, Any]) -> list[str]:
    """Return what an operator who knows the house would say before this very contract is read."""
    wanted = set(gold["violations"])
    return [
        f"In this house '{words.rstrip('.')}' "
        f"{'breaks' if policy in wanted else 'is no violation of'} {policy}."
        for policy, words in gold["wording"].items()
    ]


def _flagged(answer: Mapping[str, Any]) -> set[str]:
    return {str(item.get("policy")) for item in positions_of(answer) if item.get("position") == "violation"}


def _titles() -> dict[str, str]:
    heads = (line[3:].split(" ", 1) for line in playbook_text().splitlines() if line.startswith("## P"))
    return dict(heads)
