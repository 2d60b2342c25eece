"""An experiment's own log, kept where sessions are kept. Knows nothing about what trials are.

Opening it takes it over: a process that ran the experiment before and is still alive is refused its next
append, so that two runs never work on one experiment side by side.
"""

from __future__ import annotations

from dataclasses import dataclass

from nightschool.events.union import Event
from nightschool.sessions.log import SessionLog, SessionWriter

__all__ = ["ExperimentLog", "open_log"]


@dataclass(frozen=True, slots=True)
class ExperimentLog:
    """A `TrialLog` over a session."""

    sessions: SessionLog
    writer: SessionWriter

    async def get_events(self) -> list[Event]:
        """Return the experiment's events in order."""
        return await self.sessions.get_events(self.writer.session_id)

    async def emit_event(self, *events: Event) -> None:
        """Append events, all or none.

        Raises:
            StaleWriter: another process resumed the experiment.
            StoreError: nothing was stored; the kind says why.
        """
        await self.writer.emit_event(*events)


async def open_log(sessions: SessionLog, experiment_id: str) -> ExperimentLog:
    """Take over the log of an experiment, beginning it when it is new."""
    await sessions.create(experiment_id, metadata={"experiment_id": experiment_id, "source": "run"})
    return ExperimentLog(sessions, await sessions.wake(experiment_id))
