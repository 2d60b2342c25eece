"""`nightschool agents`: the registry of agents."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import anyio
import click
from rich.markup import escape
from rich.table import Table

from nightschool.bootstrap import agent_registry, open_workspace
from nightschool.cli.console import json_option, results, show_json
from nightschool.core.errors import InvalidInput, NotFound
from nightschool.registry.agents import parse_agent
from nightschool.registry.history import record_applied
from nightschool.registry.versions import Applied
from nightschool.settings import Settings

__all__ = ["agents", "apply", "list_", "show"]


@click.group()
def agents() -> None:
    """Keep agents by name and version."""


@agents.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def apply(settings: Settings, *, files: tuple[Path, ...], as_json: bool) -> None:
    """Make each of FILES (Markdown with front matter) the latest version of its agent."""
    texts = [(file, _text(file)) for file in files]
    with open_workspace(settings) as workspace:
        registry = agent_registry(workspace)
        for file, text in texts:
            # All are read before one is applied: a file that is no agent leaves nothing half done.
            parse_agent(text, name=str(file))
        applied = [registry.apply(text, name=str(file)) for file, text in texts]
        anyio.run(record_applied, workspace.log, applied)
        workspace.warehouse.sync(workspace.journal)
    if as_json:
        show_json([{**_as_json(each), "is_new": each.is_new} for each in applied])
        return
    for each in applied:
        what = "" if each.is_new else ", unchanged"
        results().print(f"{each.agent.name} version {each.agent.version}{what}", markup=False)


@agents.command("list")
@json_option
@click.pass_obj
def list_(settings: Settings, *, as_json: bool) -> None:
    """List the agents, each in its latest version."""
    with open_workspace(settings, read_only=True) as workspace:
        found = agent_registry(workspace).latest()
    if as_json:
        show_json([_as_json(each) for each in found])
        return
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
@json_option
@click.pass_obj
def show(settings: Settings, *, name: str, version: int | None, as_json: bool) -> None:
    """Print the file of agent NAME."""
    with open_workspace(settings, read_only=True) as workspace:
        applied = agent_registry(workspace).get(name, version)
    if as_json:
        show_json({**_as_json(applied), "text": applied.text})
        return
    results().print(applied.text, markup=False, end="" if applied.text.endswith("\n") else "\n")


def _as_json(applied: Applied) -> dict[str, Any]:
    agent = applied.agent
    return {
        "name": agent.name,
        "version": agent.version,
        "description": agent.description,
        "model": agent.model,
        "tools": list(agent.tools),
        "permissions": list(agent.permissions),
        "limits": {name: value for name, value in asdict(agent.limits).items() if value is not None},
        "context_limit_tokens": agent.context_limit_tokens,
        "applied_at": applied.applied_at.isoformat(),
    }


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"no agent file {path}", path=str(path)) from error
    except (IsADirectoryError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not a text file", path=str(path)) from error
