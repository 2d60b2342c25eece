"""The layer picture holds: import-linter's contracts in pyproject.toml are kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.architecture.tree import ROOT

LINTER = Path(sys.executable).with_name("lint-imports")


def test_every_import_contract_is_kept() -> None:
    """Layers, cycles, and who may speak to DuckDB, SQLite, the models and the screen."""
    linted = subprocess.run(
        [LINTER, "--no-logo", "--no-cache"], cwd=ROOT, check=False, capture_output=True, text=True
    )

    assert "0 broken" in linted.stdout, linted.stdout + linted.stderr
    assert 0 == linted.returncode, linted.stdout + linted.stderr
