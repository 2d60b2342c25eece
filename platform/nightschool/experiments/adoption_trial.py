"""A dream's store tried before it is adopted: a suite with the store before and after, judged by the gate.

Beside the scores it is looked at what agents do: whether more of them hand in nothing, say of everything that
it is not there, or stop early. Knows nothing about how a dream came to its store, and adopts nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nightschool.bootstrap import Workspace
from nightschool.core.errors import InvalidInput
from nightschool.dreaming.adopt import Adoption
from nightschool.events.dream import DreamCompleted, DreamTried
from nightschool.events.experiment import TrialCompleted
from nightschool.events.memory import MemoryRecalled
from nightschool.experiments.examination import examine
from nightschool.experiments.gate import Gate, GateResult, judge_gate
from nightschool.experiments.launch import Request, start
from nightschool.experiments.progress import Progress
from nightschool.experiments.variants import Recipe
from nightschool.memory.memory import Memory

__all__ = ["AdoptionTrial", "shortcut_taken", "try_dream"]

BEFORE, AFTER = "before", "after"
_EARLY: Final = 0.5
"""Share of the calls made before, below which an agent stopped early."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptionTrial:
    """How a dream's store is tried."""

    suite: str
    arm: str = "single"
    brain: str = "reader"
    samples: tuple[str, ...] = ()
    """Sample ids; empty: all of the suite."""
    repeats: int = 1
    min_effect: float | None = None
    """The smallest loss that matters; None: any."""
    seed: int = 0


async def try_dream(
    workspace: Workspace,
    adoption: Adoption,
    dream_id: str,
    trial: AdoptionTrial,
    *,
    on_progress: Callable[[Progress], None] | None = None,
) -> DreamTried:
    """Run a suite with the store that a dream read and the one it wrote, and note the verdict with the dream.

    Raises:
        InvalidInput: the dream is not completed, changed nothing, was decided already, or is a tenant's.
        NotFound: no such dream, suite, arm or model.
    """
    dream = adoption.dreamt(dream_id)
    completed = adoption.undecided(dream)
    if dream.created.tenant:
        raise InvalidInput(
            f"dream {dream_id} is for tenant {dream.created.tenant!r}; suites have no tenant, so its memories"
            " would never be recalled. Look at it with `nightschool dream diff`."
        )
    before, after = adoption.stores(dream_id)
    launch = start(workspace, _request(trial, dream.created.input_store_id if before else None, completed))
    await launch.run(on_progress=on_progress)
    found = await examine(workspace, launch.experiment_id)
    gate = judge_gate(found.report, found.threats, min_effect=trial.min_effect or 0.0)
    shortcuts = await _shortcuts(workspace, found.ledger.results(), before, after)
    return adoption.note_trial(
        dream_id,
        experiment_id=launch.experiment_id,
        suite=trial.suite,
        result=str(gate.result),
        reason=_reason(gate),
        shortcuts=tuple(shortcuts),
    )


def _request(trial: AdoptionTrial, input_store_id: str | None, completed: DreamCompleted) -> Request:
    declared = {"question": "Does what a dream learnt make the work worse?"}
    return Request(
        suite=trial.suite,
        arms=(BEFORE, AFTER),
        brain=trial.brain,
        repeats=trial.repeats,
        samples=trial.samples,
        seed=trial.seed,
        declared=declared if trial.min_effect is None else {**declared, "smallest_effect": trial.min_effect},
        recipes={
            BEFORE: Recipe(arm=trial.arm, changes={"memory": input_store_id}),
            AFTER: Recipe(arm=trial.arm, changes={"memory": completed.output_store_id}),
        },
    )


def _reason(gate: Gate) -> str:
    if gate.result is GateResult.INVALID:
        return "; ".join(str(threat) for threat in gate.threats if threat.severity == "refusal") or next(
            (check.reason for check in gate.checks), "there is nothing to test"
        )
    return "; ".join(f"{check.metric}: {check.reason}" for check in gate.checks)


def shortcut_taken(after: TrialCompleted, before: TrialCompleted) -> str:
    """Return the shortcut that an agent took with the new memories and not with the old; empty when none."""
    was, now = _shortcut(before), _shortcut(after)
    if now and now != was:
        return now
    if after.tool_calls < _EARLY * before.tool_calls:
        return f"stop early ({after.tool_calls} calls, {before.tool_calls} before)"
    return ""


def _shortcut(trial: TrialCompleted) -> str:
    positions = trial.answer.get("positions")
    if not isinstance(positions, list):
        return ""
    if not positions:
        return "do nothing"
    kinds = {each.get("position") for each in positions if isinstance(each, dict)}
    return "say of everything that it is missing" if kinds == {"missing"} else ""


async def _shortcuts(
    workspace: Workspace,
    results: Sequence[TrialCompleted],
    before: Mapping[str, Memory],
    after: Mapping[str, Memory],
) -> list[str]:
    old = {(each.sample_id, each.epoch): each for each in results if each.arm == BEFORE}
    told = []
    for each in results:
        pair = old.get((each.sample_id, each.epoch))
        taken = "" if each.arm == BEFORE or pair is None else shortcut_taken(each, pair)
        if taken:
            blamed = await _new_memories(workspace, each.session_id, before, after)
            told.append(f"with {', '.join(blamed) or 'the new memories'} agents {taken} on {each.sample_id}")
    return told


async def _new_memories(
    workspace: Workspace, session_id: str | None, before: Mapping[str, Memory], after: Mapping[str, Memory]
) -> Iterable[str]:
    """Return the paths of memories that a session was given and that are new."""
    events = (
        [] if session_id is None else await workspace.log.get_events(session_id, types=("memory.recalled",))
    )
    paths = [each.path for event in events if isinstance(event, MemoryRecalled) for each in event.memories]
    known = {path: memory.sha256 for path, memory in before.items() if memory.is_recallable}
    return [path for path in paths if path in after and known.get(path) != after[path].sha256]
