"""Write requirements.lock and requirements-dev.lock from what is installed beside this interpreter.

The locks hold plain ``name==version`` lines: everything that nightschool needs to run, and in the second
file what developing it needs on top. No addresses and no hashes, so that any mirror will do.

    .venv/bin/python scripts/lock.py            write both files
    .venv/bin/python scripts/lock.py --check    say what would change, exit 1 if anything would
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

__all__ = ["closure", "main"]

ROOT = Path(__file__).resolve().parent.parent
PROJECT = "nightschool"


def closure(project: str, extras: Iterable[str] = ()) -> dict[str, str]:
    """Return name to installed version of everything ``project[extras]`` needs here, without itself.

    Raises:
        SystemExit: something needed is not installed.
    """
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    queue = [Requirement(f"{project}[{','.join(extras)}]")]
    while queue:
        requirement = queue.pop()
        name = canonicalize_name(requirement.name)
        found[name] = _installed_version(requirement)
        for extra in {"", *requirement.extras}:
            if (name, extra) not in seen:
                seen.add((name, extra))
                queue.extend(_needs(name, extra))
    del found[canonicalize_name(project)]
    return dict(sorted(found.items()))


def _installed_version(requirement: Requirement) -> str:
    try:
        return version(requirement.name)
    except PackageNotFoundError:
        raise SystemExit(f"{requirement} is needed and not installed; run `make install-dev` first") from None


def _needs(name: str, extra: str) -> list[Requirement]:
    """Return what a distribution needs on this machine because of one of its extras ("" for always)."""
    every = [Requirement(line) for line in distribution(name).requires or ()]
    return [each for each in every if each.marker is None or each.marker.evaluate({"extra": extra})]


def _text(packages: dict[str, str]) -> str:
    return "".join(f"{name}=={number}\n" for name, number in packages.items())


def main(arguments: list[str]) -> int:
    """Write the locks, or with ``--check`` compare them; return the exit code."""
    runtime = closure(PROJECT)
    development = {name: number for name, number in closure(PROJECT, ["dev"]).items() if name not in runtime}
    stale = False
    for path, packages in (("requirements.lock", runtime), ("requirements-dev.lock", development)):
        lock = ROOT / path
        if "--check" not in arguments:
            lock.write_text(_text(packages))
        elif lock.read_text() != _text(packages):
            stale = True
            print(f"{path} differs from what is installed; `make lock` writes it")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
