"""`platform/` is a source root; it must never hide the standard library's module of that name."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT

SOURCE_ROOT = ROOT / "platform"
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib")).resolve()


@pytest.mark.parametrize("first_on_path", ["", ".", "platform"])
def test_import_platform_is_the_standard_library_s(first_on_path: str) -> None:
    """From the repository's root, with nothing, with the root, and with the source root first on the path."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / first_on_path) if first_on_path else ""}
    code = "import platform; platform.system(); print(platform.__file__)"

    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    )

    assert STANDARD_LIBRARY / "platform.py" == Path(found.stdout.strip()).resolve()


def test_the_source_root_has_one_child_and_is_no_package() -> None:
    """No `__init__.py`, no `conftest.py`, no tests, no second package beside the product's."""
    assert ["nightschool"] == sorted(
        path.name for path in SOURCE_ROOT.iterdir() if path.name != "__pycache__"
    )


def test_no_tests_live_inside_the_product() -> None:
    """Tests stand in `tests/`; a conftest inside the package would be imported as a second copy of it."""
    strays = [
        path.relative_to(ROOT).as_posix()
        for pattern in ("conftest.py", "test_*.py", "*_test.py")
        for path in SOURCE_ROOT.rglob(pattern)
    ]

    assert [] == strays
