"""Settings, read once: the only place that looks at the environment.

Knows nothing about what is done with them; lower layers receive plain values.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from nightschool.core.errors import InvalidInput

__all__ = ["VARIABLES", "Settings", "read_settings"]

VARIABLES: Final[Mapping[str, str]] = {
    "NIGHTSCHOOL_DATA": "the data folder (default: data)",
    "NIGHTSCHOOL_SUITES": "folders with suites, separated like PATH (default: evals)",
    "NIGHTSCHOOL_BASE_URL": "a server that speaks the Messages API, instead of Claude's",
    "NIGHTSCHOOL_API_KEY": "the key for that server, or for Claude",
    "ANTHROPIC_API_KEY": "the key for Claude, when NIGHTSCHOOL_API_KEY is not set",
    "NIGHTSCHOOL_DREAMING": "off: no dream reads or writes anything (default: on)",
    "NIGHTSCHOOL_ADOPTION_SUITE": "a suite that a dream has to be tried on before adoption (default: none)",
    "NIGHTSCHOOL_RETENTION_DAYS": "how long sessions are kept (default: 90)",
    "NIGHTSCHOOL_MEMORY_UNUSED_DAYS": "after how long without proving right a memory is hidden (default: 90)",
    "NIGHTSCHOOL_MEMORY_HIDDEN_DAYS": "how long it stays hidden before it goes to cold storage (default: 90)",
    "NIGHTSCHOOL_MEMORY_COLD_DAYS": "how long it stays in cold storage before it is purged (default: 365)",
    "NIGHTSCHOOL_REVIEWER": "who labels results and answers agents (default: the login name)",
    "NIGHTSCHOOL_LOGIN": "on: the dashboard shows nothing without a login (default: off)",
    "NIGHTSCHOOL_ANSWERS": "on: the dashboard may allow and deny tool calls that ask (default: off)",
}
"""Every variable that is read, and what it sets."""

_MOST_DAYS: Final = 36_500
"""A hundred years: beyond, a date would leave the calendar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a run is configured with. The key never appears in its repr."""

    data_dir: Path = Path("data")
    suite_dirs: tuple[Path, ...] = (Path("evals"),)
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    retention_days: int = 90
    memory_unused_days: int = 90
    """Without proving right, before a memory is hidden."""
    memory_hidden_days: int = 90
    """Hidden, before it goes to cold storage."""
    memory_cold_days: int = 365
    """In cold storage, before it is purged."""
    reviewer: str = ""
    """Who labels results."""
    login: bool = False
    """Whether the dashboard shows nothing without a login, even where none is configured."""
    answers: bool = False
    """Whether the dashboard may allow and deny tool calls that ask for permission."""
    dreaming: bool = True
    """Whether dreams may read and write."""
    adoption_suite: str = ""
    """A suite that a dream's store has to be tried on before it is adopted; empty for none."""

    @property
    def journal_path(self) -> Path:
        """The session log."""
        return self.data_dir / "journal.sqlite"

    @property
    def warehouse_path(self) -> Path:
        """The warehouse."""
        return self.data_dir / "nightschool.duckdb"


def _is_on(name: str, text: str) -> bool:
    if text not in {"on", "off"}:
        raise InvalidInput(f"{name} is {text!r}; give on or off")
    return text == "on"


def _days(name: str, env: Mapping[str, str], default: int) -> int:
    text = env.get(name) or str(default)
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= _MOST_DAYS:
        raise InvalidInput(
            f"{name} is {text!r}; give a whole number of days, 1 or more and at most {_MOST_DAYS:,}"
        )
    return int(text)


def read_settings(
    *,
    data: Path | None = None,
    base_url: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Read the settings; what is given here outranks the environment.

    Args:
        data: the data folder.
        base_url: a server that speaks the Messages API.
        environment: instead of the process's own, for tests.

    Raises:
        InvalidInput: a variable's value cannot be used.
    """
    env = os.environ if environment is None else environment
    suites = env.get("NIGHTSCHOOL_SUITES") or "evals"
    return Settings(
        data_dir=data or Path(env.get("NIGHTSCHOOL_DATA") or "data"),
        suite_dirs=tuple(Path(part) for part in suites.split(os.pathsep) if part),
        base_url=base_url or env.get("NIGHTSCHOOL_BASE_URL") or None,
        api_key=env.get("NIGHTSCHOOL_API_KEY") or env.get("ANTHROPIC_API_KEY") or None,
        login=_is_on("NIGHTSCHOOL_LOGIN", env.get("NIGHTSCHOOL_LOGIN") or "off"),
        answers=_is_on("NIGHTSCHOOL_ANSWERS", env.get("NIGHTSCHOOL_ANSWERS") or "off"),
        dreaming=_is_on("NIGHTSCHOOL_DREAMING", env.get("NIGHTSCHOOL_DREAMING") or "on"),
        adoption_suite=env.get("NIGHTSCHOOL_ADOPTION_SUITE") or "",
        retention_days=_days("NIGHTSCHOOL_RETENTION_DAYS", env, 90),
        memory_unused_days=_days("NIGHTSCHOOL_MEMORY_UNUSED_DAYS", env, 90),
        memory_hidden_days=_days("NIGHTSCHOOL_MEMORY_HIDDEN_DAYS", env, 90),
        memory_cold_days=_days("NIGHTSCHOOL_MEMORY_COLD_DAYS", env, 365),
        reviewer=env.get("NIGHTSCHOOL_REVIEWER") or env.get("USER") or env.get("USERNAME") or "",
    )
