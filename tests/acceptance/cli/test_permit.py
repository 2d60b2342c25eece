"""`nightschool permit`: a run whose agent asks is answered from another process and goes on."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest

from tests.acceptance.cli.command import LETTERS, Outcome, complaint, here, start
from tests.acceptance.dashboard.test_asking import CALL, write_asking

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

RUN = ("run", "letters", "--arms", "single", "--samples", "letter-1", "--repeats", "1", "--json")


def test_calls_that_wait_are_listed_and_answered_by_the_end_of_their_id(tmp_path: Path) -> None:
    write_asking(tmp_path)

    (listed,) = json.loads(here("permit", "--json", data=tmp_path).out)
    said = here("permit", CALL[-6:], "--deny", "--reason", "no", "--by", "Ada", data=tmp_path)

    assert (CALL, "bash", {"command": "rm -r build"}) == (
        listed["tool_use_id"],
        listed["tool"],
        json.loads(listed["input"]),
    )
    assert (0, f"{CALL}: deny by Ada\n") == (said.code, said.out)
    assert [] == json.loads(here("permit", "--json", data=tmp_path).out)
    late = complaint(here("permit", CALL[-6:], "--allow", "--by", "Bob", data=tmp_path))
    assert f"{CALL} has its word already: deny by Ada" in late


def test_a_word_needs_a_call_and_a_name(tmp_path: Path) -> None:
    write_asking(tmp_path)

    assert 2 == here("permit", "--allow", data=tmp_path).code
    assert 2 == here("permit", CALL, data=tmp_path).code
    assert 2 == here("permit", CALL, "--allow", "--deny", "--by", "Ada", data=tmp_path).code
    assert "name yourself" in complaint(here("permit", CALL, "--allow", data=tmp_path, USER="", USERNAME=""))
    assert "no tool call `zzz`" in complaint(here("permit", "zzz", "--allow", "--by", "Ada", data=tmp_path))


def test_a_run_waits_for_the_word_and_ends_by_itself_once_it_is_given(tmp_path: Path) -> None:
    data, suites = tmp_path / "data", tmp_path / "suites"
    shutil.copytree(LETTERS, suites / "letters")
    for file in (suites / "letters" / "agents").glob("*.md"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("tools:", "ask: [submit_findings]\ntools:", 1), encoding="utf-8")

    with start(*RUN, data=data, NIGHTSCHOOL_SUITES=str(suites)) as running:
        call = _first_that_waits(data)
        assert running.poll() is None
        assert 0 == here("permit", call, "--allow", "--by", "Ada", data=data).code
        out, err = running.communicate()

    assert 0 == running.returncode, err
    assert 1 == json.loads(out)["completed"]
    query = "SELECT status, given_by, tool FROM v1_permissions"
    answered = here("sql", query, "--json", data=data)
    assert [{"status": "allow", "given_by": "Ada", "tool": "submit_findings"}] == json.loads(answered.out)


def _first_that_waits(data: Path) -> str:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        said: Outcome = here("permit", "--json", data=data)
        if said.code == 0 and (waiting := json.loads(said.out)):
            return str(waiting[0]["tool_use_id"])
        time.sleep(0.2)
    raise AssertionError("nothing asked")
