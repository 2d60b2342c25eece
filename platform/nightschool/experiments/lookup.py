"""Experiments by name: which there are, what one's log adds up to, what it found. Reads, runs nothing."""

from __future__ import annotations

from typing import Final

from nightschool.bootstrap import Workspace
from nightschool.core.errors import InvalidInput, NotFound
from nightschool.experiments.ledger import Ledger, fold
from nightschool.experiments.measures import from_ledger
from nightschool.experiments.report import Report, build_report
from nightschool.outcomes.noise import GraderNoise

__all__ = ["LAST", "find_experiment", "read_ledger", "read_report"]

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
    return build_report(experiment_id, ledger.manifest, from_ledger(ledger), noise=noise)
