"""Questions in SQL: three forms of answer, no way to write, and errors that say what to change."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from unittest import mock

import pytest

from tests.acceptance.cli.command import complaint, here
from tests.acceptance.cli.conftest import Written

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

_COUNTS = "SELECT arm, count(*) AS trials FROM v1_trials GROUP BY arm HAVING trials > 2 ORDER BY arm"


def test_an_answer_is_a_table_json_or_csv(written: Written) -> None:
    table, as_json, as_csv = (
        here("sql", _COUNTS, *form, data=written.data)
        for form in ((), ("--format", "json"), ("--format", "csv"))
    )

    assert [["arm", "trials"], ["blind", "8"], ["single", "10"]] == [
        line.split() for line in table.out.splitlines()
    ]
    assert [{"arm": "blind", "trials": 8}, {"arm": "single", "trials": 10}] == json.loads(as_json.out)
    assert "arm,trials\nblind,8\nsingle,10\n" == as_csv.out


def test_lists_and_structs_are_json_inside_a_csv_field(written: Written) -> None:
    question = "SELECT ['a', NULL] AS list, {'x': 2} AS struct, NULL::INT[] AS none"
    answer = here("sql", question, "--format", "csv", data=written.data)
    (row,) = csv.DictReader(io.StringIO(answer.out))

    assert (["a", None], {"x": 2}) == (json.loads(row["list"]), json.loads(row["struct"]))
    assert "" == row["none"]


def test_text_that_looks_like_markup_is_shown_as_it_is(written: Written) -> None:
    answer = here("sql", "SELECT '[bold]x[/bold]' AS \"[red]\", NULL AS nothing", data=written.data)

    assert [["[red]", "nothing"], ["[bold]x[/bold]", "null"]] == [
        line.split() for line in answer.out.splitlines()
    ]


def test_a_question_may_come_on_standard_input(written: Written) -> None:
    with mock.patch("sys.stdin", io.StringIO("SELECT 41 + 1 AS answer")):
        answer = here("sql", "--format", "csv", data=written.data)

    assert "answer\n42\n" == answer.out


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("SELECT nope FROM v1_trials", 'Referenced column "nope" not found'),
        ("SELECT * FROM v1_trails", "v1_trails"),
        ("SELEC 1", 'syntax error at or near "SELEC"'),
        ("", "give one statement at a time, not 0"),
        ("SELECT 1; SELECT 2", "give one statement at a time, not 2"),
    ],
)
def test_a_bad_question_is_answered_with_what_is_wrong(question: str, said: str, written: Written) -> None:
    outcome = here("sql", question, data=written.data)

    assert 5 == outcome.code
    assert "" == outcome.out
    assert said in complaint(outcome) or said in outcome.err


@pytest.mark.parametrize(
    "question",
    [
        "DELETE FROM events",
        "UPDATE events SET type = 'x'",
        "CREATE TABLE mine (a INT)",
        "DROP VIEW v1_trials",
        "COPY (SELECT 1) TO 'stolen.csv'",
        "ATTACH 'other.duckdb'",
        "INSTALL httpfs",
        "SET threads = 1",
        "PRAGMA database_list",
    ],
)
def test_a_question_cannot_write(question: str, written: Written) -> None:
    outcome = here("sql", question, data=written.data)

    assert 5 == outcome.code
    assert "read-only" in complaint(outcome)


@pytest.mark.parametrize("function", ["read_csv", "read_text", "read_parquet"])
def test_a_question_cannot_read_other_files(function: str, written: Written, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a,b\n1,2\n")
    outcome = here("sql", f"SELECT * FROM {function}('{tmp_path / 'secret'}')", data=written.data)

    assert 5 == outcome.code
    assert "disabled" in complaint(outcome)


def test_a_question_that_takes_too_long_is_given_up(written: Written) -> None:
    question = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range % 7 = b.range % 5"
    outcome = here("sql", question, "--timeout", "0.2", data=written.data)

    assert 5 == outcome.code
    assert "longer than 0.2 s" in complaint(outcome)
