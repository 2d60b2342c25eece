"""Experiments by name: which there are, what one's log adds up to, what it found. Reads, runs nothing."""

from __future__ import annotations

from functools import partial
from typing import Final

from anyio import to_thread

from nightschool.bootstrap import Workspace
from nightschool.core.errors import InvalidInput, NotFound
from nightschool.events.experiment import ExperimentLooked
from nightschool.experiments.ledger import Ledger, fold
from nightschool.experiments.live import LiveLook, look
from nightschool.experiments.measures import from_ledger
from nightschool.experiments.report import Report, build_report
from nightschool.outcomes.noise import GraderNoise

__all__ = ["LAST", "find_experiment", "read_ledger", "read_live", "read_report"]

LAST: Final = "LAST"
"""Names the newest experiment wherever one is asked for."""


async def find_experiment(workspace: Workspace, name: str) -> str:
    """Return the id of an experiment, given its id, its beginning, or LAST.

    Raises:
        NotFound: there is none, or none of that name.
        InvalidInput: the beginning fits several.
    """
    known = await workspace.log.list_sessions(prefix="exp_")
    if not known:
        raise NotFound(f"no experiment in {workspace.settings.data_dir}; run one with: nightschool demo")
    if name == LAST:
        return max(known)
    if name in known:
        return name
    fitting = [experiment for experiment in known if experiment.startswith(name)]
    if len(fitting) > 1:
        raise InvalidInput(f"`{name}` fits {len(fitting)} experiments; give more of the id")
    if not fitting:
        raise NotFound(f"no experiment `{name}`; list them with: nightschool experiments")
    return fitting[0]


async def read_ledger(workspace: Workspace, name: str) -> Ledger:
    """Return what an experiment's log adds up to. Raises as `find_experiment`."""
    return fold(await workspace.log.get_events(await find_experiment(workspace, name)))


async def read_report(workspace: Workspace, name: str, *, noise: GraderNoise | None = None) -> Report:
    """Return what an experiment found so far. Raises as `find_experiment`.

    Args:
        workspace: where it is stored.
        name: which experiment.
        noise: how its grader is known to scatter; what was declared unless given.
    """
    experiment_id = await find_experiment(workspace, name)
    ledger = fold(await workspace.log.get_events(experiment_id))
    return build_report(
        experiment_id,
        ledger.manifest,
        from_ledger(ledger),
        noise=noise,
        stopped_on=None if ledger.stopped is None else ledger.stopped.samples,
    )


async def read_live(workspace: Workspace, name: str) -> LiveLook:
    """Look at an experiment while it runs, and record that somebody did.

    The record is appended beside the run without taking it over.

    Raises:
        NotFound: there is none of that name.
        InvalidInput: the beginning fits several.
        StoreError: the look could not be recorded, and so is not given.
    """
    experiment_id = await find_experiment(workspace, name)
    ledger = fold(await workspace.log.get_events(experiment_id))
    # One that failed for reasons outside will be tried again: what is seen now is seen before the end.
    recorded = sum(not trial.may_be_retried for trial in ledger.trials.values())
    found = LiveLook(recorded=recorded, expected=ledger.manifest.expected, looks=tuple(look(ledger)))
    if ledger.completed is None and ledger.stopped is None:
        seen = ExperimentLooked(
            id=workspace.ids.new("event"),
            processed_at=workspace.clock.now(),
            experiment_id=experiment_id,
            recorded=recorded,
            expected=found.expected,
        )
        journal = workspace.journal
        await to_thread.run_sync(
            partial(journal.append, experiment_id, [seen], epoch=journal.epoch(experiment_id))
        )
    return found
