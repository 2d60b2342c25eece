"""Statements of people as memories, with their conflicts settled in the order they were made. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from nightschool.dreaming.conflicts import Conflict, Statement, Winner, resolve, scope_of
from nightschool.dreaming.digest import text_hash
from nightschool.dreaming.episode import Claim, Episode, LabelSource, Result
from nightschool.dreaming.proposal import Proposal
from nightschool.dreaming.rules import Rules
from nightschool.dreaming.statements import is_instruction
from nightschool.memory.action import action_of
from nightschool.memory.memory import Attributes, Evidence, Kind, State, Tier

__all__ = ["statement_memories"]

_TRUST: Final = {
    LabelSource.TRUE_CHECK: 1.0,
    LabelSource.USER: 1.0,
    LabelSource.GRADER: 0.8,
    LabelSource.SELF: 0.3,
}
_TAINTED: Final = 0.2
_DOUBT: Final = 0.5
"""What a lost contradiction takes from the winner, as a share of the loser's weight."""
_INDEPENDENT: Final = 2
"""Sessions that must have heard an order before it is one."""


@dataclass(slots=True)
class _Heard:
    """A statement with everybody who made it."""

    path: str
    text: str
    claims: list[tuple[Episode, Claim]]
    state: State = State.ACTIVE
    reason: str = ""
    tags: tuple[str, ...] = ()
    superseded_by: str = ""
    supersedes: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    doubts: tuple[Evidence, ...] = ()

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        first: dict[str, Evidence] = {}
        for episode, claim in self.claims:
            first.setdefault(episode.session_id, _evidence(episode, claim))
        return tuple(first[session] for session in sorted(first))

    @property
    def latest(self) -> tuple[str, str]:
        return max((episode.at, episode.session_id) for episode, _ in self.claims)

    @property
    def statement(self) -> Statement:
        types = {episode.task_type for episode, _ in self.claims}
        return Statement(
            text=self.text,
            task_type=types.pop() if len(types) == 1 else "",
            weight=sum(each.weight for each in self.evidence),
        )

    @property
    def is_tainted(self) -> bool:
        return any(claim.is_tainted for _, claim in self.claims)


def _evidence(episode: Episode, claim: Claim) -> Evidence:
    trust = _TAINTED if claim.is_tainted else _TRUST[claim.said_by]
    if claim.said_by is LabelSource.SELF and episode.result is Result.FAILURE:
        trust *= 0.5
    return Evidence(
        session_id=episode.session_id,
        event_id=claim.event_id,
        passed=True,
        label=claim.said_by,
        at=episode.at,
        weight=trust,
    )


def statement_memories(episodes: Sequence[Episode], rules: Rules) -> list[Proposal]:
    """Return what people said as memories; those that lost a conflict are archived, not gone."""
    heard = sorted(_heard(episodes), key=lambda each: each.latest)
    standing: list[_Heard] = []
    for newer in heard:
        newer.state, newer.reason = _first_state(newer, rules)
        if newer.is_tainted:
            continue
        for older in standing:
            if older.state is State.ACTIVE and newer.state is State.ACTIVE:
                _settle(older, newer, rules)
        standing.append(newer)
    return [_proposal(each) for each in sorted(heard, key=lambda each: each.path)]


def _heard(episodes: Sequence[Episode]) -> list[_Heard]:
    groups: dict[str, list[tuple[Episode, Claim]]] = defaultdict(list)
    for episode in episodes:
        for claim in episode.claims:
            groups[f"{'quotations' if claim.is_tainted else 'statements'}/{text_hash(claim.text)}"].append(
                (episode, claim)
            )
    return [
        _Heard(path=f"/{key}", text=min(claim.text for _, claim in claims), claims=claims)
        for key, claims in groups.items()
    ]


def _first_state(heard: _Heard, rules: Rules) -> tuple[State, str]:
    if heard.is_tainted:
        return State.QUARANTINED, "a tool or page said it: it may be quoted and is never a rule"
    sessions = len(heard.evidence)
    if rules.evidence_decides and is_instruction(heard.text) and sessions < _INDEPENDENT:
        return State.CANDIDATE, f"an order heard in {sessions} session; {_INDEPENDENT} are needed"
    return State.ACTIVE, ""


def _settle(older: _Heard, newer: _Heard, rules: Rules) -> None:
    conflict, winner = resolve(older.statement, newer.statement, rules)
    if conflict is Conflict.NONE:
        return
    older.conflicts = tuple(sorted({*older.conflicts, newer.path}))
    newer.conflicts = tuple(sorted({*newer.conflicts, older.path}))
    match winner:
        case Winner.BOTH:
            return
        case Winner.NEWER:
            older.state, older.reason = State.ARCHIVED, f"{conflict}: {newer.path} is newer and holds"
            older.superseded_by = newer.path
            older.tags = ("conflict",)
            newer.supersedes = (*newer.supersedes, older.path)
        case Winner.OLDER:
            newer.state = State.CANDIDATE
            newer.reason = f"{conflict}: {older.path} has more evidence; the conflict is open"
            newer.tags = older.tags = ("conflict",)
            older.doubts = (
                *older.doubts,
                *(replace(each, passed=False, weight=each.weight * _DOUBT) for each in newer.evidence),
            )


def _proposal(heard: _Heard) -> Proposal:
    statement = heard.statement
    return Proposal(
        path=heard.path,
        text=heard.text,
        attributes=Attributes(
            kind=Kind.QUOTATION if heard.is_tainted else Kind.STATEMENT,
            tier=Tier.EPISODIC if statement.task_type else Tier.SEMANTIC,
            state=heard.state,
            task_type=statement.task_type,
            action=action_of(heard.text),
            scope=scope_of(heard.text),
            tenant=heard.claims[0][0].tenant,
            taint="tool" if heard.is_tainted else "",
            tags=heard.tags,
            evidence=(*heard.evidence, *heard.doubts),
            valid_at=heard.latest[0],
            supersedes=heard.supersedes,
            superseded_by=heard.superseded_by,
            conflicts_with=heard.conflicts,
            reason=heard.reason,
        ),
    )
