"""Task groups whose errors come out as themselves.

A plain group wraps what its tasks raise in an ``ExceptionGroup``, which every caller would have to know
about. Here the error that matters most comes out bare; the others are its notes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup

from nightschool.core.errors import STOPPING, NightschoolError

__all__ = ["task_group"]


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def _gravity(error: BaseException) -> int:
    """Rank an error: a defect outranks one that must stop all work, which outranks the rest."""
    if not isinstance(error, NightschoolError):
        return 0
    return 1 if isinstance(error, STOPPING) else 2


@asynccontextmanager
async def task_group() -> AsyncIterator[TaskGroup]:
    """Open a task group; when tasks fail, the gravest of their errors is raised, the first among equals."""
    try:
        async with anyio.create_task_group() as group:
            yield group
    except BaseExceptionGroup as errors:
        gravest, *others = sorted(_leaves(errors), key=_gravity)
        for other in others:
            gravest.add_note(f"at the same time: {type(other).__name__}: {other}")
        raise gravest from None
