"""Group commit: concurrent callers share one transaction and so one fsync.

The first caller to come leads: it executes everything that waits, its own work included, then hands
leadership to the first of those who came meanwhile. A caller alone pays no thread switch. Knows nothing
about SQL: what executing a batch means is given to it.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from threading import Condition, Lock
from typing import Generic, TypeVar

from nightschool.core.errors import NightschoolError, StoreError

__all__ = ["GroupCommit"]

Work = TypeVar("Work")


class _Ticket(Generic[Work]):
    """One caller's works and, later, what became of them."""

    __slots__ = ("done", "leads", "outcomes", "wake", "works")

    def __init__(self, works: Sequence[Work]) -> None:
        self.works = works
        self.outcomes: Sequence[object] = ()
        self.done = False
        self.leads = False
        self.wake = Lock()
        self.wake.acquire()


class GroupCommit(Generic[Work]):
    """Executes work handed in by many threads, a batch at a time, in order of arrival.

    ``execute`` is called by one thread at a time with at least one work. It returns an outcome for each,
    an exception standing for a refusal of that work alone, or raises, which fails the whole batch.
    """

    def __init__(self, execute: Callable[[Sequence[Work]], Sequence[object]], *, max_batch: int) -> None:
        """Take what executing means, and how much is executed at once."""
        self._execute = execute
        self._max_batch = max_batch
        self._lock = Lock()  # protects everything below
        self._idle = Condition(self._lock)
        self._waiting: deque[_Ticket[Work]] = deque()
        self._batch: list[_Ticket[Work]] = []
        self._led = False
        self._closed = False

    def submit(self, work: Work) -> object:
        """Return the outcome of ``work`` once its batch is executed.

        Raises:
            NightschoolError: the work was refused, or its batch failed.
        """
        (outcome,) = self.submit_all([work])
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def submit_all(self, works: Sequence[Work]) -> Sequence[object]:
        """Return an outcome for each work, an error where it failed, once they are executed together."""
        ticket = _Ticket(works)
        try:
            self._enter(ticket)
            if not ticket.leads:
                ticket.wake.acquire()
            if ticket.leads:
                self._lead(ticket)
        except BaseException:
            self._withdraw(ticket)
            raise
        return ticket.outcomes

    def close(self) -> None:
        """Refuse new work and return when the work at hand is done."""
        with self._idle:
            self._closed = True
            self._idle.wait_for(lambda: not self._led)

    def _enter(self, ticket: _Ticket[Work]) -> None:
        with self._lock:
            if self._closed:
                raise StoreError("The journal is closed; open it again to write.")
            self._waiting.append(ticket)
            if not self._led:
                self._led = ticket.leads = True

    def _lead(self, own: _Ticket[Work]) -> None:
        with self._lock:
            count = min(len(self._waiting), self._max_batch)
            self._batch = batch = [self._waiting.popleft() for _ in range(count)]
        works = [work for ticket in batch for work in ticket.works]
        try:
            outcomes = iter(self._execute(works))
        except Exception as error:  # noqa: BLE001  whatever it is, every waiting caller must hear it
            outcomes = iter([_own_copy(error) for _ in works])
        with self._lock:
            for ticket in batch:
                ticket.outcomes = list(islice(outcomes, len(ticket.works)))
                ticket.done = True
            self._finish(own)

    def _finish(self, own: _Ticket[Work]) -> None:
        """Wake those who are served, put back those who are not, and let the next one lead.

        Done in an order that lets it be repeated when an interrupt cuts it short.
        """
        for ticket in reversed(self._batch):
            if not ticket.done and ticket is not own and ticket not in self._waiting:
                self._waiting.appendleft(ticket)
            elif ticket.done and ticket.wake.locked():
                ticket.wake.release()
        if self._waiting:
            self._waiting[0].leads = True
            self._waiting[0].wake.release()
        else:
            self._led = False
            self._idle.notify_all()
        self._batch = []
        own.leads = False

    def _withdraw(self, own: _Ticket[Work]) -> None:
        """Leave early, on an interrupt: nobody else may lose their turn or their leader by it."""
        with self._lock:
            if own in self._waiting:
                self._waiting.remove(own)
            if own.leads:
                self._finish(own)


def _own_copy(error: Exception) -> Exception:
    """Return an error for one thread: raising one object in several mixes up their tracebacks."""
    if not isinstance(error, NightschoolError):
        return error
    own = copy.copy(error)
    own.__cause__ = error.__cause__
    return own
