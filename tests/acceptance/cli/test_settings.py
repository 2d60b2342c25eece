"""What the command says about itself before anything is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from nightschool.cli.main import _COMMANDS
from tests.acceptance.cli.command import complaint, here, process

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

_SECRET = "sk-ant-not-to-be-shown"


def test_help_names_every_command_and_touches_nothing(tmp_path: Path) -> None:
    outcome = process("--help", data=tmp_path / "data")
    entries = [
        line.split()[0]
        for line in outcome.out.partition("Commands:")[2].partition("Examples:")[0].splitlines()
        if line[2:3].strip()
    ]

    assert (0, "") == (outcome.code, outcome.err)
    assert sorted(_COMMANDS) == entries
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("command", [*_COMMANDS, "import tau-bench"])
def test_every_command_has_help(command: str) -> None:
    outcome = here(*command.split(), "--help")

    assert 0 == outcome.code
    assert f"Usage: nightschool {command}" in outcome.out


@pytest.mark.parametrize("variable", ["ANTHROPIC_API_KEY", "NIGHTSCHOOL_API_KEY"])
def test_config_says_that_there_is_a_key_and_never_which(variable: str, tmp_path: Path) -> None:
    without, with_key = here("config", data=tmp_path), here("config", data=tmp_path, **{variable: _SECRET})

    assert "not set (the `reader` brain needs none)" in without.out
    assert ["API", "key", "set"] in [line.split() for line in with_key.out.splitlines()]
    assert _SECRET not in with_key.out + with_key.err


def test_the_command_line_outranks_the_environment(tmp_path: Path) -> None:
    outcome = here("--data", str(tmp_path / "mine"), "config", data=tmp_path / "theirs")

    assert str(tmp_path / "mine") in outcome.out
    assert str(tmp_path / "theirs") not in outcome.out


def test_a_setting_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    outcome = here("config", data=tmp_path, NIGHTSCHOOL_RETENTION_DAYS="soon")

    assert 5 == outcome.code
    assert "NIGHTSCHOOL_RETENTION_DAYS is 'soon'" in complaint(outcome)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nope"], "No such command 'nope'"),
        (["import", "nope"], "No such command 'nope'"),
        (["run"], "name a SUITE to run, or an experiment to --resume"),
        (["run", "letters", "--arms", ""], "name at least one arm"),
        (["run", "letters", "--repeats", "0"], "0 is not in the range x>=1"),
        (["run", "letters", "--repeats", "two"], "'two' is not a valid integer"),
        (["run", "letters", "--tier", "wild"], "is not one of 'strict', 'standard', 'lenient'"),
        (["sql", "SELECT 1", "--format", "xml"], "is not one of 'table', 'json', 'csv'"),
        (["review"], "Missing argument 'DOCUMENT'"),
        (["trace"], "Missing argument 'SESSION'"),
    ],
)
def test_a_command_line_that_is_not_understood_ends_with_2(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    outcome = here(*arguments, data=tmp_path / "data")

    assert 2 == outcome.code
    assert said in outcome.err
    assert "Traceback" not in outcome.err
    assert not (tmp_path / "data").exists()
