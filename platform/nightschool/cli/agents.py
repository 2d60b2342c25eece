"""`nightschool agents`: the registry of agents."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape
from rich.table import Table

from nightschool.bootstrap import agent_registry, open_workspace
from nightschool.cli.console import results
from nightschool.core.errors import InvalidInput, NotFound
from nightschool.settings import Settings

__all__ = ["agents", "apply", "list_", "show"]


@click.group()
def agents() -> None:
    """Keep agents by name and version."""


@agents.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.pass_obj
def apply(settings: Settings, *, files: tuple[Path, ...]) -> None:
    """Make each of FILES (Markdown with front matter) the latest version of its agent."""
    texts = [(file, _text(file)) for file in files]
    with open_workspace(settings) as workspace:
        registry = agent_registry(workspace)
        for file, text in texts:
            applied = registry.apply(text, name=str(file))
            what = "" if applied.is_new else ", unchanged"
            results().print(f"{applied.agent.name} version {applied.agent.version}{what}", markup=False)


@agents.command("list")
@click.pass_obj
def list_(settings: Settings) -> None:
    """List the agents, each in its latest version."""
    with open_workspace(settings, read_only=True) as workspace:
        found = agent_registry(workspace).latest()
    table = Table("agent", "version", "model", "tools", "asks for", "may write", "applied", box=None)
    for each in found:
        agent = each.agent
        lists = (escape(", ".join(names)) or "—" for names in (agent.tools, agent.ask, agent.permissions))
        when = each.applied_at.strftime("%Y-%m-%d %H:%M")
        table.add_row(escape(agent.name), str(agent.version), agent.model or "the run's", *lists, when)
    results().print(table if found else "no agents yet; `nightschool agents apply FILE` adds one")


@agents.command()
@click.argument("name")
@click.option("--version", type=click.IntRange(min=1), help="A version (default: the latest).")
@click.pass_obj
def show(settings: Settings, *, name: str, version: int | None) -> None:
    """Print the file of agent NAME."""
    with open_workspace(settings, read_only=True) as workspace:
        applied = agent_registry(workspace).get(name, version)
    results().print(applied.text, markup=False, end="" if applied.text.endswith("\n") else "\n")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"no agent file {path}", path=str(path)) from error
    except (IsADirectoryError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not a text file", path=str(path)) from error
