"""What a finished command tells the shell.

0    success
1    something unexpected went wrong, a model could not be asked, or trials ended without a result
2    the command line could not be understood
3    a compared arm is worse than its baseline (with --gate)
4    no difference could be told (with --gate)
5    what was given cannot be used: a name, a file, a setting, a transcript, a query, too long a document
6    a store cannot do what was asked: not writable, full, damaged, held by another process
130  stopped on request; what was acknowledged is kept and can be resumed
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from nightschool.core.errors import (
    ConfigurationMissing,
    ContextLimitExceeded,
    Interrupted,
    InvalidInput,
    NightschoolError,
    StoreError,
)

__all__ = ["Exit", "exit_code"]


class Exit(IntEnum):
    """The exit codes by name."""

    SUCCESS = 0
    UNEXPECTED = 1
    USAGE = 2
    REGRESSION = 3
    INCONCLUSIVE = 4
    INVALID = 5
    STORE = 6
    INTERRUPTED = 130


_BY_KIND: Final = (
    (InvalidInput, Exit.INVALID),
    (ConfigurationMissing, Exit.INVALID),
    (ContextLimitExceeded, Exit.INVALID),
    (StoreError, Exit.STORE),
    (Interrupted, Exit.INTERRUPTED),
)


def exit_code(error: NightschoolError) -> Exit:
    """Return the exit code of an error."""
    return next((code for kind, code in _BY_KIND if isinstance(error, kind)), Exit.UNEXPECTED)
