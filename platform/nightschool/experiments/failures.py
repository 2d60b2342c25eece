"""What a trial's exception means: stop the run, count the trial as errored, or try it once more.

Pure. Knows nothing about trials; errors may arrive bundled in groups, as task groups raise them.
"""

from __future__ import annotations

import traceback
from typing import Any

from nightschool.core.errors import STOPPING, NightschoolError

__all__ = ["deciding", "describe", "is_retryable", "stopping"]


def stopping(error: BaseException) -> NightschoolError | None:
    """Return the error that must end the run, if there is one."""
    found = (leaf for leaf in _leaves(error) if isinstance(leaf, STOPPING))
    return next((leaf for leaf in found if not leaf.retryable), None)


def is_retryable(error: BaseException) -> bool:
    """Return whether everything that went wrong came from outside and may be over soon."""
    return all(isinstance(leaf, NightschoolError) and leaf.retryable for leaf in _leaves(error))


def deciding(error: Exception) -> Exception:
    """Return the error that decides about another try: one that forbids it, if any is in the bundle."""
    found = [leaf for leaf in _leaves(error) if isinstance(leaf, Exception)]
    return next((leaf for leaf in found if not is_retryable(leaf)), found[0])


def describe(error: BaseException) -> dict[str, Any]:
    """Return the error as a record: code, message, whether it may pass, and where it was raised."""
    first = _leaves(error)[0]
    known = isinstance(first, NightschoolError)
    frames = traceback.extract_tb(first.__traceback__)
    return {
        "code": first.code if isinstance(first, NightschoolError) else "unexpected",
        "message": str(first) if known else f"{type(first).__name__}: {first}",
        "retryable": is_retryable(error),
        "where": f"{frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno}" if frames else "",
    }


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for each in error.exceptions for leaf in _leaves(each)]
    return [error]
