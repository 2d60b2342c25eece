"""Drawing a contract: truth first, then words, then everything around them.

Knows nothing about reviewing or scoring. `draw_contract` is pure: the same sample, epoch and seed give the
same contract. The truth depends on sample and seed only; an epoch draws wording, order, names, numbers,
filler and decoys anew.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any, Final

from nightschool.core.errors import NotFound
from nightschool.experiments.suite_parts import Drawn

from .decoys import draw_decoys
from .document import Rendered, count_words
from .library import library
from .operative import write_clauses
from .outline import Outline
from .playbook import policies
from .truth import Truth, draw_truth
from .voice import draw_voice

__all__ = ["WORDS_PER_PAGE", "draw_contract", "pages_of"]

WORDS_PER_PAGE: Final = 450

_SAMPLE_ID: Final = re.compile(r"p(?P<pages>\d{3})-\d+")
_SHORTEST, _LONGEST = 5, 200
_KINDS: Final = ("services", "software", "supply")
_TERSE_PAGES: Final = 8
"""Up to this length a clause's section says no more than it must."""


def pages_of(sample_id: str) -> int:
    """Return the length that a sample's id names: ``p045-2`` has 45 pages.

    Raises:
        NotFound: the id has another form.
    """
    match = _SAMPLE_ID.fullmatch(sample_id)
    if match is None or not _SHORTEST <= int(match["pages"]) <= _LONGEST:
        raise NotFound(
            f"no sample {sample_id!r} in the suite contracts; an id is p, the pages ({_SHORTEST:03} to"
            f" {_LONGEST}) and a number, like p045-2",
            sample_id=sample_id,
        )
    return int(match["pages"])


def draw_contract(sample_id: str, epoch: int, seed: int) -> Drawn:
    """Draw the contract of one sample in one epoch.

    Args:
        sample_id: names the length; two samples of one length differ in truth.
        epoch: the repeat.
        seed: the experiment's seed.

    Returns:
        The contract; its gold says for every policy its position, how it comes about, and the sections in
        which it can be read.

    Raises:
        NotFound: the sample id has no valid form.
    """
    pages = pages_of(sample_id)
    clause_types = library().clause_types
    true_rng = random.Random(f"{seed}/{sample_id}/truth")
    truths = draw_truth(policies(), clause_types, pages, true_rng)
    kind = true_rng.choice(_KINDS)
    voice = draw_voice(random.Random(f"{seed}/{sample_id}/{epoch}/words"), library().words, kind, pages)
    outline = Outline(library=library(), voice=voice, pages=pages)
    outline.add_clauses(write_clauses(truths, clause_types, voice, terse=pages <= _TERSE_PAGES))
    decoys = draw_decoys(truths, library(), voice, pages)
    outline.add_frame()
    outline.add_decoy_sections(decoys)
    outline.fill(
        pages * WORDS_PER_PAGE - sum(count_words(decoy.text) for decoy in decoys if not decoy.section)
    )
    outline.scatter(decoys)
    rendered = outline.finish(voice.say(voice.rng.choice(library().part_titles[f"title_{kind}"])))
    return Drawn(
        document=rendered.text, gold=_gold(truths, outline, rendered), facts=_facts(pages, kind, rendered)
    )


def _gold(truths: Sequence[Truth], outline: Outline, rendered: Rendered) -> list[dict[str, Any]]:
    return [
        {
            "policy": truth.policy,
            "required": policy.required,
            "position": truth.position.value,
            "via": truth.via.value if truth.via else None,
            "sections": [rendered.numbers[key] for key in outline.homes.get(truth.policy, ())],
        }
        for policy, truth in zip(policies(), truths, strict=True)
    ]


def _facts(pages: int, kind: str, rendered: Rendered) -> dict[str, Any]:
    return {
        "pages": pages,
        "words": count_words(rendered.text),
        "sections": len(set(rendered.numbers.values())),
        "kind": kind,
    }
