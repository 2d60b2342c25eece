"""Transcripts of other systems: each once, however often; and files that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.cli.command import complaint, here

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

_CALL = {"id": "call_1", "type": "function", "function": {"name": "get_user", "arguments": '{"id": 7}'}}
_CONVERSATION = [
    {"role": "system", "content": "# Airline policy"},
    {"role": "user", "content": "Please change my seat."},
    {"role": "assistant", "content": None, "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "call_1", "name": "get_user", "content": "Ada"},
    {"role": "assistant", "content": "Done, Ada."},
]


def _records() -> list[dict[str, Any]]:
    return [
        {"task_id": task, "trial": 0, "reward": reward, "info": {}, "traj": _CONVERSATION}
        for task, reward in enumerate((1.0, 0.0, 1.0))
    ]


def _write(path: Path, records: object) -> str:
    path.write_text(json.dumps(records))
    return str(path)


def _count(data: Path) -> list[dict[str, Any]]:
    question = "SELECT count(*) AS sessions, sum(tool_calls)::INT AS calls FROM v1_sessions"
    counts: list[dict[str, Any]] = json.loads(here("sql", question, "--format", "json", data=data).out)
    return counts


def test_imported_twice_is_imported_once(tmp_path: Path) -> None:
    data, file = tmp_path / "data", _write(tmp_path / "gpt-4o-airline.json", _records())
    first = here("import", "tau-bench", file, data=data)
    once = _count(data)
    second = here("import", "tau-bench", file, data=data)

    assert (0, 0) == (first.code, second.code)
    assert "3 sessions in gpt-4o-airline.json, 3 of them new" in first.out
    assert "3 sessions in gpt-4o-airline.json, 0 of them new" in second.out
    assert [{"sessions": 3, "calls": 3}] == once == _count(data)


def test_an_imported_session_can_be_read(tmp_path: Path) -> None:
    data, file = tmp_path / "data", _write(tmp_path / "gpt-4o-airline.json", _records())
    hint = here("import", "tau-bench", file, data=data).out.splitlines()[-1]
    shown = here(*hint.partition("nightschool ")[2].split(), data=data).out
    places = [shown.index(part) for part in ("change my seat", "get_user", "Ada", "Done, Ada.")]

    assert sorted(places) == places


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ({"traj": []}, "expected a list of records"),
        ([{**_records()[0], "reward": "high"}], "record 0, `reward`: Input should be a valid number"),
        ([_records()[0], {"task_id": 1}], "record 1, `trial`: Field required"),
        (
            [{**_records()[0], "traj": [{"role": "user", "content": 5}]}],
            "record 0, `traj.0.content`: Input should be a valid string",
        ),
        ([{**_records()[0], "traj": [{"role": "judge", "content": ""}]}], "record 0, `traj.0`: "),
        ([_records()[0], _records()[0]], "record 1 repeats record 0"),
    ],
    ids=["no list", "reward", "field lacking", "content", "role", "repeated"],
)
def test_a_file_that_breaks_the_format_is_refused_with_the_place_and_leaves_nothing(
    records: object, said: str, tmp_path: Path
) -> None:
    data, file = tmp_path / "data", _write(tmp_path / "gpt-4o-airline.json", records)
    outcome = here("import", "tau-bench", file, data=data)

    assert 5 == outcome.code
    assert str(file) in complaint(outcome)
    assert f": {said}" in complaint(outcome)
    assert 0 == _count(data)[0]["sessions"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("gpt-4o-airline.json", b'[\n{"task_id": 0,', "line 2: not JSON"),
        ("gpt-4o-airline.json", b'["\xff\xfe\x00"]', "line 1: not JSON"),
        ("results.json", b"[]", "give both with --model and --domain"),
    ],
)
def test_a_file_that_is_no_transcript_is_refused(
    name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    outcome = here("import", "tau-bench", str(tmp_path / name), data=tmp_path / "data")

    assert 5 == outcome.code
    assert said in complaint(outcome)


def test_the_options_say_what_the_files_name_does_not(tmp_path: Path) -> None:
    file = _write(tmp_path / "results.json", _records())
    options = ("--model", "gpt-4o", "--domain", "airline")
    outcome = here("import", "tau-bench", file, *options, data=tmp_path / "data")

    assert 0 == outcome.code
    assert 3 == _count(tmp_path / "data")[0]["sessions"]
