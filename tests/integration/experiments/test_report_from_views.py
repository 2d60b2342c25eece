"""The report from `v1_trials` is the report from the log: an analyst and the command line see one truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import ModelRefusedRequest
from nightschool.core.ids import IdSource
from nightschool.experiments.design import TrialSpec, declare
from nightschool.experiments.experiment_log import open_log
from nightschool.experiments.ledger import fold
from nightschool.experiments.measures import from_frame, from_ledger
from nightschool.experiments.report import build_report
from nightschool.experiments.report_json import to_json
from nightschool.experiments.runner import run
from nightschool.experiments.suite import Reference
from nightschool.journal.journal import Journal
from nightschool.sessions.log import SessionLog
from nightschool.warehouse.reader import open_warehouse
from nightschool.warehouse.store import Warehouse
from tests.unit.experiments.fakes import Adder, manifest, suite

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

PLAN = manifest(samples=["a" * length for length in range(1, 9)])


def fail_once(spec: TrialSpec) -> None:
    if (spec.arm, spec.sample_id, spec.epoch) == ("pool", "aaa", 1):
        raise ModelRefusedRequest("no such tool")


async def test_the_view_and_the_log_give_the_same_report(tmp_path: Path) -> None:
    clock = FrozenClock()
    journal = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    sessions = SessionLog(journal, clock=clock, ids=IdSource(clock=clock))
    await run(
        PLAN,
        experiment_id="exp_one",
        log=await open_log(sessions, "exp_one"),
        suite=suite(Reference(tokens_per_page=50)),
        run_trial=Adder(clock=clock, before=fail_once),
        clock=clock,
    )
    from_log = to_json(build_report("exp_one", PLAN, from_ledger(fold(await sessions.get_events("exp_one")))))
    path = tmp_path / "nightschool.duckdb"
    Warehouse.open(path, clock=clock).sync(journal)
    with open_warehouse(path, journal=journal) as reader:
        (experiment,) = reader.query("FROM v1_experiments").iter_rows(named=True)
        from_view = to_json(build_report("exp_one", PLAN, from_frame(reader.trials("exp_one"))))
    journal.close()
    assert _without_error_names(from_log) == _without_error_names(from_view)
    assert 1 == from_log["arms"][1]["errored"]
    assert (32, from_log["manifest_hash"]) == (experiment["expected"], experiment["manifest_hash"])
    assert PLAN == declare(json.loads(experiment["manifest"]))


def _without_error_names(report: dict[str, Any]) -> dict[str, Any]:
    """The view tells an error's message where the log tells its code."""
    arms = [{**arm, "errors": sum(arm["errors"].values())} for arm in report["arms"]]
    return {**report, "arms": arms, "notes": len(report["notes"])}
