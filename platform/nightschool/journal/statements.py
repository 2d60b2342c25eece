"""The journal's SQL by name, read from ``queries/*.sql``. Knows nothing about what the statements do.

A query file holds statements like this one, each under its name and a sentence:

    -- name: epoch
    -- The epoch a writer needs at least.
    SELECT epoch FROM session WHERE session_id = ?;
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["sql"]

_FOLDER: Final = Path(__file__).parent / "queries"
_NAME: Final = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def _statements() -> dict[str, str]:
    statements: dict[str, str] = {}
    for file in sorted(_FOLDER.glob("*.sql")):
        _, *parts = _NAME.split(file.read_text(encoding="utf-8"))
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            if name in statements:
                raise ValueError(f"{file}: there are two statements named {name}")
            statements[name] = text.strip()
    return statements


def sql(name: str) -> str:
    """Return the statement of that name.

    Raises:
        KeyError: no query file has it.
    """
    return _statements()[name]
