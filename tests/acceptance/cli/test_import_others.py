"""Logs of other runners enter the same tables: once, whole, or not at all."""

from __future__ import annotations

import json
from pathlib import Path

from tests.acceptance.cli.command import ROOT, complaint, here

EVAL = ROOT / "tests" / "unit" / "experiments" / "importers" / "inspect-sample.eval"


def test_a_log_of_inspect_is_imported_once_and_can_be_asked(tmp_path: Path) -> None:
    data = tmp_path / "data"
    first, again = (here("import", "inspect", str(EVAL), data=data) for _ in range(2))
    assert "6 sessions in inspect-sample.eval, 6 of them new" in first.out
    assert "6 sessions in inspect-sample.eval, 0 of them new" in again.out
    question = "SELECT count(*) AS n, avg(feedback) AS mean FROM v1_sessions WHERE source = 'import:inspect'"
    assert "6" in here("sql", question, data=data).out


def test_a_file_that_breaks_off_leaves_nothing_behind(tmp_path: Path) -> None:
    """Its first results are sound: none of them is kept."""
    one = {
        "promptIdx": 0,
        "testIdx": 0,
        "provider": "p",
        "prompt": {"raw": "r"},
        "success": True,
        "score": 1,
    }
    file, data = tmp_path / "results.jsonl", tmp_path / "data"
    file.write_text("\n".join([json.dumps(one), json.dumps(one), "{oops"]), "utf-8")
    outcome = here("import", "promptfoo", str(file), data=data)
    assert (5, True) == (outcome.code, "line 3" in complaint(outcome))
    assert "0" in here("sql", "SELECT count(*) AS n FROM v1_sessions", data=data).out


def test_two_logs_of_inspect_are_compared_as_they_are(tmp_path: Path) -> None:
    """The log beside a copy of itself: nothing can be told apart, and three samples are too few to try."""
    before, after, data = tmp_path / "before.eval", tmp_path / "after.eval", tmp_path / "data"
    before.write_bytes(EVAL.read_bytes())
    after.write_bytes(EVAL.read_bytes())
    assert 0 == here("import", "experiment", str(before), str(after), data=data).code
    gate = here("gate", "LAST", data=data)
    assert (3, True) == (gate.code, "too few pairs" in gate.out)
    trials = here("sql", "SELECT count(*) AS n FROM v1_trials WHERE arm = 'after'", data=data)
    assert "6" in trials.out
