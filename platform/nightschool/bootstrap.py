"""The one place that names concrete classes together: settings in, a working place out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from nightschool.core.clock import Clock, SystemClock
from nightschool.core.errors import NotFound
from nightschool.core.ids import IdSource
from nightschool.harness.model import Model
from nightschool.journal.journal import Journal
from nightschool.journal.versions import Versions
from nightschool.models.embed import Embedder
from nightschool.registry.versions import AgentRegistry
from nightschool.sessions.log import SessionLog
from nightschool.settings import Settings
from nightschool.warehouse.reader import Reader, open_warehouse
from nightschool.warehouse.store import Warehouse

__all__ = ["Workspace", "agent_registry", "connect_model", "connect_reader", "open_workspace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A data folder opened for work."""

    settings: Settings
    clock: Clock
    ids: IdSource
    journal: Journal
    log: SessionLog
    warehouse: Warehouse


@contextmanager
def open_workspace(
    settings: Settings, *, read_only: bool = False, must_exist: bool = False, clock: Clock | None = None
) -> Iterator[Workspace]:
    """Open the data folder, making it when it is missing, and close it again.

    Args:
        settings: they name the folder.
        read_only: only look: nothing is made, nothing can be appended.
        must_exist: write, but make nothing where nothing is.
        clock: the machine's by default.

    Raises:
        NotFound: ``read_only`` or ``must_exist``, and there is no data folder with a journal yet.
        StoreUnwritable: the folder cannot be written.
        StoreCorrupt: what is in it is not what was written.
    """
    ticking = clock or SystemClock()
    if read_only or must_exist:
        _require_journal(settings)
    ids = IdSource(clock=ticking)
    journal = Journal.open(settings.journal_path, clock=ticking, read_only=read_only)
    try:
        yield Workspace(
            settings=settings,
            clock=ticking,
            ids=ids,
            journal=journal,
            log=SessionLog(journal, clock=ticking, ids=ids),
            # Its folder is the journal's, and there by now.
            warehouse=Warehouse(path=settings.warehouse_path, clock=ticking),
        )
    finally:
        journal.close()


def _require_journal(settings: Settings) -> None:
    if not settings.journal_path.exists():
        raise NotFound(
            f"there is nothing in {settings.data_dir} yet; run `nightschool demo`,"
            " or name another folder with --data"
        )


def connect_reader(settings: Settings, *, clock: Clock | None = None) -> Reader:
    """Return a reader of the data folder: nothing is made, nothing is written, nobody is kept waiting.

    Raises:
        NotFound: there is no data folder with a journal yet.
        StoreCorrupt: what is in it is not what was written.
    """
    _require_journal(settings)
    journal = Journal.open(settings.journal_path, clock=clock or SystemClock(), read_only=True)
    return open_warehouse(settings.warehouse_path, journal=journal, on_close=journal.close)


def agent_registry(workspace: Workspace) -> AgentRegistry:
    """Return the agents that the data folder keeps."""
    return AgentRegistry(Versions(journal=workspace.journal, clock=workspace.clock, scope="agents"))


def connect_model(
    settings: Settings,
    model: str,
    *,
    context_limit_tokens: int | None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
) -> Model:
    """Return a client for a model id, with the settings' key and server.

    Raises:
        ConfigurationMissing: the model needs a key.
        NotFound: there is no such model.
    """
    # The SDK takes a second to import, and most commands ask no model.
    from nightschool.models.connect import connect

    return connect(
        model,
        api_key=settings.api_key,
        base_url=settings.base_url,
        context_limit_tokens=context_limit_tokens,
        embedder=embedder,
        clock=clock,
    )
