"""A plain DuckDB program and the dashboard's reader ask all the time while a run writes: both go on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from nightschool.bootstrap import connect_reader
from nightschool.settings import Settings
from tests.acceptance.cli.command import here, start
from tests.acceptance.cli.journal import count

pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]

# Opens the warehouse as a DuckDB shell does, keeps it open for a moment, and closes it, until told to stop.
_SHELL: Final = """
import json, select, sys, duckdb
counts, refused = [], 0
while not select.select([sys.stdin], [], [], 0.05)[0]:
    try:
        with duckdb.connect(sys.argv[1], read_only=True) as shell:
            counts.append(shell.execute("SELECT count(*) FROM events").fetchone()[0])
            select.select([sys.stdin], [], [], 0.3)
    except duckdb.IOException:
        refused += 1
    if len(counts) == 1:
        print("looking", flush=True)
print(json.dumps({"counts": counts, "refused": refused}))
"""


def _run(*samples: str) -> tuple[str, ...]:
    return ("run", "letters", "--repeats", "1", "--samples", ",".join(samples))


def test_readers_and_a_run_do_not_disturb_one_another(tmp_path: Path) -> None:
    data = tmp_path / "data"
    settings = Settings(data_dir=data)
    assert 0 == here(*_run("letter-1"), "--arms", "single", data=data).code
    before, seen = count(data), []
    command = [sys.executable, "-c", _SHELL, str(settings.warehouse_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as shell:
        assert shell.stdout is not None and "looking\n" == shell.stdout.readline()
        with start(*_run("letter-1", "letter-2", "letter-3"), data=data) as running:
            while running.poll() is None:
                with connect_reader(settings) as reader:
                    seen.append(int(reader.query("SELECT count(*) AS n FROM v1_events")["n"][0]))
            _out, err = running.communicate()
        looked = json.loads(shell.communicate("stop\n")[0].splitlines()[-1])
    with connect_reader(settings) as reader:
        trials = reader.query("SELECT status, count(*) AS n FROM v1_trials GROUP BY status").rows()

    assert 0 == running.returncode, err
    assert [("completed", 1 + 9)] == trials
    assert before == seen[0] < count(data)
    assert sorted(seen) == seen and len(set(seen)) > 2
    assert len(looked["counts"]) > 2 and sorted(looked["counts"]) == looked["counts"]
    assert 0 == here("sync", data=data).code
    assert 0 == here("verify", data=data).code
