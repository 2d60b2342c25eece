"""Every error nightschool raises on purpose, in one tree.

Knows nothing about where errors are shown: exit codes live in ``cli``, HTTP codes in ``api``.

    NightschoolError
    ├── InvalidInput                 what was given cannot be used
    │   ├── NotFound                 a named thing does not exist
    │   └── Malformed                a file or payload breaks its format
    ├── ConfigurationMissing         a setting or credential is needed first
    ├── StoreError                   a store on disk cannot do what was asked
    │   ├── StoreUnwritable          folder or file is read-only or not ours
    │   ├── StoreFull                the disk is full
    │   ├── StoreCorrupt             what is on disk is not what was written
    │   └── StoreBusy                another process holds it (retryable)
    ├── StaleWriter                  the session was woken elsewhere; this writer must stop
    ├── LeaseLost                    a queue's item was taken over by another worker
    ├── VersionConflict              a value changed since it was read
    ├── ModelError                   a model request failed
    │   ├── ContextLimitExceeded     the request is longer than the model reads
    │   ├── ModelUnavailable         overloaded, rate limited or unreachable (retryable)
    │   └── ModelRefusedRequest      the request itself is wrong; repeating it cannot help
    ├── BudgetExceeded               a declared limit of tokens, turns or time is used up
    ├── TaskTimeout                  a task took longer than its slot allows (retryable)
    ├── TaskBlocked                  what a task cannot do without has failed
    └── Interrupted                  a person or signal asked for a stop; nothing is broken
"""

from __future__ import annotations

import inspect
from typing import Any, ClassVar, Final

__all__ = [
    "STOPPING",
    "BudgetExceeded",
    "ConfigurationMissing",
    "ContextLimitExceeded",
    "Interrupted",
    "InvalidInput",
    "LeaseLost",
    "Malformed",
    "ModelError",
    "ModelRefusedRequest",
    "ModelUnavailable",
    "NightschoolError",
    "NotFound",
    "StaleWriter",
    "StoreBusy",
    "StoreCorrupt",
    "StoreError",
    "StoreFull",
    "StoreUnwritable",
    "TaskBlocked",
    "TaskTimeout",
    "VersionConflict",
    "error_of",
]


class NightschoolError(Exception):
    """Something nightschool was asked to do could not be done."""

    code: ClassVar[str] = "nightschool_error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str | None = None, **details: Any) -> None:
        """Keep the message and the facts behind it.

        Args:
            message: what happened and what to do; the class docstring when absent.
            details: the facts as data (path, line, field, limit ...), for logs and JSON output.
        """
        self.message = message or inspect.cleandoc(type(self).__doc__ or "")
        self.details = details
        super().__init__(self.message)

    def __reduce__(self) -> tuple[Any, ...]:
        """Survive pickling: errors cross process boundaries with trials."""
        return _rebuild, (type(self), self.message, self.details)


def error_of(code: str, message: str) -> NightschoolError:
    """Return an error as the log keeps it; one whose code is unknown is the tree's root."""
    kinds = [NightschoolError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return next((kind for kind in kinds if kind.code == code), NightschoolError)(message)


def _rebuild(kind: type[NightschoolError], message: str, details: dict[str, Any]) -> NightschoolError:
    return kind(message, **details)


class InvalidInput(NightschoolError):
    """What was given cannot be used as it is."""

    code = "invalid_input"


class NotFound(InvalidInput):
    """The named thing does not exist."""

    code = "not_found"


class Malformed(InvalidInput):
    """A file or payload does not follow its format."""

    code = "malformed"


class ConfigurationMissing(NightschoolError):
    """A setting or credential is needed before this can run."""

    code = "configuration_missing"


class StoreError(NightschoolError):
    """A store on disk could not do what was asked."""

    code = "store_error"


class StoreUnwritable(StoreError):
    """The data folder cannot be written. Choose another with --data or NIGHTSCHOOL_DATA."""

    code = "store_unwritable"


class StoreFull(StoreError):
    """The disk is full. What was acknowledged is kept; free some space and resume."""

    code = "store_full"


class StoreCorrupt(StoreError):
    """What is on disk is not what was written. Run `nightschool doctor`."""

    code = "store_corrupt"


class StoreBusy(StoreError):
    """Another process holds the store. Try again shortly."""

    code = "store_busy"
    retryable = True


class StaleWriter(NightschoolError):
    """The session was woken by another process; this writer's epoch is over and it must stop."""

    code = "stale_writer"


class LeaseLost(NightschoolError):
    """The lease on this piece of work is over: another worker may have it. Drop the result and take anew."""

    code = "lease_lost"


class VersionConflict(NightschoolError):
    """The value was changed since it was read. Read it again, decide again, then write."""

    code = "version_conflict"


class ModelError(NightschoolError):
    """A model request failed."""

    code = "model_error"


class ContextLimitExceeded(ModelError):
    """The request is longer than the model can read."""

    code = "context_limit_exceeded"


class ModelUnavailable(ModelError):
    """The model is overloaded, rate limited or unreachable."""

    code = "model_unavailable"
    retryable = True


class ModelRefusedRequest(ModelError):
    """The model's server refused the request as invalid."""

    code = "model_refused_request"


class BudgetExceeded(NightschoolError):
    """A declared limit of tokens, turns, money or time is used up."""

    code = "budget_exceeded"


class TaskTimeout(NightschoolError):
    """A task took longer than its slot allows. Raise max_seconds in the arm's file, or split the task."""

    code = "task_timeout"
    retryable = True


class TaskBlocked(NightschoolError):
    """A task waits for one that it cannot do without, and that one failed."""

    code = "task_blocked"


class Interrupted(NightschoolError):
    """A stop was asked for. What was acknowledged is kept and the work can be resumed."""

    code = "interrupted"


STOPPING: Final = (StoreError, StaleWriter, ConfigurationMissing, Interrupted)
"""Errors that every further piece of work would meet as well, or that ask for a stop: never worked around."""
