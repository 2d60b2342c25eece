"""Things that several tasks change: read with a version, written on top of it, never locked.

    read ─► decide ─► write if unchanged ─► done
      ▲                    │ changed
      └────────────────────┘ the third time: the mediation queue, where the orchestrator decides

No deadlock is possible: whoever waits in the mediation queue holds nothing. Every write lands once, also
when it is made again after a crash: the resource remembers each writer's last write.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

import anyio
from anyio import to_thread

from nightschool.core.clock import Clock
from nightschool.core.errors import VersionConflict
from nightschool.core.ids import derived_id
from nightschool.events.base import EventBase
from nightschool.events.lock import LockConflict, MediationDecided, MediationRequested
from nightschool.orchestration.mediation import Mediate, Mediation, Ruling, mediate_by_rule
from nightschool.orchestration.plan_log import PlanLog

__all__ = ["Reading", "SharedResources", "VersionStore", "Written"]

_CONFLICTS_BEFORE_MEDIATION: Final = 3


class Written(Protocol):
    """A value at a version, as the store has it."""

    @property
    def version(self) -> int:
        """Grows with each change."""

    @property
    def value(self) -> Any:
        """The value."""


class VersionStore(Protocol):
    """What is asked of a store (it is `journal.versions`): compare-and-set."""

    def get(self, name: str) -> Written | None:
        """Return the present value; None when there is none."""

    def put(self, name: str, value: Any, *, expected: int) -> Written:
        """Write on top of a version (0: none), or raise `VersionConflict`."""


class Reading(NamedTuple):
    """What was read: 0 and None when there was nothing."""

    version: int
    value: Any
    applied: dict[str, str]
    """Writer to its last write."""


class _Write(NamedTuple):
    resource: str
    task_id: str
    write_id: str
    base: Reading | None = None
    """What it was decided on; None: it is decided anew on whatever is there."""


@dataclass(slots=True)
class SharedResources:
    """The shared things of one plan. All tasks of a process must use the same object."""

    store: VersionStore
    log: PlanLog
    clock: Clock
    mediate: Mediate = mediate_by_rule
    conflicts_before_mediation: int = _CONFLICTS_BEFORE_MEDIATION
    _gates: dict[str, anyio.Lock] = field(default_factory=dict)
    """One per resource: held by the one case that is being mediated; ordinary writers let it pass first."""

    async def read(self, resource: str) -> Reading:
        """Return the resource and its version."""
        found = await to_thread.run_sync(self.store.get, resource)
        if found is None:
            return Reading(0, None, {})
        return Reading(found.version, found.value["value"], dict(found.value["applied"]))

    async def change(
        self, resource: str, decide: Callable[[Any], Any], *, task_id: str, write_id: str
    ) -> Reading:
        """Change the resource by a function of its value and return what it became.

        Args:
            resource: its name.
            decide: the new value for an old one (None: there was none); called again for every conflict.
            task_id: who writes.
            write_id: the same for a write that is made again: it lands once.

        Raises:
            StoreError: nothing was written.
        """
        write = _Write(resource, task_id, write_id)
        for conflicts in range(1, self.conflicts_before_mediation + 1):
            async with self._gate(resource):
                pass  # whoever is being mediated goes first
            before = await self.read(resource)
            if before.applied.get(task_id) == write_id:
                return before
            try:
                return await self._write(write, before, decide(before.value))
            except VersionConflict as conflict:
                await self._conflicted(write, conflict, conflicts)
        return await self._mediated(write, decide)

    async def write(
        self, resource: str, value: Any, *, base: Reading, task_id: str, write_id: str, conflicts: int = 0
    ) -> Reading:
        """Write a value that was decided on a reading; past its conflicts it is mediated.

        Raises:
            VersionConflict: it changed since; read it again, decide again, and say how often so far.
        """
        write = _Write(resource, task_id, write_id, base)
        try:
            return await self._write(write, base, value)
        except VersionConflict as conflict:
            present = await self.read(resource)
            if present.applied.get(task_id) == write_id:
                return present
            await self._conflicted(write, conflict, conflicts + 1)
            if conflicts + 1 < self.conflicts_before_mediation:
                raise
        return await self._mediated(write, lambda _present: value)

    def _gate(self, resource: str) -> anyio.Lock:
        return self._gates.setdefault(resource, anyio.Lock())

    async def _write(self, write: _Write, base: Reading, value: Any) -> Reading:
        applied = {**base.applied, write.task_id: write.write_id}
        kept = {"value": value, "applied": applied}
        put = partial(self.store.put, write.resource, kept, expected=base.version)
        written = await to_thread.run_sync(put)
        return Reading(written.version, value, applied)

    async def _conflicted(self, write: _Write, conflict: VersionConflict, conflicts: int) -> None:
        facts = {"expected": conflict.details["expected"], "present": conflict.details["present"]}
        await self._note(LockConflict, write, conflicts, conflicts=conflicts, **facts)

    async def _mediated(self, write: _Write, decide: Callable[[Any], Any]) -> Reading:
        """Wait for this write's turn in the queue, have it decided, and write what was decided."""
        async with self._gate(write.resource):
            # Only writers of other processes, and those that read before the gate was closed, can still win.
            while True:
                present = await self.read(write.resource)
                if present.applied.get(write.task_id) == write.write_id:
                    return present
                base = present.value if write.base is None else write.base.value
                ruling = await self._ruled(write, present, base, decide(present.value))
                # On record before it is done: better decided twice than a change that nobody can explain.
                facts = {"version": present.version + 1, "value": ruling.value, "note": ruling.note}
                await self._note(MediationDecided, write, present.version, **facts)
                with suppress(VersionConflict):
                    return await self._write(write, present, ruling.value)

    async def _ruled(self, write: _Write, present: Reading, base: Any, proposed: Any) -> Ruling:
        facts = {"present_version": present.version, "present": present.value, "proposed": proposed}
        await self._note(MediationRequested, write, present.version, **facts)
        case = Mediation(
            resource=write.resource,
            task_id=write.task_id,
            base=base,
            present=present.value,
            proposed=proposed,
        )
        return await self.mediate(case)

    async def _note(self, kind: type[EventBase], write: _Write, number: int, **fields: Any) -> None:
        identity = (write.resource, write.task_id, write.write_id, number)
        facts = {
            "id": derived_id("event", self.log.scope, kind.__name__, *identity),
            "processed_at": self.clock.now(),
            "resource": write.resource,
            "task_id": write.task_id,
            **fields,
        }
        await self.log.append([kind(**facts)])
