"""The tree as the architecture tests see it: where things are, and the product's modules as syntax."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path
from typing import Final

__all__ = ["PACKAGE", "ROOT", "module_name", "modules", "parse", "tracked_files"]

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGE: Final = ROOT / "platform" / "nightschool"


def modules() -> list[Path]:
    """Return every module of the product."""
    return sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path) -> str:
    """Return a module's path below the package, as a test id."""
    return path.relative_to(PACKAGE).as_posix()


def parse(path: Path) -> ast.Module:
    """Return a module's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def tracked_files() -> list[Path]:
    """Return every file under version control that still exists."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file()]
