"""From a run to what it found: the commands of the first minute."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.cli.command import complaint, here, process
from tests.acceptance.cli.conftest import Written

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]


_ARMS = ("single", "subagents", "orchestrated")


def _experiments(data: Path) -> list[dict[str, Any]]:
    query = "SELECT experiment_id, suite, expected, recorded, errored FROM v1_experiments ORDER BY created_at"
    rows: list[dict[str, Any]] = json.loads(here("sql", query, "--format", "json", data=data).out)
    return rows


def test_a_run_says_what_it_does_what_it_found_and_where_that_is(written: Written) -> None:
    out, err = written.contracts.out, written.contracts.err

    assert 0 == written.contracts.code, err
    assert "contracts · 2 documents × 3 arms × 1 repeats · brain reader (no language model) · exp_" in out
    assert set(_ARMS) <= {line.split()[0] for line in out.splitlines()}
    assert "orchestrated − single" in out
    assert f"stored in {written.data / 'nightschool.duckdb'}" in out
    assert "6/6" in err and "6/6" not in out


def test_a_second_run_is_a_second_experiment(written: Written) -> None:
    rows = [
        (row["suite"], row["expected"], row["recorded"], row["errored"]) for row in _experiments(written.data)
    ]

    assert 0 == written.letters.code, written.letters.err
    assert [("contracts", 6, 6, 0), ("letters", 16, 16, 0)] == rows


def test_experiments_lists_whole_ids_oldest_first(written: Written) -> None:
    ids = [row["experiment_id"] for row in _experiments(written.data)]
    lines = here("experiments", data=written.data, COLUMNS="60").out.splitlines()

    assert ids == [word for line in lines for word in line.split() if word.startswith("exp_")]


def test_compare_gives_counts_means_intervals_and_verdicts_as_json(written: Written) -> None:
    report = json.loads(here("compare", "LAST", "--json", data=written.data).out)

    assert ["single", "blind"] == [arm["arm"] for arm in report["arms"]]
    for arm in report["arms"]:
        low, high = arm["interval"]
        assert (8, 8, 8, 0) == tuple(arm[count] for count in ("n", "expected", "recorded", "errored"))
        assert low <= arm["mean"] <= high
    (contrast,) = [each for each in report["contrasts"] if each["role"] == "confirmatory"]
    low, high = contrast["interval"]
    assert ("blind", "single", "worse") == tuple(contrast[f] for f in ("treatment", "baseline", "verdict"))
    assert low <= contrast["difference"] <= high < 0
    assert 2 / 2**8 == contrast["p"]


def test_compare_names_an_experiment_by_the_beginning_of_its_id(written: Written) -> None:
    first = _experiments(written.data)[0]["experiment_id"]
    shown = here("compare", first[:-3], data=written.data)

    assert 0 == shown.code
    assert "orchestrated − single" in shown.out


@pytest.mark.parametrize(("experiment", "code"), [("LAST", 3), (0, 4)], ids=["worse", "cannot be told"])
def test_the_gate_tells_a_pipeline_what_the_verdict_means(
    experiment: str | int, code: int, written: Written
) -> None:
    name = (
        experiment if isinstance(experiment, str) else _experiments(written.data)[experiment]["experiment_id"]
    )

    assert code == here("compare", name, "--gate", data=written.data).code
    assert 0 == here("compare", name, data=written.data).code


def test_the_gate_is_open_when_every_arm_is_better(tmp_path: Path) -> None:
    assert 0 == here("run", "letters", "--arms", "blind,single", "--repeats", "1", data=tmp_path).code

    assert 0 == here("compare", "--gate", data=tmp_path).code


def test_a_session_is_shown_event_by_event(written: Written) -> None:
    question = "SELECT session_id FROM v1_sessions WHERE arm = 'single' ORDER BY started_at LIMIT 1"
    session = json.loads(here("sql", question, "--format", "json", data=written.data).out)[0]["session_id"]
    short, full = (here("trace", session, *more, data=written.data).out for more in ((), ("--full",)))

    assert "read_section" in short and "submit_findings" in short
    assert "--full shows all" in short and "--full shows all" not in full
    assert len(full) > len(short)


def test_a_terminal_that_knows_no_minus_still_gets_its_answer(written: Written) -> None:
    outcome = process("compare", data=written.data, PYTHONIOENCODING="ascii")

    assert (0, "") == (outcome.code, outcome.err)
    assert "blind ? single" in outcome.out


def test_what_only_looks_makes_no_folder(tmp_path: Path) -> None:
    """A mistyped name must not look like an empty success, nor leave a folder behind."""
    nowhere = tmp_path / "mistyped"
    for command in (["compare"], ["sql", "SELECT 1"], ["trace", "sesn_x"], ["verify"]):
        assert f"there is nothing in {nowhere} yet" in complaint(here(*command, data=nowhere))
    assert "no experiment" in here("experiments", data=nowhere).err

    assert not nowhere.exists()
