"""The policies a document is reviewed against, read from the playbook's text.

## P07 Liability cap
Required: yes
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from nightschool.core.errors import Malformed

__all__ = ["Policy", "policies_of"]

_HEADING: Final = re.compile(r"^##\s+(?P<id>[A-Z]+\d+)\s+(?P<title>.+?)\s*$", re.MULTILINE)
_REQUIRED: Final = re.compile(r"^Required:\s*yes\b", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the engine needs to know of a policy; its words are for the agents."""

    id: str
    title: str
    required: bool
    """Whether its absence from the whole document is a finding."""
    text: str = ""
    """All that stands under its heading."""


def policies_of(playbook: str) -> tuple[Policy, ...]:
    """Return the policies in the playbook's order.

    Raises:
        Malformed: there is no policy heading.
    """
    headings = list(_HEADING.finditer(playbook))
    if not headings:
        raise Malformed("playbook: no policy found; start each with a heading such as `## P07 Liability cap`")
    ends = [heading.start() for heading in headings[1:]] + [len(playbook)]
    return tuple(
        Policy(
            id=heading["id"],
            title=heading["title"],
            required=bool(_REQUIRED.search(playbook, heading.end(), end)),
            text=playbook[heading.end() : end].strip(),
        )
        for heading, end in zip(headings, ends, strict=True)
    )
