"""The playbook: the policies that a contract is reviewed against, read from ``playbook.md``.

Knows nothing about clauses or documents. The Markdown file is at once what a person edits, what an agent's
system prompt contains, and what this module reads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from nightschool.core.errors import Malformed

from .quantities import Limit, parse_limit

__all__ = ["Policy", "parse_playbook", "playbook_text", "policies"]

_PATH: Final = Path(__file__).with_name("playbook.md")
_HEADING: Final = re.compile(r"## (?P<id>P\d\d) (?P<title>.+)")
_FIELD: Final = re.compile(
    r"(?P<name>Clause|Required|Position|Acceptable|Not acceptable|Limit): (?P<value>.+)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What we accept for one kind of clause."""

    id: str
    title: str
    clause: str
    position: str
    required: bool
    """Whether a contract without such a clause is itself a finding."""
    acceptable: str
    not_acceptable: str
    limit: Limit | None
    """The line through a quantity, for the policies that one decides."""


@lru_cache(maxsize=1)
def playbook_text() -> str:
    """Return the playbook as it stands in a system prompt."""
    return _PATH.read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def policies() -> tuple[Policy, ...]:
    """Return the suite's policies in the order of the playbook."""
    return parse_playbook(playbook_text(), source=str(_PATH))


def parse_playbook(text: str, *, source: str) -> tuple[Policy, ...]:
    """Read policies from Markdown.

    Args:
        text: the Markdown, one ``## P01 Title`` heading for each policy with its fields below.
        source: the file's name, for messages.

    Raises:
        Malformed: a policy lacks a field or its limit cannot be read; the message names file, line and field.
    """
    blocks: list[tuple[int, str, str, dict[str, str]]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if heading := _HEADING.fullmatch(line):
            blocks.append((number, heading["id"], heading["title"], {}))
        elif blocks and (field := _FIELD.fullmatch(line)):
            blocks[-1][3][field["name"]] = field["value"]
    return tuple(_policy(source, *block) for block in blocks)


def _policy(source: str, line: int, identifier: str, title: str, fields: dict[str, str]) -> Policy:
    for name in ("Clause", "Position", "Acceptable", "Not acceptable"):
        if name not in fields:
            raise Malformed(
                f"{source}:{line}: policy {identifier} has no field {name!r}; add a line '{name}: ...'",
                path=source,
                line=line,
                field=name,
            )
    try:
        limit = parse_limit(fields["Limit"]) if "Limit" in fields else None
    except Malformed as error:
        message = f"{source}:{line}: policy {identifier}, field 'Limit': {error.message}"
        raise Malformed(message, path=source, line=line, field="Limit") from error
    return Policy(
        id=identifier,
        title=title,
        clause=fields["Clause"],
        position=fields["Position"],
        required=fields.get("Required", "no") == "yes",
        acceptable=fields["Acceptable"],
        not_acceptable=fields["Not acceptable"],
        limit=limit,
    )
