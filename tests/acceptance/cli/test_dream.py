"""What a dream reports, from the command line."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from nightschool.core.clock import SystemClock
from nightschool.journal.journal import Journal
from tests.acceptance.cli.command import ROOT, complaint, here
from tests.unit.dreaming.sessions import Sessions

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

SAMPLE = ROOT / "tests" / "unit" / "experiments" / "importers" / "tau-bench-sample.json"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    assert 0 == here("import", "tau-bench", str(SAMPLE), "--model", "m", "--domain", "d", data=folder).code
    return folder


def test_a_dream_reports_what_fails_and_what_is_needless(data: Path) -> None:
    report = json.loads(here("dream", "--json", data=data).out)

    assert report["sessions"] == sum(report["results"].values()) > 0
    assert {"failure_causes", "failing_types", "templates", "strategies", "economy"} <= set(report)


def test_other_sources_are_left_out(data: Path) -> None:
    assert 0 == json.loads(here("dream", "--source", "review", "--json", data=data).out)["sessions"]
    assert "0 sessions" in here("dream", "--source", "review", data=data).out


def test_both_sets_of_rules_run(data: Path) -> None:
    assert "plain" == json.loads(here("dream", "--rules", "plain", "--json", data=data).out)["rules"]
    assert "rules plain" in here("dream", "--rules", "plain", data=data).out


def test_a_folder_without_sessions_is_named(tmp_path: Path) -> None:
    assert "there is nothing in" in complaint(here("dream", data=tmp_path / "none"))


def test_an_unknown_session_is_named(data: Path) -> None:
    assert "sesn_nope" in complaint(here("dream", "--session", "sesn_nope", data=data))


def test_switched_off_it_reads_and_writes_nothing(data: Path) -> None:
    before = (data / "journal.sqlite").read_bytes()
    for words in (("dream",), ("dream", "tick")):
        refused = here(*words, data=data, NIGHTSCHOOL_DREAMING="off")

        assert "switched off" in complaint(refused) and 5 == refused.code
    assert before == (data / "journal.sqlite").read_bytes()


def test_a_result_is_looked_at_adopted_and_taken_back(data: Path) -> None:
    made = json.loads(here("dream", "--json", data=data).out)["dream"]
    shown = here("dream", "diff", made["dream_id"], data=data)
    if made["status"] == "completed":
        assert "created" in shown.out
        assert 0 == here("dream", "adopt", made["dream_id"], data=data).code
        assert "adopted" in here("dream", "list", data=data).out
        assert 0 == here("dream", "rollback", data=data).code
        assert "rolled_back" in here("dream", "list", data=data).out
    else:
        assert "changed nothing" in complaint(here("dream", "adopt", made["dream_id"], data=data))


def test_a_model_may_word_findings_and_the_report_says_what_was_dropped(data: Path) -> None:
    told = json.loads(here("dream", "--model", "simulated", "--json", data=data).out)["dream"]["worded"]

    assert ("simulated", told["asked"]) == (told["model"], told["worded"] + sum(told["dropped"].values()))
    assert "no model is asked" in complaint(here("dream", "--model", "reader", "--dry-run", data=data))
    assert "There is no model 'nobody'" in complaint(here("dream", "--model", "nobody", data=data))


def test_a_store_is_tried_on_a_suite_before_it_is_adopted(data: Path) -> None:
    with closing(Journal.open(data / "journal.sqlite", clock=SystemClock())) as journal:
        for number in range(3):
            Sessions(journal).add(f"w{number}", "get_order", "update_order", passed=True)
    made = json.loads(here("dream", "--json", data=data).out)["dream"]
    samples = ",".join(f"printing-{number}" for number in range(2))
    tried = json.loads(here("dream", "try", made["dream_id"], "--samples", samples, "--json", data=data).out)

    assert tried["result"] in {"inconclusive", "invalid"} and tried["experiment_id"].startswith("exp_")
    refused = here("dream", "adopt", made["dream_id"], data=data, NIGHTSCHOOL_ADOPTION_SUITE="ledger")
    assert "was not tried on the suite 'ledger'" in complaint(refused)


def test_what_is_due_is_done_when_nobody_works(data: Path) -> None:
    assert "agents are at work" in here("dream", "tick", data=data).out
    done = here("dream", "tick", "--idle-minutes", "0", "--auto", data=data)

    assert "(incremental)" in done.out
    assert "nothing is due" in here("dream", "tick", "--idle-minutes", "0", data=data).out
