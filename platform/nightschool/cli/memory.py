"""`nightschool memory`: what is remembered, where it comes from, and how to take it back."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from nightschool.bootstrap import Workspace, open_workspace
from nightschool.cli.attack import attack
from nightschool.cli.cold import put_away
from nightschool.cli.console import json_option, messages, results, show_json
from nightschool.core.errors import InvalidInput, StoreUnwritable
from nightschool.dreaming.rules import RULES, rules_named
from nightschool.memory.action import action_of
from nightschool.memory.heads import DEFAULT_NAME, Heads
from nightschool.memory.memory import ATTRIBUTES, Attributes, Memory, State
from nightschool.memory.recall import Query, Recaller, RecallRules
from nightschool.memory.store import MemoryStore
from nightschool.memory.versions import MemoryVersion
from nightschool.settings import Settings

__all__ = ["export", "history", "list_", "memory", "recall", "redact", "restore", "show", "write"]

_named = click.option("--store", "name", default=DEFAULT_NAME, show_default=True, help="Which store.")
_CANDIDATES = 12
_KEPT = click.Choice([str(State.ACTIVE), str(State.ARCHIVED)], case_sensitive=False)
_RULES = click.Choice(sorted(RULES))


@click.group()
def memory() -> None:
    """Look at memories, write one by hand, take one back for good."""


@contextmanager
def _open(settings: Settings, name: str, *, read_only: bool) -> Iterator[MemoryStore]:
    with open_workspace(settings, read_only=read_only) as workspace:
        yield _store(workspace, name)


def _store(workspace: Workspace, name: str) -> MemoryStore:
    head = Heads(journal=workspace.journal, clock=workspace.clock).get(name)
    return MemoryStore(
        journal=workspace.journal, clock=workspace.clock, ids=workspace.ids, store_id=head.store_id
    )


@memory.command(name="list")
@_named
@click.option("--all", "show_all", is_flag=True, help="Hidden ones too: candidates, archived, expired ...")
@json_option
@click.pass_obj
def list_(settings: Settings, *, name: str, show_all: bool, as_json: bool) -> None:
    """List the memories of a store, the surest first."""
    with _open(settings, name, read_only=True) as store:
        found = sorted(
            store.memories().values() if store.exists else (),
            key=lambda each: (-each.attributes.confidence, each.path),
        )
    chosen = [each for each in found if show_all or each.is_recallable]
    if as_json:
        show_json([_json(each) for each in chosen])
        return
    table = Table("path", "kind", "state", "sure", "for", "against", "says", box=None)
    for each in chosen:
        known = each.attributes
        table.add_row(
            escape(each.path),
            known.kind,
            known.state,
            f"{known.confidence:.2f}",
            f"{known.successes:g}",
            f"{known.failures:g}",
            escape(each.text[:100] if not each.is_redacted else "(redacted)"),
        )
    results().print(table)
    hidden = len(found) - len(chosen)
    if hidden:
        messages().print(f"{hidden} more are not recalled; --all shows them")


@memory.command()
@click.argument("path")
@_named
@json_option
@click.pass_obj
def show(settings: Settings, *, path: str, name: str, as_json: bool) -> None:
    """Show the memory at PATH: its text, and every session and event it goes back to."""
    with _open(settings, name, read_only=True) as store:
        found = store.memory(path)
    if as_json:
        show_json(_json(found))
        return
    known = found.attributes
    console = results()
    console.print(found.text if not found.is_redacted else "(redacted)", markup=False)
    console.print(
        f"\n{known.kind}, {known.tier}, {known.state}; sure {known.confidence:.2f}"
        f" ({known.successes:g} for, {known.failures:g} against); version {found.version},"
        f" hash {found.sha256}",
        markup=False,
    )
    for label, value in (
        ("why", known.reason),
        ("scope", known.scope),
        ("expires", known.expires_at),
        ("worded by", known.worded_by),
    ):
        if value:
            console.print(f"{label}: {value}", markup=False)
    links = (
        *known.conflicts_with,
        *known.merges,
        *known.supersedes,
        *([known.superseded_by] if known.superseded_by else ()),
    )
    for link in links:
        console.print(f"linked with {link}", markup=False)
    for each in (*known.evidence, *known.outcomes):
        ended = "passed" if each.passed else "failed"
        console.print(f"{each.session_id}  {each.event_id}  {ended}  {each.label}", markup=False)


@memory.command()
@click.argument("path")
@_named
@json_option
@click.pass_obj
def history(settings: Settings, *, path: str, name: str, as_json: bool) -> None:
    """Show every version the memory at PATH ever had."""
    with _open(settings, name, read_only=True) as store:
        versions = store.history(path)
    if not versions:
        raise InvalidInput(f"there never was a memory at {path} in the store {name!r}")
    if as_json:
        show_json([_version_json(each) for each in versions])
        return
    table = Table("version", "when", "what", "by", "hash", "says", box=None)
    for each in versions:
        when = "" if each.at is None else f"{each.at:%Y-%m-%d %H:%M:%S}"
        table.add_row(
            str(each.number), when, each.operation, each.actor, each.sha256[:12], escape(_said(each))
        )
    results().print(table)


def _version_json(version: MemoryVersion) -> dict[str, Any]:
    return {
        "version": version.number,
        "at": version.at,
        "what": version.operation,
        "actor": version.actor,
        "dream_id": version.dream_id,
        "sha256": version.sha256,
        "text": version.text,
        "event_id": version.event_id,
    }


def _said(version: MemoryVersion) -> str:
    if version.operation == "deleted":
        return ""
    return "(redacted)" if version.text is None else version.text[:100]


@memory.command()
@click.argument("path")
@click.argument("text", required=False)
@_named
@click.option("--task-type", default="", help="The type of task it is for; all when absent.")
@click.option("--if-hash", "expected", help="Only when the present text has this hash.")
@json_option
@click.pass_obj
def write(  # one parameter per option
    settings: Settings,
    *,
    path: str,
    text: str | None,
    name: str,
    task_type: str,
    expected: str | None,
    as_json: bool,
) -> None:
    """Write TEXT (standard input when absent) to PATH as a new version."""
    said = text if text is not None else sys.stdin.read()
    with _open(settings, name, read_only=False) as store:
        store.create(name)
        present = store.memories().get(path)
        # What is known of an earlier version, its expiry too, holds for the new one.
        known = Attributes() if present is None else present.attributes
        attributes = replace(known, task_type=task_type or known.task_type, action=action_of(said))
        written = store.write(path, said, attributes, expected_sha256=expected, actor="user")
    if as_json:
        show_json(_json(written))
    else:
        results().print(f"{path} version {written.version}, hash {written.sha256}", markup=False)


@memory.command()
@click.argument("path")
@_named
@click.option("--state", type=_KEPT, default="active", show_default=True)
@json_option
@click.pass_obj
def restore(settings: Settings, *, path: str, name: str, state: str, as_json: bool) -> None:
    """Make the memory at PATH active again, or archive it by hand."""
    with open_workspace(settings) as workspace:
        store = _store(workspace, name)
        found = store.memory(path)
        if found.is_redacted:
            raise InvalidInput(f"the text of {path} was removed for good; there is nothing to restore")
        known = replace(
            found.attributes, state=State(state), superseded_by="", expires_at="", reason=f"{state} by hand"
        )
        written = store.write(path, found.text, known, expected_sha256=found.sha256, actor="user")
        put_away(workspace)
    if as_json:
        show_json(_json(written))
    else:
        results().print(f"{path} is {state}", markup=False)


@memory.command()
@click.argument("path")
@_named
@click.option("--reason", default="", help="Kept on record.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def redact(settings: Settings, *, path: str, name: str, reason: str, yes: bool, as_json: bool) -> None:
    """Remove the text of every version of PATH for good; that there was one stays on record."""
    with _open(settings, name, read_only=False) as store:
        hashes = dict.fromkeys(each.sha256 for each in store.history(path) if each.text is not None)
        if not hashes:
            raise InvalidInput(f"there is no text at {path} in the store {name!r} that could be removed")
        if not yes:
            click.confirm(f"Remove {len(hashes)} texts for good?", abort=True)
        for sha256 in hashes:
            store.redact(sha256, actor="user", reason=reason)
    if as_json:
        show_json({"path": path, "redacted": list(hashes), "reason": reason})
        return
    results().print(f"{len(hashes)} texts of {path} are gone from every store", markup=False)
    messages().print(
        "Sessions that recalled it keep it in their log: find them with `nightschool sql` in v1_events"
        " (type memory.recalled) and `nightschool delete` them."
    )


@memory.command()
@click.argument("task")
@_named
@click.option("--task-type", default="", help="The type of task; memories of other types are left out.")
@click.option("--tenant", default="", help="Whose task; memories of others are left out.")
@click.option("--rules", "rules_name", default="sharpened", show_default=True, type=_RULES)
@json_option
@click.pass_obj
def recall(  # one parameter per option
    settings: Settings,
    *,
    task: str,
    name: str,
    task_type: str,
    tenant: str,
    rules_name: str,
    as_json: bool,
) -> None:
    """Show which memories a session with TASK would be given, and why the others not."""
    from nightschool.models.embed import MiniLmEmbedder

    rules = RecallRules(bounded=rules_named(rules_name).bounded_recall)
    with _open(settings, name, read_only=True) as store:
        recaller = Recaller.over(store.memories() if store.exists else {}, MiniLmEmbedder(), rules)
        query = Query(text=task, task_type=task_type, tenant=tenant)
        found = recaller.recall(query, now=store.clock.now())
    if as_json:
        show_json({"tokens": found.tokens, "candidates": [each.as_facts() for each in found.considered]})
        return
    table = Table("score", "like", "words", "sure", "recent", "path", "left out because", box=None)
    for each in found.considered[:_CANDIDATES]:
        factors = (each.score, each.likeness, each.lexical, each.confidence, each.recency)
        table.add_row(*(f"{value:.2f}" for value in factors), escape(each.memory.path), each.left_out)
    results().print(table)
    results().print(f"{len(found.chosen)} recalled, {found.tokens} tokens")


@memory.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@_named
@json_option
@click.pass_obj
def export(settings: Settings, *, folder: Path, name: str, as_json: bool) -> None:
    """Write a store into FOLDER: one text file per memory, and memories.json with all that is known."""
    with _open(settings, name, read_only=True) as store:
        memories = store.memories()
    try:
        for path, each in memories.items():
            file = folder / f"{path.lstrip('/')}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(each.text, encoding="utf-8")
        folder.mkdir(parents=True, exist_ok=True)
        index = json.dumps([_json(each) for each in memories.values()], indent=2, ensure_ascii=False)
        (folder / "memories.json").write_text(index, encoding="utf-8")
    except OSError as error:
        raise StoreUnwritable(f"{folder} cannot be written: {error.strerror}", path=str(folder)) from error
    if as_json:
        show_json({"folder": str(folder), "memories": len(memories)})
    else:
        results().print(f"{len(memories)} memories written to {folder}")


def _json(each: Memory) -> dict[str, Any]:
    return {
        "path": each.path,
        "text": None if each.is_redacted else each.text,
        "version": each.version,
        "sha256": each.sha256,
        "dream_id": each.dream_id,
        "confidence": each.attributes.confidence,
        "successes": each.attributes.successes,
        "failures": each.attributes.failures,
        **ATTRIBUTES.dump_python(each.attributes, mode="json"),
    }


memory.add_command(attack)
