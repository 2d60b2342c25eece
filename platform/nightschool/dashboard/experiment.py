"""An experiment as the pages name and count it. Pure; knows nothing about stores or pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nightschool.core.errors import Malformed
from nightschool.dashboard.wording import moment, plural
from nightschool.experiments.design import Manifest, declare

__all__ = ["Experiment", "experiment_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What was declared, and how much of it is recorded."""

    id: str
    manifest: Manifest
    manifest_hash: str
    simulated: bool
    created_at: datetime | None
    completed_at: datetime | None
    recorded: int
    errored: int

    @property
    def expected(self) -> int:
        """Trials that the manifest asks for."""
        return self.manifest.expected

    @property
    def is_complete(self) -> bool:
        """Whether no trial is still to come."""
        return self.completed_at is not None or self.recorded + self.errored >= self.expected

    @property
    def label(self) -> str:
        """The experiment's name in a list."""
        manifest = self.manifest
        arms = plural(len(manifest.arms), "arm")
        draws = f"{plural(len(manifest.samples), 'document')} × {manifest.repeats}"
        return " · ".join([manifest.suite, arms, draws, manifest.brain, moment(self.created_at)])


def experiment_of(row: Mapping[str, Any]) -> Experiment | None:
    """Return the experiment of a row of ``questions.sql: experiments``.

    None when its manifest cannot be read, as when a newer version wrote it.
    """
    try:
        manifest = declare(json.loads(row["manifest"]))
    except (Malformed, ValueError, TypeError):
        return None
    return Experiment(
        id=row["experiment_id"],
        manifest=manifest,
        manifest_hash=row["manifest_hash"],
        simulated=bool(row["simulated"]),
        created_at=row["created_at"],
        completed_at=row["completed_at"],
        recorded=row["recorded"],
        errored=row["errored"],
    )
