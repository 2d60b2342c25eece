"""The policies to review against, read from the system prompt. Knows nothing about any document."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nightschool.models.reader.quantities import Limit, parse_limit
from nightschool.models.reader.traits import Parties, traits_of

__all__ = ["Playbook", "Policy", "parse_playbook"]

_START: Final = re.compile(r"^# Playbook\s*$", re.MULTILINE)
_NEXT_PART: Final = re.compile(r"^# ", re.MULTILINE)
_POLICY: Final = re.compile(r"^## +(?P<id>\S+) +(?P<title>.+?)\s*$", re.MULTILINE)
_PARTY: Final = re.compile(
    r"\bwe (?:review|act|sign|are here) (?:as|for) (?:the )?(?P<party>[A-Z]\w+)", re.IGNORECASE
)
_FIELD: Final = re.compile(r"^(Clause|Required|Position|Acceptable|Not acceptable|Limit):\s*", re.MULTILINE)
_NAME: Final = re.compile(r"\b[Tt]he ([A-Z][a-z]+)\b")
_QUOTED: Final = re.compile(r"[\"“]([^\"”]+)[\"”]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What we accept for one kind of clause."""

    id: str
    title: str
    clause: str
    required: bool
    position: str
    acceptable: tuple[str, ...]
    not_acceptable: tuple[str, ...]
    limit: Limit | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Playbook:
    """All policies, and whose side we take. One text is parsed once, so identity is equality."""

    party: str = ""
    """Our party's name, such as Customer."""
    counterparty: str = ""
    """The other party's name, as far as the policies tell."""
    holders: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    """Whose clause each policy is about: 1 ours, -1 theirs, 0 not said."""
    policies: tuple[Policy, ...] = ()
    by_id: dict[str, Policy] = field(default_factory=dict, repr=False)

    @property
    def parties(self) -> Parties:
        """Both sides' names."""
        return Parties(ours=self.party, theirs=self.counterparty)


def parse_playbook(system: str) -> Playbook:
    """Return the playbook that stands in a system prompt; empty when there is none."""
    start = _START.search(system)
    if start is None:
        return Playbook()
    end = _NEXT_PART.search(system, start.end())
    return _parse(system[start.end() : end.start() if end else len(system)].strip())


@lru_cache(maxsize=64)
def _parse(text: str) -> Playbook:
    heads = list(_POLICY.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    policies = tuple(
        _policy(head["id"], head["title"], text[head.end() : stop])
        for head, stop in zip(heads, ends, strict=False)
    )
    preface = text[: heads[0].start()] if heads else text
    match = _PARTY.search(preface)
    party = match["party"] if match else ""
    other = _counterparty(text, party)
    return Playbook(
        party=party,
        counterparty=other,
        holders=np.array([_holder(policy, party, other) for policy in policies], dtype=np.int64),
        policies=policies,
        by_id={policy.id: policy for policy in policies},
    )


def _holder(policy: Policy, ours: str, theirs: str) -> int:
    """Return whose right, duty or act a policy is about; 0 when that is both parties' or not said.

    All examples beginning with one party tell it; else the clause's name may.
    """
    parties = Parties(ours=ours, theirs=theirs)
    subjects = {traits_of(text, parties).subject for text in (*policy.acceptable, *policy.not_acceptable)}
    if len(subjects) == 1:
        return subjects.pop()
    return int(_acts(policy.clause, ours)) - int(_acts(policy.clause, theirs))


def _acts(clause: str, name: str) -> bool:
    owns = rf"\b{name}['’]s (?:\w+ )?(?:right|duty|liability|obligation|insurance|claims?|power)"
    return bool(name) and bool(re.search(rf"\bby the {name}\b|{owns}", clause))


def _counterparty(text: str, party: str) -> str:
    """Return the capitalised name used most often behind `the`, other than our own."""
    names = Counter(_NAME.findall(text))
    names.pop(party, None)
    return names.most_common(1)[0][0] if names else ""


def _policy(identifier: str, title: str, body: str) -> Policy:
    fields = _fields(body)
    limit = fields.get("Limit")
    return Policy(
        id=identifier,
        title=title,
        clause=fields.get("Clause", title),
        required=fields.get("Required", "no").casefold().startswith("yes"),
        position=fields.get("Position", ""),
        acceptable=_examples(fields.get("Acceptable", "")),
        not_acceptable=_examples(fields.get("Not acceptable", "")),
        limit=parse_limit(limit) if limit else None,
    )


def _fields(body: str) -> dict[str, str]:
    marks = list(_FIELD.finditer(body))
    ends = [mark.start() for mark in marks[1:]] + [len(body)]
    return {mark[1]: " ".join(body[mark.end() : end].split()) for mark, end in zip(marks, ends, strict=False)}


def _examples(value: str) -> tuple[str, ...]:
    quoted = tuple(found.strip() for found in _QUOTED.findall(value))
    return quoted or ((value,) if value else ())
