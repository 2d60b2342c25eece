"""Another process that has the warehouse's file open."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = ["held_elsewhere"]

_HOLD: Final = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "read")
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held_elsewhere(path: Path, *, writing: bool = False) -> Iterator[None]:
    """Have another process hold the file for the length of a block."""
    command = [sys.executable, "-c", _HOLD, str(path), "write" if writing else "read"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield
        process.communicate("")
