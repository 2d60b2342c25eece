"""What every module of the product has: a docstring, an honest `__all__`, a readable size, a telling name."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from nightschool.core import errors
from tests.architecture.tree import PACKAGE, module_name, modules, parse

MAX_LINES = 500
VAGUE_NAMES = {"common", "helpers", "manager", "misc", "service", "util", "utils"}
HEAVY = ("anthropic", "duckdb", "onnxruntime", "pandas", "plotly", "polars", "scipy", "sklearn", "streamlit")

each_module = pytest.mark.parametrize("path", modules(), ids=module_name)


@each_module
def test_a_module_says_what_it_is(path: Path) -> None:
    tree = parse(path)

    assert ast.get_docstring(tree) or not tree.body


@each_module
def test_a_module_is_short_enough_to_read(path: Path) -> None:
    assert MAX_LINES >= len(path.read_text(encoding="utf-8").splitlines())


@each_module
def test_a_module_is_named_for_what_it_holds(path: Path) -> None:
    assert not VAGUE_NAMES & set(path.relative_to(PACKAGE).with_suffix("").parts)


@each_module
def test_the_public_list_is_sorted_and_true(path: Path) -> None:
    """What is listed exists; what is defined without an underscore is listed."""
    tree = parse(path)
    listed = _listed(tree)

    assert sorted(set(listed), key=_constants_classes_functions) == listed
    assert set(listed) <= _bound(tree)
    assert _public_definitions(tree) <= set(listed)


@each_module
def test_errors_with_a_code_stand_in_the_one_tree(path: Path) -> None:
    """Whoever handles errors finds all of them, with their codes, in `core/errors.py`."""
    strays = [
        node.name
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id in errors.__all__ for base in node.bases)
    ]

    assert [] == strays or path == PACKAGE / "core" / "errors.py"


@pytest.mark.parametrize("module", ["nightschool", "nightschool.events.union", "nightschool.cli.main"])
def test_importing_the_root_loads_nothing_heavy(module: str) -> None:
    """A command that prints its help must not wait for a database, a model runtime or a web framework."""
    code = f"import json, sys, {module}; print(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))"

    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert [] == json.loads(loaded.stdout)


def _listed(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
        ):
            names: list[str] = ast.literal_eval(node.value)
            return list(names)
    return []


def _constants_classes_functions(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)


def _public_definitions(tree: ast.Module) -> set[str]:
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")}


def _bound(tree: ast.Module) -> set[str]:
    """Return every name that stands at the top level of a module, however it came there."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        else:
            names |= {
                each.id
                for each in ast.walk(node)
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            }
    return names
