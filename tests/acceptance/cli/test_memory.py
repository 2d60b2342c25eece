"""Memories from the command line: written, looked at, taken back."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import click
import polars as pl
import pytest

from nightschool.cli.dream import dream
from nightschool.cli.memory import memory
from nightschool.core.clock import FrozenClock
from nightschool.journal.journal import Journal
from tests.acceptance.cli.command import complaint, here
from tests.unit.dreaming.sessions import Sessions

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    assert 0 == here("memory", "write", "/refunds", "Refunds take 5 days.", data=folder).code
    return folder


def test_what_was_written_is_listed_shown_and_exported(data: Path, tmp_path: Path) -> None:
    listed = json.loads(here("memory", "list", "--json", data=data).out)

    assert [("/refunds", "Refunds take 5 days.", 1)] == [(m["path"], m["text"], m["version"]) for m in listed]
    assert "Refunds take 5 days." in here("memory", "list", data=data).out
    assert "version 1" in here("memory", "show", "/refunds", data=data).out
    assert 0 == here("memory", "export", str(tmp_path / "out"), data=data).code
    assert "Refunds take 5 days." == (tmp_path / "out" / "refunds.md").read_text()
    assert 1 == len(json.loads((tmp_path / "out" / "memories.json").read_text()))


def test_a_write_on_top_of_another_text_is_refused(data: Path) -> None:
    refused = here("memory", "write", "/refunds", "Now 3 days.", "--if-hash", "0" * 64, data=data)

    assert "version_conflict" in complaint(refused)
    assert 1 == json.loads(here("memory", "list", "--json", data=data).out)[0]["version"]


def test_a_redacted_text_is_in_no_answer(data: Path) -> None:
    assert 0 == here("memory", "redact", "/refunds", "--yes", data=data).code
    answers = [
        here("memory", *words, data=data).out
        for words in (("list", "--all"), ("show", "/refunds"), ("history", "/refunds"), ("list", "--json"))
    ]
    views = here("sql", "SELECT * FROM v1_memories", "--format", "json", data=data).out

    assert not any("5 days" in answer for answer in (*answers, views))
    assert "redacted" in answers[2]


def test_an_unknown_path_is_named(data: Path) -> None:
    assert "/nothing" in complaint(here("memory", "show", "/nothing", data=data))
    assert "/nothing" in complaint(here("memory", "history", "/nothing", data=data))


def test_memories_can_be_asked_about_in_sql(data: Path) -> None:
    here("memory", "write", "/refunds", "Now 3 days.", data=data)
    question = "SELECT store, path, state, versions, actor FROM v1_memories"

    assert [
        {"store": "default", "path": "/refunds", "state": "active", "versions": 2, "actor": "user"}
    ] == json.loads(here("sql", question, "--format", "json", data=data).out)


def test_a_review_is_given_what_concerns_it(tmp_path: Path) -> None:
    """A warning that a clause is the house's own wording: the finding is gone, and the session says why."""
    data, contract = tmp_path / "data", tmp_path / "contract.md"
    clause = "The Supplier sets prices by the lantern and decides by itself how much."
    contract.write_text(f"# Agreement\n\n## 1 Subject\nThe Supplier cooks.\n\n## 2 Prices\n{clause}\n")
    told = (
        "In this house 'Prices go by the lantern and the Supplier decides how much' is no violation of P05."
    )
    here("memory", "write", "/lantern", told, data=data)
    answers = [
        json.loads(here("review", str(contract), "--arm", "single", *words, "--json", data=data).out)
        for words in ((), ("--memory", "default"))
    ]
    flagged = [
        {each["policy"] for each in answer["positions"] if each["position"] == "violation"}
        for answer in answers
    ]
    question = "SELECT count(*) AS n FROM v1_events WHERE type = 'memory.recalled'"

    assert "P05" in flagged[0] and "P05" not in flagged[1]
    assert [{"n": 1}] == json.loads(here("sql", question, "--format", "json", data=data).out)


def test_a_review_without_a_store_says_how_to_get_one(tmp_path: Path) -> None:
    contract = tmp_path / "contract.md"
    contract.write_text("# Agreement\n\n## 1 Subject\nThe Supplier cooks.\n")
    refused = here("review", str(contract), "--memory", "default", data=tmp_path / "data")

    assert "no memory store 'default'" in complaint(refused)


@pytest.mark.parametrize("group", [dream, memory], ids=["dream", "memory"])
def test_every_command_answers_programs(group: click.Group) -> None:
    silent = [
        name
        for name, each in group.commands.items()
        if not isinstance(each, click.Group) and "--json" not in {o for p in each.params for o in p.opts}
    ]

    assert [] == silent


def test_what_changes_a_memory_says_so_in_json(data: Path) -> None:
    written = json.loads(here("memory", "write", "/refunds", "Now 3 days.", "--json", data=data).out)
    restored = json.loads(
        here("memory", "restore", "/refunds", "--state", "archived", "--json", data=data).out
    )
    versions = json.loads(here("memory", "history", "/refunds", "--json", data=data).out)
    gone = json.loads(here("memory", "redact", "/refunds", "--yes", "--json", data=data).out)

    assert (2, "archived", [1, 2, 3]) == (
        written["version"],
        restored["state"],
        [each["version"] for each in versions],
    )
    assert {each["sha256"] for each in versions} == set(gone["redacted"])


def test_attacks_are_tried_without_a_trace(data: Path) -> None:
    before = (data / "journal.sqlite").read_bytes()
    rows = json.loads(
        here("memory", "attack", "--store", "default", "--rules", "sharpened", "--json", data=data).out
    )

    assert {"empty", "populated", "store default"} == {row["ground"] for row in rows}
    assert {"quiet fact", "two users agree"} >= {row["attack"] for row in rows if row["succeeded"]}
    assert before == (data / "journal.sqlite").read_bytes()
    assert "no memory store 'other'" in complaint(here("memory", "attack", "--store", "other", data=data))


def test_a_memory_that_nobody_used_for_long_goes_to_a_file_and_comes_back(tmp_path: Path) -> None:
    """Its session ended in January of a year gone by: what it taught is cold when it is learnt."""
    data = tmp_path / "data"
    data.mkdir()
    with closing(Journal.open(data / "journal.sqlite", clock=FrozenClock())) as journal:
        Sessions(journal).add("a", passed=True, source="user", comment="Refunds take 5 days.", on=1)
    file = data / "cold" / "memories" / "texts.parquet"
    days = {
        "NIGHTSCHOOL_MEMORY_UNUSED_DAYS": "1",
        "NIGHTSCHOOL_MEMORY_HIDDEN_DAYS": "1",
        "NIGHTSCHOOL_MEMORY_COLD_DAYS": "36500",
    }
    assert "went to cold storage" in here("dream", "--auto", data=data, **days).err
    (listed,) = json.loads(here("memory", "list", "--all", "--json", data=data, **days).out)

    assert ("cold", "Refunds take 5 days.") == (listed["state"], listed["text"])
    assert ["Refunds take 5 days."] == pl.read_parquet(file)["text"].to_list()
    assert [] == json.loads(here("memory", "list", "--json", data=data, **days).out)
    assert 0 == here("memory", "restore", listed["path"], data=data, **days).code
    assert not file.exists()
    assert listed["path"] in here("memory", "list", data=data, **days).out
    assert 0 == here("memory", "redact", listed["path"], "--yes", data=data, **days).code
    assert "removed for good" in complaint(here("memory", "restore", listed["path"], data=data, **days))


def test_a_cold_memory_is_redacted_deleted_with_its_session_and_purged(tmp_path: Path) -> None:
    days = {"NIGHTSCHOOL_MEMORY_UNUSED_DAYS": "1", "NIGHTSCHOOL_MEMORY_HIDDEN_DAYS": "1"}
    for number, (end, cold_days) in enumerate(
        (
            (("memory", "redact", "PATH", "--yes"), "36500"),
            (("delete", "sesn_a", "--yes"), "36500"),
            (("prune", "--yes"), "1"),
        )
    ):
        data = tmp_path / str(number)
        data.mkdir()
        with closing(Journal.open(data / "journal.sqlite", clock=FrozenClock())) as journal:
            Sessions(journal).add("a", passed=True, source="user", comment="Refunds take 5 days.", on=1)
        kept = {**days, "NIGHTSCHOOL_MEMORY_COLD_DAYS": "36500"}
        assert "went to cold storage" in here("dream", "--auto", data=data, **kept).err
        (listed,) = json.loads(here("memory", "list", "--all", "--json", data=data, **kept).out)
        words = [listed["path"] if word == "PATH" else word for word in end]
        assert 0 == here(*words, data=data, **{**days, "NIGHTSCHOOL_MEMORY_COLD_DAYS": cold_days}).code

        assert not (data / "cold" / "memories" / "texts.parquet").exists(), end
        left = here("memory", "list", "--all", data=data, **kept).out
        assert "Refunds take" not in left, end
