"""An experiment looked over as a whole: its report, its ledger, and every threat to what it claims.

Reads, runs nothing. Composition only: what is wrong is decided in `integrity` and `leaks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from nightschool.bootstrap import Workspace
from nightschool.core.errors import InvalidInput, NotFound
from nightschool.events.experiment import TrialCompleted
from nightschool.events.plan import TaskStarted
from nightschool.events.union import Event
from nightschool.experiments.design import Manifest
from nightschool.experiments.integrity import Severity, Threat, Weakness, threats
from nightschool.experiments.leaks import find_leak, gold_pieces
from nightschool.experiments.ledger import Ledger, fold
from nightschool.experiments.lookup import find_experiment
from nightschool.experiments.measures import from_ledger
from nightschool.experiments.report import Report, build_report
from nightschool.experiments.suite import Suite, blaming, load_suite
from nightschool.orchestration.delegation import delegated_sessions

__all__ = ["LEAKS_SEARCHED", "Examination", "examine"]

LEAKS_SEARCHED: Final = 24
"""Trials whose sessions are searched for the gold, spread evenly over the experiment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What was found."""

    experiment_id: str
    ledger: Ledger
    report: Report
    threats: tuple[Threat, ...]
    searched: int
    """Trials that were searched for the gold; 0 where the suite is not as it was."""


async def examine(workspace: Workspace, name: str, **changes: Any) -> Examination:
    """Return the experiment's report with everything that can be found to be wrong with it.

    Args:
        workspace: where it is stored.
        name: its id, the beginning of it, or LAST.
        changes: fields of the manifest read otherwise than declared (alpha, family, smallest effect).

    Raises:
        NotFound: there is none of that name.
        StoreCorrupt: its declaration is not what was hashed.
    """
    experiment_id = await find_experiment(workspace, name)
    ledger = fold(await workspace.log.get_events(experiment_id))
    manifest = ledger.manifest
    report = build_report(
        experiment_id,
        manifest.model_copy(update=changes),
        from_ledger(ledger),
        stopped_on=None if ledger.stopped is None else ledger.stopped.samples,
    )
    found = threats(report, ledger, earlier=await _earlier(workspace, experiment_id, manifest))
    searched, leak = await _search(workspace, ledger)
    return Examination(
        experiment_id=experiment_id,
        ledger=ledger,
        report=report,
        threats=(*leak, *found),
        searched=searched,
    )


async def _earlier(workspace: Workspace, experiment_id: str, manifest: Manifest) -> list[str]:
    """Return the finished experiments before this one that compared the same arms on the same samples."""
    found = []
    for other in await workspace.log.list_sessions(prefix="exp_"):
        if other >= experiment_id:
            continue
        ledger = fold(await workspace.log.get_events(other))
        if (ledger.completed or ledger.stopped) is not None and ledger.created is not None:
            declared = ledger.manifest
            same = declared.suite_hash == manifest.suite_hash and declared.arm_hashes == manifest.arm_hashes
            same = same and declared.memories == manifest.memories
            if same and declared.brain == manifest.brain and set(declared.samples) & set(manifest.samples):
                found.append(other)
    return found


async def _search(workspace: Workspace, ledger: Ledger) -> tuple[int, list[Threat]]:
    manifest, results = ledger.manifest, ledger.results()
    try:
        suite = load_suite(manifest.suite, workspace.settings.suite_dirs)
    except InvalidInput:
        return 0, []
    if suite.content_hash != manifest.suite_hash:
        return 0, []
    step = max(1, len(results) // LEAKS_SEARCHED)
    chosen = [result for result in results[::step] if result.session_id is not None]
    for result in chosen:
        piece = await _leak(workspace, suite, manifest, result)
        if piece is not None:
            where = f"{result.arm}, {result.sample_id}, repeat {result.epoch}"
            text = f"an agent was told a piece of the truth it is scored by ({where}): {piece[:60]}"
            threat = Threat(weakness=Weakness.LEAKED_GOLD, severity=Severity.REFUSAL, text=text)
            return len(chosen), [threat]
    return len(chosen), []


async def _leak(workspace: Workspace, suite: Suite, manifest: Manifest, result: TrialCompleted) -> str | None:
    with blaming(suite):
        drawn = suite.module.draw(result.sample_id, result.epoch, manifest.seed)
        pieces = gold_pieces(drawn.gold, drawn.document, suite.module.playbook_text())
    for events in await _sessions(workspace, str(result.session_id)):
        piece = find_leak(pieces, events)
        if piece is not None:
            return piece
    return None


async def _sessions(workspace: Workspace, root: str) -> list[Sequence[Event]]:
    """Return the events of a trial's sessions; those since deleted are left out."""
    try:
        first = await workspace.log.get_events(root)
    except NotFound:
        return []
    tasks = [e.task_session_id for e in first if isinstance(e, TaskStarted) and e.task_session_id]
    found: list[Sequence[Event]] = [first]
    for session in dict.fromkeys([*tasks, *delegated_sessions(first)]):
        with suppress(NotFound):
            found.append(await workspace.log.get_events(session))
    return found
