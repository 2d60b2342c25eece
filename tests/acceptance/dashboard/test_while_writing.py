"""The pages answer while another process writes, and see what it wrote."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from nightschool.core.clock import SystemClock
from nightschool.journal.journal import Journal
from tests.acceptance.dashboard.conftest import Show, texts, told_errors
from tests.acceptance.dashboard.written_folder import Plan, write_experiment

ROOT = Path(__file__).parents[3]

# Appends without pause to the folder's journal and syncs the warehouse, as a run does, until told to stop.
WRITER = """
import sys
from pathlib import Path
from nightschool.core.clock import SystemClock
from nightschool.journal.journal import Journal
from nightschool.warehouse.background import following
from nightschool.warehouse.store import Warehouse
from tests.acceptance.dashboard.written_folder import Plan, write_experiment

folder = Path(sys.argv[1])
journal = Journal.open(folder / "journal.sqlite", clock=SystemClock())
with following(Warehouse.open(folder / "nightschool.duckdb"), journal, interval_seconds=0.05):
    number = 0
    while not (folder / "stop").exists():
        number += 1
        write_experiment(folder, Plan(experiment_id=f"exp_{number:04}", documents=6, repeats=1))
        print(number, flush=True)
journal.close()
"""


@contextmanager
def writing(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Have another process write into the folder for the length of a block."""
    command = [sys.executable, "-c", WRITER, str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert "1" == process.stdout.readline().strip()
            yield process
        finally:
            (folder / "stop").touch()
            process.wait(timeout=30)


@pytest.mark.integration
def test_every_page_answers_while_a_run_writes(show: Show, tmp_path: Path) -> None:
    """Opening a page raises no error (the fixture looks), and the writer ends well."""
    with writing(tmp_path) as process:
        pages = [show(name) for name in ("compare", "runs", "session") * 2]

    assert 0 == process.returncode
    assert [] == [error for page in pages for error in told_errors(page)]


def listed(app: AppTest) -> list[str]:
    """Return the experiments that a page offers; where it offers none, fail with what it says instead."""
    assert [] == told_errors(app)
    boxes = [box for box in app.selectbox if box.key == "choice_experiment"]
    assert boxes, [heading.value for heading in app.subheader]
    return list(boxes[0].options)


@pytest.mark.integration
def test_a_page_shows_what_was_committed_a_moment_ago(show: Show, tmp_path: Path) -> None:
    with writing(tmp_path):
        app = show("compare")
        before = len(listed(app))
        deadline = time.monotonic() + 30
        while len(listed(app)) == before:
            assert time.monotonic() < deadline
            app.run()

    assert not app.exception


def test_a_warehouse_that_somebody_holds_open_does_not_matter(show: Show, tmp_path: Path) -> None:
    """Another program has the file for writing: the journal alone answers, with everything."""
    write_experiment(tmp_path)
    holder = (
        "import duckdb, sys; held = duckdb.connect(sys.argv[1]); held.execute('CREATE TABLE t (a INT)');"
        " print('held', flush=True); sys.stdin.readline()"
    )
    command = [sys.executable, "-c", holder, str(tmp_path / "nightschool.duckdb")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "held" == process.stdout.readline().strip()

        html = texts(show("compare"))
        process.communicate("\n")

    assert "orchestrated is better than single" in html


def test_a_page_leaves_the_files_free(show: Show, tmp_path: Path) -> None:
    """After a page was drawn, a run can write both stores at once."""
    write_experiment(tmp_path)
    show("compare")

    from nightschool.warehouse.store import SyncStatus, Warehouse

    journal = Journal.open(tmp_path / "journal.sqlite", clock=SystemClock())
    outcome = Warehouse.open(tmp_path / "nightschool.duckdb").sync(journal)
    journal.close()

    assert SyncStatus.CURRENT is outcome.status
    write_experiment(tmp_path, Plan(experiment_id="exp_next"))
