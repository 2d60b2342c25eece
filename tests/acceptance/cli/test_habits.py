"""What every command has in common: JSON for programs, silence on request, help that helps."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click
import pytest

from docs import generate
from nightschool.cli.examples import EXAMPLES
from nightschool.cli.main import cli
from tests.acceptance.cli.command import here, process
from tests.acceptance.cli.conftest import Written

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

WITHOUT_JSON = {"completion", "open", "plan make", "report", "suite new"}
"""Scripts, pages and files."""
LEAVES = {
    context.command_path.removeprefix("nightschool "): context.command
    for context in generate.commands()
    if not isinstance(context.command, click.Group)
}
READING = (
    "agents list",
    "compare LAST",
    "config",
    "doctor",
    "dream list",
    "experiments",
    "gate LAST",
    "grader label",
    "memory list",
    "permit",
    "prune",
    "regrade LAST --dry-run",
    "sql 'SELECT 1 AS one'",
    "sync",
    "verify",
)


@pytest.mark.parametrize("path", sorted(LEAVES.keys() - WITHOUT_JSON))
def test_a_command_can_answer_in_json(path: str) -> None:
    options = {name for parameter in LEAVES[path].params for name in parameter.opts}

    assert {"--json", "--format"} & options


@pytest.mark.parametrize("line", [name for name in READING if " '" not in name])
def test_what_is_said_in_json_is_json_and_nothing_else(line: str, written: Written) -> None:
    outcome = here("-q", *line.split(), "--json", data=written.data)

    assert "" == outcome.err
    assert outcome.code in ({0, 1} if line.startswith("gate") else {0})  # a gate speaks by its code too
    assert json.loads(outcome.out) is not None


def test_an_answer_of_sql_in_json_has_two_names(written: Written) -> None:
    assert [{"one": 1}] == json.loads(here("sql", "SELECT 1 AS one", "--json", data=written.data).out)


def test_a_trace_in_json_is_the_events_as_they_were_written(written: Written) -> None:
    query = "SELECT session_id, events FROM v1_sessions ORDER BY session_id LIMIT 1"
    (session,) = json.loads(here("sql", query, "--json", data=written.data).out)

    events = json.loads(here("trace", session["session_id"], "--json", data=written.data).out)

    assert session["events"] == len(events)
    assert "session.created" == events[0]["type"]


def test_a_run_in_json_is_one_object_and_its_progress_goes_to_standard_error(tmp_path: Path) -> None:
    arguments = ("run", "letters", "--arms", "single,blind", "--samples", "letter-1", "--repeats", "1")

    outcome = here(*arguments, "--json", data=tmp_path / "data")
    found = json.loads(outcome.out)

    assert 0 == outcome.code, outcome.err
    assert ("nightschool.run/1", 2, 2, 0) == tuple(
        found[name] for name in ("schema", "expected", "completed", "errored")
    )
    assert found["experiment_id"] == found["report"]["experiment_id"]
    assert ["single", "blind"] == [arm["arm"] for arm in found["report"]["arms"]]
    assert found["experiment_id"] in outcome.err


def test_quiet_leaves_out_remarks_and_keeps_results(written: Written) -> None:
    arguments = ("sql", "SELECT * FROM range(300)")

    loud, quiet = here(*arguments, data=written.data), here("--quiet", *arguments, data=written.data)

    assert "200 of 300 rows shown" in loud.err
    assert ("", loud.out) == (quiet.err, quiet.out)


@pytest.mark.parametrize(
    ("typed", "meant"), [("comprae", "compare"), ("experiment", "experiments"), ("sqll", "sql")]
)
def test_a_mistyped_command_is_told_what_was_meant(typed: str, meant: str) -> None:
    outcome = here(typed)

    assert 2 == outcome.code
    assert f"Did you mean {meant}" in outcome.err


def test_what_sounds_like_nothing_gets_no_guess() -> None:
    assert "Did you mean" not in here("xyzzy").err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_completion_script(shell: str) -> None:
    outcome = here("completion", shell)

    assert 0 == outcome.code
    assert "_NIGHTSCHOOL_COMPLETE" in outcome.out


def test_the_shell_is_told_the_commands_that_begin_so(written: Written) -> None:
    outcome = process(
        data=written.data, _NIGHTSCHOOL_COMPLETE="bash_complete", COMP_WORDS="nightschool exp", COMP_CWORD="1"
    )

    assert ["plain,experiments", "plain,export"] == outcome.out.split()


def test_help_shows_examples_and_exit_codes() -> None:
    out = here("--help").out

    assert "nightschool compare LAST" in out
    assert "130 stopped" in out


@pytest.mark.parametrize("path", sorted(LEAVES))
def test_every_command_shows_examples_that_its_own_parser_reads(path: str) -> None:
    lines = EXAMPLES[path]
    out = here(*path.split(), "--help").out

    for line in lines:
        assert line in out
        words = shlex.split(line.partition(" | ")[0].partition(" > ")[0].partition(" < ")[0])
        if not line.startswith("eval"):
            command, arguments = _command_in(words)
            assert path.rsplit(maxsplit=1)[-1] == command.name
            command.make_parser(click.Context(command)).parse_args(arguments)


def _command_in(words: list[str]) -> tuple[click.Command, list[str]]:
    """Return the command that a line names, and what it is given."""
    command: click.Command = cli
    while isinstance(command, click.Group):
        context = click.Context(command)
        _, words, _ = command.make_parser(context).parse_args(words)
        _, found, words = command.resolve_command(context, words)
        assert found is not None
        command = found
    return command, words


def test_no_example_is_kept_for_a_command_that_is_gone() -> None:
    assert set(LEAVES) == set(EXAMPLES)
