"""What the reader makes of a dream's findings: it says those that say the same once, in words that are there.

It has no language of its own, so nothing is rephrased. Knows nothing about dreams.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from nightschool.models.reader.passages import Attention

__all__ = ["SUBMIT_MEMORIES", "merged_findings", "parse_findings"]

SUBMIT_MEMORIES: Final = "submit_memories"
_ALIKE: Final = 0.85
"""Likeness from which on two findings of a group say the same."""
_TELLING: Final = re.compile(r"\d+|\b(?:no|not|never|without|cannot)\b", re.IGNORECASE)


def parse_findings(request: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the findings in a request's first message; empty where it is about something else."""
    content = request["messages"][0]["content"]
    text = content if isinstance(content, str) else "".join(block.get("text", "") for block in content)
    try:
        found = json.loads(text)["findings"]
    except (ValueError, KeyError, TypeError):
        return []
    return list(found)


def merged_findings(findings: Sequence[Mapping[str, Any]], attention: Attention) -> list[dict[str, Any]]:
    """Return one item for each set of findings that say the same, in the words of the shortest."""
    sets: list[list[Mapping[str, Any]]] = []
    for finding in findings:
        same = next((each for each in sets if _say_the_same(each[0], finding, attention)), None)
        if same is None:
            sets.append([finding])
        else:
            same.append(finding)
    return [_item(each) for each in sets if len(each) > 1]


def _say_the_same(one: Mapping[str, Any], other: Mapping[str, Any], attention: Attention) -> bool:
    if one["group"] != other["group"] or _telling(one["text"]) != _telling(other["text"]):
        return False
    return attention.resemblance(one["text"], other["text"]) >= _ALIKE


def _telling(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _TELLING.findall(text))


def _item(same: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    shortest = min((str(each["text"]) for each in same), key=lambda text: (len(text), text))
    return {
        "findings": [each["path"] for each in same],
        "text": shortest,
        "events": sorted({each["events"][0] for each in same}),
    }
