"""What commands do after memories changed: texts that nobody recalls any more go to cold storage."""

from __future__ import annotations

from nightschool.bootstrap import Workspace
from nightschool.cli.console import messages
from nightschool.dreaming.cold_storage import store_cold
from nightschool.dreaming.lifecycle import Lifetimes
from nightschool.settings import Settings

__all__ = ["lifetimes_of", "put_away"]


def lifetimes_of(settings: Settings) -> Lifetimes:
    """Return how long memories live."""
    return Lifetimes(
        unused_days=settings.memory_unused_days,
        hidden_days=settings.memory_hidden_days,
        cold_days=settings.memory_cold_days,
    )


def put_away(workspace: Workspace) -> None:
    """Move texts of cold memories out of the journal, purge those whose time is over, and say so."""
    moved = store_cold(
        workspace.journal,
        clock=workspace.clock,
        ids=workspace.ids,
        lifetimes=lifetimes_of(workspace.settings),
    )
    for count, what in (
        (moved.to_cold, "went to cold storage"),
        (moved.back, "came back from cold storage"),
        (moved.purged, "were purged"),
    ):
        if count:
            messages().print(f"{count:,} texts of memories {what}")
