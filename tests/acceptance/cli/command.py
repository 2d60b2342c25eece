"""The command as its users call it: in a process of its own where that matters, else in this one."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unittest import mock

from nightschool.cli.main import _run

__all__ = ["LETTERS", "ROOT", "Outcome", "complaint", "here", "process", "start"]

ROOT: Final = Path(__file__).parents[3]
LETTERS: Final = Path(__file__).parent / "suites" / "letters"
"""The suite that these tests run: letters of half a page."""

_SUITES: Final = os.pathsep.join([str(LETTERS.parent), str(ROOT / "evals")])
_SCRIPT: Final = Path(sys.executable).with_name("nightschool")
_OURS: Final = ("NIGHTSCHOOL_", "ANTHROPIC_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a command came to."""

    code: int
    out: str
    err: str


def here(*arguments: str, data: Path | None = None, **variables: str) -> Outcome:
    """Run a command in this process: the same code without the seconds that a new process takes to start.

    Args:
        arguments: the command line after `nightschool`.
        data: the data folder.
        variables: further environment.
    """
    out, err = io.StringIO(), io.StringIO()
    environment = mock.patch.dict(os.environ, _environment(data, variables), clear=True)
    with environment, redirect_stdout(out), redirect_stderr(err):
        code = _run(list(arguments))
    return Outcome(code=code, out=out.getvalue(), err=err.getvalue())


def start(*arguments: str, data: Path, **variables: str) -> subprocess.Popen[str]:
    """Start the installed command as a process, in the data folder's parent: no file is found by accident."""
    return subprocess.Popen(
        [str(_SCRIPT), *arguments],
        cwd=data.parent,
        env=_environment(data, variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def process(*arguments: str, data: Path, **variables: str) -> Outcome:
    """Run the installed command as a process to its end."""
    with start(*arguments, data=data, **variables) as running:
        out, err = running.communicate()
    return Outcome(code=running.returncode, out=out, err=err)


def complaint(outcome: Outcome) -> str:
    """Return the one sentence with which a command says what went wrong; there is no traceback beside it."""
    assert "Traceback" not in outcome.err
    said = [line for line in outcome.err.splitlines() if line.startswith("nightschool: ")]
    assert 1 == len(said), outcome
    return said[0]


def _environment(data: Path | None, variables: Mapping[str, str]) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    ours = {"NIGHTSCHOOL_SUITES": _SUITES} | ({} if data is None else {"NIGHTSCHOOL_DATA": str(data)})
    return inherited | ours | dict(variables)
