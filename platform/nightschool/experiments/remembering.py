"""Memories for one document: recalled by its sections, put into the prompt, noted in the session."""

from __future__ import annotations

from nightschool.bootstrap import Workspace
from nightschool.core.errors import NotFound
from nightschool.core.ids import derived_id
from nightschool.events.memory import MemoryRecalled, RecalledMemory
from nightschool.memory.heads import Heads
from nightschool.memory.index import Embedder
from nightschool.memory.recall import Query, Recaller, Recollection
from nightschool.memory.store import MemoryStore
from nightschool.sandbox.documents import Document
from nightschool.sessions.log import SessionLog

__all__ = ["note_recall", "recall_for"]


def recall_for(workspace: Workspace, store_name: str, document: Document, embedder: Embedder) -> Recollection:
    """Return what a store has to say about a document.

    Raises:
        NotFound: there is no such store yet.
    """
    head = Heads(journal=workspace.journal, clock=workspace.clock).get(store_name)
    store = MemoryStore(
        journal=workspace.journal, clock=workspace.clock, ids=workspace.ids, store_id=head.store_id
    )
    if not store.exists:
        raise NotFound(
            f"there is no memory store {store_name!r} yet; `nightschool dream` makes one, `memory write` too"
        )
    recaller = Recaller.over(store.memories(), embedder)
    queries = [Query(text=section.text) for section in document.sections if section.text.strip()]
    return recaller.recall_for_parts(queries, now=workspace.clock.now())


async def note_recall(log: SessionLog, session_id: str, recalled: Recollection) -> None:
    """Note in a session what it was given, and why: what a later dream judges the memories by."""
    writer = await log.create(session_id)
    await writer.emit_event(
        MemoryRecalled(
            id=derived_id("event", session_id, "recalled"),
            memories=tuple(
                RecalledMemory(path=each.memory.path, content_sha256=each.memory.sha256)
                for each in recalled.chosen
            ),
            candidates=tuple(each.as_facts() for each in recalled.considered),
            tokens=recalled.tokens,
        )
    )
