"""Paths that succeed with few retries, as templates with their variables abstracted. Pure; works on episodes.

Candidates are what two successful sessions of one task type have in common, in order. They are ranked by
contrast: how much more often successes have them than failures. What is merely frequent is no template.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Final

from nightschool.dreaming.episode import CallKind, Episode, Result
from nightschool.dreaming.rules import Rules
from nightschool.dreaming.strata import Need, StrategyTable, need_of_tasks, stratify, tool_strategies

__all__ = ["Template", "contains", "path_of", "templates_of"]

_MOST_PAIRED: Final = 40
_FEWEST_STEPS: Final = 2
_MOST_PER_TYPE: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A path that sessions of one type took when they succeeded."""

    task_type: str
    steps: tuple[str, ...]
    """Tools with their arguments as variables: get_order(order_id=<order_id>)."""
    successes: int
    failures: int
    """Failed sessions of the type that took it too."""
    retries: float
    """Failed calls per success that took it, on average."""
    table: StrategyTable
    gate: str
    """Why it is not promoted; empty when it may be."""
    is_quarantined: bool
    """It only looks rewarded: kept apart, not merely short of evidence."""
    evidence: tuple[tuple[str, str], ...]
    """Session and first call of each success."""
    against: tuple[str, ...]
    """Failed sessions that took it too."""


def path_of(episode: Episode) -> tuple[str, ...]:
    """Return the steps that did something: no failed calls, no thoughts, no immediate repeats."""
    steps: list[str] = []
    for call in episode.calls:
        if call.error or call.kind is CallKind.THOUGHT:
            continue
        step = f"{call.tool}({', '.join(f'{name}=<{name}>' for name in call.parameters)})"
        if not steps or steps[-1] != step:
            steps.append(step)
    return tuple(steps)


def contains(path: Sequence[str], steps: Sequence[str]) -> bool:
    """Return whether the steps occur in the path in this order, others between them allowed."""
    rest = iter(path)
    return all(step in rest for step in steps)


def _common(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """Return the longest common subsequence."""
    best: list[list[tuple[str, ...]]] = [[()] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, left in enumerate(one):
        for j, right in enumerate(other):
            if left == right:
                best[i + 1][j + 1] = (*best[i][j], left)
            else:
                best[i + 1][j + 1] = max(best[i][j + 1], best[i + 1][j], key=len)
    return tuple(step for step, _ in groupby(best[-1][-1]))


def templates_of(episodes: Sequence[Episode], rules: Rules) -> list[Template]:
    """Return each task type's best template, with the gate that it passes or not."""
    judged = [each for each in episodes if each.result in {Result.SUCCESS, Result.FAILURE}]
    groups: dict[str, list[Episode]] = defaultdict(list)
    for episode in judged:
        groups[episode.task_type].append(episode)
    needs = need_of_tasks(judged)
    shams = {each.strategy for each in tool_strategies(judged) if each.is_sham}
    found: list[Template] = []
    for name, group in sorted(groups.items()):
        paths = {episode.session_id: path_of(episode) for episode in group}
        wins = [episode for episode in group if episode.result is Result.SUCCESS]
        made = [
            _template(name, steps, group, paths, needs, shams, rules) for steps in _candidates(wins, paths)
        ]
        found += sorted(made, key=_rank)[:_MOST_PER_TYPE]
    return found


def _candidates(wins: Sequence[Episode], paths: dict[str, tuple[str, ...]]) -> Iterable[tuple[str, ...]]:
    unique = sorted({paths[episode.session_id] for episode in wins})[:_MOST_PAIRED]
    pairs = (_common(one, other) for one, other in combinations(unique, 2))
    return sorted({steps for steps in (*unique, *pairs) if len(steps) >= _FEWEST_STEPS})


def _template(  # all of it is known to the one caller
    task_type: str,
    steps: tuple[str, ...],
    group: Sequence[Episode],
    paths: dict[str, tuple[str, ...]],
    needs: dict[str, Need],
    shams: AbstractSet[str],
    rules: Rules,
) -> Template:
    having = [episode for episode in group if contains(paths[episode.session_id], steps)]
    wins = [episode for episode in having if episode.result is Result.SUCCESS]
    losses = [episode for episode in having if episode.result is Result.FAILURE]
    having_ids = {episode.session_id for episode in having}
    retries = sum(episode.retries for episode in wins) / len(wins)
    table = stratify(
        " → ".join(steps), _kind(steps, wins), group, lambda each: each.session_id in having_ids, needs
    )
    objection = (_sham_step(steps, shams) or table.objection) if rules.stratified else ""
    return Template(
        task_type=task_type,
        steps=steps,
        successes=len(wins),
        failures=len(losses),
        retries=retries,
        table=table,
        gate=_gate(wins, retries, rules) or objection,
        is_quarantined=bool(objection),
        evidence=tuple((episode.session_id, episode.calls[0].event_id) for episode in wins),
        against=tuple(episode.session_id for episode in losses),
    )


def _sham_step(steps: Sequence[str], shams: AbstractSet[str]) -> str:
    names = [step.partition("(")[0] for step in steps]
    return next((f"its step {name} only looks rewarded" for name in names if name in shams), "")


def _kind(steps: Sequence[str], wins: Sequence[Episode]) -> CallKind:
    kinds = {call.tool: call.kind for episode in wins for call in episode.calls}
    used = {kinds[step.partition("(")[0]] for step in steps}
    return next((kind for kind in (CallKind.HANDOFF, CallKind.WRITE) if kind in used), CallKind.READ)


def _gate(wins: Sequence[Episode], retries: float, rules: Rules) -> str:
    if len(wins) < rules.min_successes:
        return f"{len(wins)} success; {rules.min_successes} of independent sessions are needed"
    if retries > rules.max_retries:
        return f"{retries:.1f} retries per success; at most {rules.max_retries:g} are few"
    if rules.independent_label and not all(episode.is_confirmed for episode in wins):
        loose = sum(not episode.is_confirmed for episode in wins)
        return f"{loose} of {len(wins)} successes rest on one judge's word"
    return ""


def _rank(template: Template) -> tuple[bool, float, int, tuple[str, ...]]:
    overall = template.table.overall
    wins = overall.with_successes + overall.without_successes
    losses = overall.with_sessions + overall.without_sessions - wins
    contrast = template.successes / wins - (template.failures / losses if losses else 0.0)
    return bool(template.gate), -contrast, -len(template.steps), template.steps
