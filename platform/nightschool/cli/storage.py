"""What leaves the data folder and what comes in: export, archive, delete, prune."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

import click

from nightschool.bootstrap import Workspace, connect_reader, open_workspace
from nightschool.cli.cold import put_away
from nightschool.cli.console import json_option, messages, results, show_json
from nightschool.core.errors import NotFound
from nightschool.dreaming.forget import forget_sessions
from nightschool.journal.deletion import delete_sessions as delete_from_journal
from nightschool.settings import Settings
from nightschool.warehouse.export import export_log
from nightschool.warehouse.reader import open_warehouse
from nightschool.warehouse.retention import archive as move_to_cold_storage
from nightschool.warehouse.retention import delete_sessions as delete_from_warehouse
from nightschool.warehouse.retention import family_of, sessions_before

__all__ = ["archive", "delete", "export", "prune"]


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@json_option
@click.pass_obj
def export(settings: Settings, *, folder: Path, as_json: bool) -> None:
    """Write the whole log into a new FOLDER: JSON lines, Parquet, and a manifest with hashes."""
    with open_workspace(settings) as workspace:
        manifest = export_log(folder, workspace.warehouse, workspace.journal)
    if as_json:
        show_json({"folder": folder, "sessions": manifest.sessions, "events": manifest.events})
        return
    results().print(f"{manifest.sessions:,} sessions, {manifest.events:,} events written to {folder}")
    results().print(
        f"bring them into another data folder with: nightschool import log {folder}", markup=False
    )


@click.command()
@click.option(
    "--older-than", "days", required=True, type=click.IntRange(min=1), help="Days without an event."
)
@json_option
@click.pass_obj
def archive(settings: Settings, *, days: int, as_json: bool) -> None:
    """Move old sessions of the warehouse into Parquet files; the same views go on reading them."""
    with open_workspace(settings) as workspace:
        workspace.warehouse.sync(workspace.journal)
        before = workspace.clock.now() - timedelta(days=days)
        moved = move_to_cold_storage(workspace.warehouse, before=before)
    if as_json:
        show_json({"sessions": moved.sessions, "events": moved.events})
        return
    results().print(f"{moved.sessions:,} sessions with {moved.events:,} events moved to cold storage")


@click.command()
@click.argument("session_id", metavar="SESSION")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def delete(settings: Settings, *, session_id: str, yes: bool, as_json: bool) -> None:
    """Delete SESSION and every session it started, from the log and from all that derives from it."""
    with connect_reader(settings) as reader:
        family = family_of(reader, session_id)
    if not family:
        raise NotFound(f"there is no session {session_id} in {settings.data_dir}")
    _confirm(len(family), yes=yes)
    with open_workspace(settings) as workspace:
        _delete(workspace, family, as_json=as_json)


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def prune(settings: Settings, *, yes: bool, as_json: bool) -> None:
    """Delete what is older than the retention setting (NIGHTSCHOOL_RETENTION_DAYS, 90 by default).

    No session is ever deleted but by this command and `delete`; run it from a schedule to keep the promise.
    Texts of memories go to cold storage here too, and are purged when their time is over.
    """
    with open_workspace(settings) as workspace:
        put_away(workspace)
        before = workspace.clock.now() - timedelta(days=settings.retention_days)
        with open_warehouse(settings.warehouse_path, journal=workspace.journal) as reader:
            old = sessions_before(reader, before)
        if not old and as_json:
            show_json({"sessions": 0, "events": 0})
            return
        if not old:
            results().print(f"nothing is older than {settings.retention_days} days")
            return
        _confirm(len(old), yes=yes)
        _delete(workspace, old, as_json=as_json)


def _confirm(sessions: int, *, yes: bool) -> None:
    if not yes:
        click.confirm(f"Delete {sessions} sessions for good?", abort=True)


def _delete(workspace: Workspace, session_ids: Iterable[str], *, as_json: bool) -> None:
    """Delete from the journal first: what is gone there cannot be copied again."""
    sessions = list(session_ids)
    gone = delete_from_journal(workspace.journal, sessions)
    delete_from_warehouse(workspace.warehouse, sessions, upto_position=gone.upto_position)
    forgotten = forget_sessions(workspace.journal, sessions, clock=workspace.clock, ids=workspace.ids)
    if forgotten.removed or forgotten.weakened:
        messages().print(
            f"{forgotten.removed:,} memories that went back to them only are gone,"
            f" {forgotten.weakened:,} lost some of their evidence"
        )
    if as_json:
        show_json({"sessions": len(sessions), "events": gone.events})
    messages().print(f"{len(sessions):,} sessions with {gone.events:,} events deleted")
