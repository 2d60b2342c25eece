"""Findings as memories to be: where each would stand, what it would say, and what it goes back to. Pure.

A proposal without a quoted event is none. How often something held is not in its text but in its evidence,
so that more evidence changes no wording.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from nightschool.dreaming.episode import CallKind, Episode
from nightschool.dreaming.failures import FailingType
from nightschool.dreaming.mine import Findings
from nightschool.dreaming.pairs import Contrast
from nightschool.dreaming.rules import Rules
from nightschool.dreaming.strata import StrategyTable
from nightschool.dreaming.templates import Template
from nightschool.memory.action import action_of
from nightschool.memory.memory import Attributes, Evidence, Kind, State, Tier

__all__ = ["Proposal", "proposals_of"]

_FEWEST_WASTEFUL: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A memory to be."""

    path: str
    text: str
    attributes: Attributes


def proposals_of(findings: Findings, rules: Rules) -> list[Proposal]:
    """Return what findings would have remembered, without the statements of people."""
    known = {episode.session_id: episode for episode in findings.episodes}
    failing = {each.task_type: each for each in (*findings.failing_types, *findings.failing_tasks)}
    made = [
        *(_template(each, known) for each in findings.templates),
        *(_lesson(each, known) for each in failing.values() if not each.gate),
        *(_contrast(each, known) for each in findings.contrasts if each.tells_apart),
        *(_sham(each, known) for each in findings.strategies if rules.stratified and each.is_sham),
        *_economy(findings),
    ]
    return [each for each in made if each.attributes.evidence]


def _slug(*parts: str) -> str:
    words = "-".join(re.findall(r"[a-z0-9]+", " ".join(parts).casefold()))[:48].strip("-")
    return f"{words or 'x'}-{hashlib.sha256(chr(31).join(parts).encode()).hexdigest()[:8]}"


def _evidence(
    pairs: Iterable[tuple[str, str]], known: dict[str, Episode], *, passed: bool = True
) -> tuple[Evidence, ...]:
    first: dict[str, Evidence] = {}
    for session_id, event_id in pairs:
        episode = known[session_id]
        first.setdefault(
            session_id,
            Evidence(
                session_id=session_id,
                event_id=event_id,
                passed=passed,
                label=episode.label_source or "",
                at=episode.at,
            ),
        )
    return tuple(first[session] for session in sorted(first))


def _attributes(
    kind: Kind, evidence: tuple[Evidence, ...], known: dict[str, Episode], **given: object
) -> Attributes:
    tenant = known[evidence[0].session_id].tenant if evidence else ""
    base = Attributes(kind=kind, evidence=evidence, tenant=tenant, valid_at=_latest(evidence))
    return replace(base, **given)  # type: ignore[arg-type]  # names and kinds stand beside each other below


def _latest(evidence: Iterable[Evidence]) -> str:
    return max((each.at for each in evidence), default="")


def _template(each: Template, known: dict[str, Episode]) -> Proposal:
    wins = _evidence(each.evidence, known)
    losses = _evidence(
        ((session, known[session].calls[0].event_id) for session in each.against), known, passed=False
    )
    state = State.QUARANTINED if each.is_quarantined else State.CANDIDATE if each.gate else State.ACTIVE
    return Proposal(
        path=f"/templates/{_slug(each.task_type, *each.steps)}",
        text=f"For tasks of type {each.task_type}, this order of calls succeeded: {' → '.join(each.steps)}",
        attributes=_attributes(
            Kind.TEMPLATE,
            (*wins, *losses),
            known,
            state=state,
            task_type=each.task_type,
            action=_action(each.task_type),
            reason=each.gate,
        ),
    )


def _action(task_type: str) -> str:
    return action_of(task_type.rpartition("/")[2])


def _lesson(each: FailingType, known: dict[str, Episode]) -> Proposal:
    tool, template, _ = each.causes[0]
    task_type = known[each.evidence[0][0]].task_type
    return Proposal(
        path=f"/lessons/{_slug(each.task_type, tool, template)}",
        text=f"In {each.task_type}, calls of {tool} keep failing with: {template}. Make sure of it first.",
        attributes=_attributes(
            Kind.LESSON,
            _evidence(each.evidence, known),
            known,
            task_type=task_type,
            action=_action(task_type),
            reason=f"{each.shared} of {each.sessions} sessions, p = {each.p_value:.3f}",
        ),
    )


def _contrast(each: Contrast, known: dict[str, Episode]) -> Proposal:
    told = [
        *(
            f"sessions that succeeded called {name}, those that failed did not"
            for name in each.only_in_successes
        ),
        *(
            f"sessions that failed called {name}, those that succeeded did not"
            for name in each.only_in_failures
        ),
    ]
    few = min(each.successes, each.failures) < 2
    return Proposal(
        path=f"/contrasts/{_slug(each.task, *each.only_in_successes, '|', *each.only_in_failures)}",
        text=f"In {each.task}: {'; '.join(told)}.",
        attributes=_attributes(
            Kind.CONTRAST,
            _evidence(each.evidence, known),
            known,
            state=State.CANDIDATE if few else State.ACTIVE,
            task_type=each.task_type,
            action=_action(each.task_type),
            reason="one session of a kind may be chance" if few else "",
        ),
    )


def _sham(each: StrategyTable, known: dict[str, Episode]) -> Proposal:
    calls = [
        (session, call.event_id)
        for session in each.sessions
        for call in known[session].calls
        if call.tool == each.strategy
    ]
    return Proposal(
        path=f"/strategies/{_slug(each.strategy)}",
        text=f"Calling {each.strategy} looks rewarded and helps nowhere that work is needed.",
        attributes=_attributes(
            Kind.STRATEGY,
            _evidence(calls, known),
            known,
            tier=Tier.SEMANTIC,
            state=State.QUARANTINED,
            reason=each.objection,
        ),
    )


def _economy(findings: Findings) -> Iterable[Proposal]:
    wasteful = set(findings.economy.repeats.events)
    reads: dict[tuple[str, CallKind], list[tuple[str, str]]] = defaultdict(list)
    known = {episode.session_id: episode for episode in findings.episodes}
    for episode in findings.episodes:
        for call in episode.calls:
            if call.event_id in wasteful:
                reads[call.tool, call.kind].append((episode.session_id, call.event_id))
    for (tool, kind), calls in sorted(reads.items()):
        evidence = _evidence(calls, known)
        if len(evidence) < _FEWEST_WASTEFUL:
            continue
        advice = (
            f"Calling {tool} again with the same arguments gave the same result: keep the first one."
            if kind is CallKind.READ
            else f"{tool} was called twice alike and may have taken effect twice: look before repeating it."
        )
        yield Proposal(
            path=f"/economy/{_slug(tool, kind)}",
            text=advice,
            attributes=_attributes(Kind.ECONOMY, evidence, known, tier=Tier.SEMANTIC),
        )
