"""The `nightschool` command: its subcommands by name, and how their errors end.

A subcommand's module is imported only when it is called, so that `--help` needs no database and no model.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from difflib import get_close_matches
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from nightschool import __version__
from nightschool.cli.console import show_error
from nightschool.cli.examples import with_examples
from nightschool.cli.exits import Exit, exit_code
from nightschool.core.errors import NightschoolError
from nightschool.settings import read_settings

__all__ = ["cli", "main"]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a subcommand is defined, and what it is for."""

    module: str
    function: str
    help: str


_COMMANDS: Final = {
    "agents": _Place("agents", "agents", "Keep agents by name and version."),
    "archive": _Place("storage", "archive", "Move old sessions into Parquet; the views still read them."),
    "compare": _Place(
        "compare", "compare", "Say which arm of an experiment did better, or that nobody can tell."
    ),
    "completion": _Place("completion", "completion", "Print the script that completes commands in a shell."),
    "config": _Place("config", "config", "Show the settings in force."),
    "delete": _Place("storage", "delete", "Delete a session and all that it started, everywhere."),
    "demo": _Place("run", "demo", "Compare three ways of routing work on 24 contracts, offline."),
    "doctor": _Place("doctor", "doctor", "Look for what is wrong with the data folder and say what to do."),
    "dream": _Place("dream", "dream", "Learn from the sessions: what fails, what works, what is needless."),
    "experiments": _Place("experiments", "experiments", "List the experiments stored here."),
    "export": _Place("storage", "export", "Write the whole log as JSON lines and Parquet, to take it away."),
    "gate": _Place("gate", "gate", "Say whether an experiment lets a change pass, by exit code."),
    "fixtures": _Place("fixtures", "fixtures", "Make data to try things on, of any size."),
    "grader": _Place("grader", "grader", "Say how far verdicts can be trusted."),
    "import": _Place("importing", "import_", "Bring transcripts or an exported log into this one."),
    "open": _Place("open", "open_", "Open the dashboard in a browser, at an experiment if one is named."),
    "permit": _Place("permit", "permit", "Allow or deny a tool call that waits for a person's word."),
    "plan": _Place("plan", "plan", "Look at plans, of tasks and of experiments, and have them done."),
    "memory": _Place("memory", "memory", "Look at memories, write one by hand, take one back for good."),
    "prune": _Place("storage", "prune", "Delete what is older than the retention setting."),
    "regrade": _Place("regrade", "regrade", "Score recorded answers anew, without asking any model."),
    "report": _Place("page", "report", "Write an experiment as one page to keep and pass on."),
    "review": _Place("review", "review", "Review a contract of your own against the playbook."),
    "run": _Place("run", "run", "Run an experiment, or finish an interrupted one."),
    "sql": _Place("sql", "sql", "Ask the log a question in SQL."),
    "suite": _Place("suite", "suite", "Begin a suite of your own, or check one."),
    "sync": _Place("sync", "sync", "Copy what is new in the journal into the warehouse."),
    "trace": _Place("trace", "trace", "Show what happened in one session, event by event."),
    "verify": _Place("doctor", "verify", "Check that every stored event is what was written."),
}


class _LazyGroup(click.Group):
    """Imports a subcommand when it is called; the list of them needs no import."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        place = _COMMANDS.get(cmd_name)
        if place is None:
            return None
        module = importlib.import_module(f"nightschool.cli.{place.module}")
        return with_examples(getattr(module, place.function), cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.help) for name, place in sorted(_COMMANDS.items())])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name those that sound like it."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            meant = get_close_matches(args[0], _COMMANDS, n=3, cutoff=0.55)
            if not meant:
                raise
            guess = f"{error.message} Did you mean {' or '.join(meant)}?"
            raise click.UsageError(guess, ctx) from error


_EPILOG: Final = """\b
Examples:
  nightschool demo                       compare three ways of working, offline
  nightschool compare LAST               what the newest experiment found
  nightschool open LAST                  the same in a browser
  nightschool sql "FROM v1_trials"       any question to the log
  nightschool -q run contracts --arms single,subagents | tail -1

\b
Exit codes:
  0 success          1 unexpected, or trials without a result    2 not understood
  3 worse (--gate)   4 cannot be told apart (--gate)             5 what was given cannot be used
  6 a store cannot be used                                       130 stopped; it can be resumed

\b
Environment:
  NIGHTSCHOOL_DATA and others; `nightschool config` shows them all, and what is in force.

\b
Completion of commands and options: nightschool completion bash|zsh|fish
"""


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EPILOG)
@click.version_option(__version__, prog_name="nightschool")
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="The data folder (default: NIGHTSCHOOL_DATA, or data).",
)
@click.option("-q", "--quiet", is_flag=True, help="Results and errors only: no progress, no remarks.")
@click.option("--base-url", help="A server that speaks the Messages API (default: NIGHTSCHOOL_BASE_URL).")
@click.pass_context
def cli(ctx: click.Context, *, data: Path | None, base_url: str | None, quiet: bool) -> None:  # noqa: ARG001
    """Run multi-agent systems, grade them, and say what each part is worth."""
    ctx.obj = read_settings(data=data, base_url=base_url)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with a code of `nightschool.cli.exits`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a minus or a dash shows a question mark, not a traceback.
            stream.reconfigure(errors="replace")
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    try:
        result: Any = cli.main(args=arguments, prog_name="nightschool", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return int(Exit.USAGE)
    except (click.Abort, KeyboardInterrupt):
        return int(Exit.INTERRUPTED)
    except NightschoolError as error:
        show_error(error)
        return int(exit_code(error))
    return int(result) if isinstance(result, int) else int(Exit.SUCCESS)
