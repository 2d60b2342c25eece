"""The notebooks run from top to bottom, offline, each in less than a minute on an idle machine."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[3] / "notebooks").glob("*.ipynb"))

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]


def _read(path: Path) -> nbformat.NotebookNode:
    notebook: nbformat.NotebookNode = nbformat.reads(path.read_text("utf-8"), as_version=4)  # type: ignore[no-untyped-call]
    return notebook


def test_there_are_notebooks() -> None:
    assert "01_first_comparison.ipynb" in [path.name for path in NOTEBOOKS]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NIGHTSCHOOL_DATA", str(tmp_path))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = _read(path)

    # Raises with the cell and its traceback when one fails.
    NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(path.parent)}}).execute()

    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    assert [] == [out["ename"] for out in outputs if out.output_type == "error"]
    assert any("application/vnd.plotly.v1+json" in out.get("data", {}) for out in outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_its_answers(path: Path) -> None:
    cells = _read(path).cells

    assert [] == [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")]
