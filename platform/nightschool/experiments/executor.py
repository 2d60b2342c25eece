"""Where pure pieces of work are done: a JSON specification in, a result and its events out.

    Spec(id, entry="module:coroutine", args)  ─►  executor  ─►  Result(id, value | error, events, attempts)

Priority, width, retries with jitter, deadlines and cancellation are in `BaseExecutor`, once; a backend only
says how one attempt is made (`_call`). Work is done at least once: a specification's id makes that harmless.
Events of an attempt that failed are dropped with it: two attempts are never spliced into one story. Knows
nothing about trials, stores or models, and hands a worker no live object.
"""

from __future__ import annotations

import heapq
import importlib
import json
import random
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from nightschool.core.errors import InvalidInput, NightschoolError, TaskTimeout
from nightschool.core.retry import RetryPolicy, decide

__all__ = ["BaseExecutor", "Entry", "Executor", "LocalExecutor", "Result", "Spec", "find_entry"]

Event = Mapping[str, Any]
Entry = Callable[[dict[str, Any], Callable[[Event], None]], Awaitable[Any]]
"""What a specification names: a coroutine of its arguments and of a function that takes events in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A piece of work. Everything in it is JSON, so that it can cross machines."""

    id: str
    entry: str
    """``module:coroutine``; importable wherever the work is done."""
    args: Mapping[str, Any] = field(default_factory=dict)
    priority: int = 0
    """Higher first; equal ones in the order given."""
    timeout_seconds: float = 300.0
    """Of one attempt."""
    retries: int = 2
    """Further attempts after errors that may pass."""
    tags: tuple[str, ...] = ()
    """What a place must have to do it (gpu, eu ...); a backend's own business."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of it."""

    id: str
    ok: bool
    value: Any = None
    error: Mapping[str, Any] | None = None
    """Code, message, and whether it may pass."""
    events: tuple[Event, ...] = ()
    """Of the attempt that succeeded."""
    attempts: int = 1


class Executor(Protocol):
    """Does pieces of work, here or elsewhere."""

    def run(self, specs: Iterable[Spec], *, limit: int) -> AbstractAsyncContextManager[AsyncIterator[Result]]:
        """Do the work, at most ``limit`` at once; yields results as they come. Leaving the block stops it."""

    async def cancel(self, spec_id: str) -> None:
        """Stop one piece of work, begun or not; its result says `cancelled`."""

    async def close(self) -> None:
        """Stop everything and give back what was taken."""


def find_entry(name: str) -> Entry:
    """Return the coroutine that ``module:coroutine`` names.

    Raises:
        InvalidInput: there is none.
    """
    module, colon, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute) if colon else None
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidInput(f"no entry `{name}`: {error}") from error
    if not callable(found):
        raise InvalidInput(f"no entry `{name}`; write it as module:coroutine")
    entry: Entry = found
    return entry


class BaseExecutor(ABC):
    """All but the attempt itself."""

    def __init__(self, *, retry: RetryPolicy | None = None, seed: int = 0) -> None:
        """Begin.

        Args:
            retry: pauses between attempts; how many there are is each specification's own.
            seed: of the jitter.
        """
        self._retry = retry or RetryPolicy()
        self._rng = random.Random(f"jitter {seed}")
        self._scopes: dict[str, anyio.CancelScope] = {}
        self._cancelled: set[str] = set()
        self._closed = False

    @abstractmethod
    async def _call(self, spec: Spec) -> tuple[Any, list[Event]]:
        """Make one attempt. Cancelling the caller must stop it wherever it is done."""

    @asynccontextmanager
    async def run(self, specs: Iterable[Spec], *, limit: int) -> AsyncIterator[AsyncIterator[Result]]:
        """Do the work. See `Executor.run`.

        Raises:
            InvalidInput: a width below 1, an id given twice, arguments that are not JSON, a closed executor.
        """
        queue = self._queued(specs, limit)
        send, receive = anyio.create_memory_object_stream[Result](limit)
        async with anyio.create_task_group() as group, receive:
            group.start_soon(self._work, queue, limit, send)
            yield _results(receive)
            group.cancel_scope.cancel()

    async def cancel(self, spec_id: str) -> None:
        """Stop one piece of work. See `Executor.cancel`."""
        self._cancelled.add(spec_id)
        if spec_id in self._scopes:
            self._scopes[spec_id].cancel()

    async def close(self) -> None:
        """Stop everything. See `Executor.close`."""
        self._closed = True
        for scope in list(self._scopes.values()):
            scope.cancel()

    def _queued(self, specs: Iterable[Spec], limit: int) -> list[tuple[int, int, Spec]]:
        if limit < 1:
            raise InvalidInput(f"at least one piece of work must be allowed at once, not {limit}")
        if self._closed:
            raise InvalidInput("the executor is closed")
        queue = [(-spec.priority, index, spec) for index, spec in enumerate(specs)]
        ids = [spec.id for _, _, spec in queue]
        if len(set(ids)) < len(ids):
            raise InvalidInput("two pieces of work have one id; an id is what makes a repetition harmless")
        for _, _, spec in queue:
            _require_json(spec)
        heapq.heapify(queue)
        return queue

    async def _work(
        self, queue: list[tuple[int, int, Spec]], limit: int, send: MemoryObjectSendStream[Result]
    ) -> None:
        width = anyio.CapacityLimiter(limit)
        async with send, anyio.create_task_group() as group:
            while queue:
                # Taken only when there is room: one of higher priority may never wait behind another.
                await width.acquire_on_behalf_of(key := object())
                group.start_soon(self._one, heapq.heappop(queue)[2], key, width, send)

    async def _one(
        self, spec: Spec, key: object, width: anyio.CapacityLimiter, send: MemoryObjectSendStream[Result]
    ) -> None:
        result = Result(id=spec.id, ok=False, error=_cancelled(), attempts=0)
        try:
            if spec.id not in self._cancelled and not self._closed:
                with anyio.CancelScope() as scope:
                    self._scopes[spec.id] = scope
                    result = await self._tried(spec)
        finally:
            self._scopes.pop(spec.id, None)
            width.release_on_behalf_of(key)
        await send.send(result)

    async def _tried(self, spec: Spec) -> Result:
        policy = RetryPolicy(
            max_attempts=spec.retries + 1,
            first_delay_seconds=self._retry.first_delay_seconds,
            multiplier=self._retry.multiplier,
            max_delay_seconds=self._retry.max_delay_seconds,
        )
        attempt = 1
        while True:
            try:
                value, events = await self._timed(spec)
                return Result(id=spec.id, ok=True, value=value, events=tuple(events), attempts=attempt)
            except Exception as error:  # noqa: BLE001  # whatever went wrong there is told here
                decision = decide(policy, attempt=attempt, error=error)
                if not decision.retry:
                    return Result(id=spec.id, ok=False, error=_told(error), attempts=attempt)
                # Half of it at random, so that those that failed together do not come back together.
                await anyio.sleep(decision.delay_seconds * (0.5 + self._rng.random() / 2))
                attempt += 1

    async def _timed(self, spec: Spec) -> tuple[Any, list[Event]]:
        try:
            with anyio.fail_after(spec.timeout_seconds):
                return await self._call(spec)
        except TimeoutError as error:
            raise TaskTimeout(f"`{spec.id}` took longer than {spec.timeout_seconds:g} seconds") from error


class LocalExecutor(BaseExecutor):
    """Does the work in this process."""

    async def _call(self, spec: Spec) -> tuple[Any, list[Event]]:
        events: list[Event] = []
        # Through JSON, as across machines: what works here works there.
        value = await find_entry(spec.entry)(json.loads(json.dumps(dict(spec.args))), events.append)
        return json.loads(json.dumps(value)), events


async def _results(receive: MemoryObjectReceiveStream[Result]) -> AsyncIterator[Result]:
    async for result in receive:
        yield result


def _require_json(spec: Spec) -> None:
    try:
        json.dumps(dict(spec.args), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"`{spec.id}`: its arguments are not plain JSON: {error}") from error


def _cancelled() -> dict[str, Any]:
    return {"code": "cancelled", "message": "it was cancelled", "retryable": False}


def _told(error: Exception) -> dict[str, Any]:
    if isinstance(error, NightschoolError):
        return {"code": error.code, "message": error.message, "retryable": error.retryable}
    return {"code": "unexpected", "message": f"{type(error).__name__}: {error}", "retryable": False}
