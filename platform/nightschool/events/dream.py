"""What becomes of a dream. Written to the dream's own log (`drm_...`)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from nightschool.events.base import EventBase, JsonObject

__all__ = [
    "DreamAdopted",
    "DreamCompleted",
    "DreamCreated",
    "DreamFailed",
    "DreamRejected",
    "DreamRolledBack",
    "DreamTried",
    "DreamWorded",
]


class DreamCreated(EventBase):
    """A dream begins: what it reads and by which rules."""

    type: Literal["dream.created"] = "dream.created"
    store: str
    """The name of the store it dreams for."""
    input_store_id: str
    """The store it reads and never changes."""
    rules: str
    mode: Literal["incremental", "rebuild"]
    session_ids: tuple[str, ...]
    """Sessions that are new to it."""
    watermark: int
    """The log's position up to which it looked."""
    tenant: str = ""


class DreamWorded(EventBase):
    """A model put findings into words; what did not hold up was dropped. A dream done again uses the same."""

    type: Literal["dream.worded"] = "dream.worded"
    model: str
    session_ids: tuple[str, ...]
    """The sessions in which it was asked."""
    asked: int
    """Findings it was asked about."""
    items: tuple[JsonObject, ...]
    """What is used: path, the text's hash, paths of what was merged, and the findings' own hash."""
    dropped: dict[str, int]
    """Why items are not used, with how many."""
    input_tokens: int = 0
    output_tokens: int = 0


class DreamCompleted(EventBase):
    """A dream's result waits to be adopted, or there is nothing to adopt and this says why."""

    type: Literal["dream.completed"] = "dream.completed"
    status: Literal["completed", "completed_no_change", "held"]
    """held: so much would be archived that a person has to look."""
    output_store_id: str
    """The new store; the input store when nothing changed."""
    store_hash: str
    """Hash over all that the output store says."""
    counts: dict[str, int]
    """Memories created, modified, archived, expired, purged, unchanged; episodes read."""
    gates: dict[str, int]
    """Why findings were not promoted, with how many each gate held back."""
    alarms: tuple[str, ...] = ()
    """What somebody should look at, such as new sessions that changed nothing twice running."""
    findings: JsonObject = Field(default_factory=dict)
    """Sessions by result and label, errors, economy: the figures of the report."""


class DreamFailed(EventBase):
    """A dream ended without a result; what it wrote is not used."""

    type: Literal["dream.failed"] = "dream.failed"
    error: JsonObject


class DreamAdopted(EventBase):
    """From here on sessions recall from the dream's store."""

    type: Literal["dream.adopted"] = "dream.adopted"
    store: str
    output_store_id: str
    approved_by: str
    """user, or auto when it stayed within the limits."""


class DreamTried(EventBase):
    """A suite was run with the store before the dream and with its own; the verdict of the gate."""

    type: Literal["dream.tried"] = "dream.tried"
    experiment_id: str
    suite: str
    result: Literal["pass", "regression", "inconclusive", "invalid"]
    reason: str
    shortcuts: tuple[str, ...] = ()
    """Shortcuts that agents took with the new memories only, with the memories they were given."""


class DreamRejected(EventBase):
    """The dream's result is not wanted."""

    type: Literal["dream.rejected"] = "dream.rejected"
    reason: str = ""


class DreamRolledBack(EventBase):
    """An adopted result was taken back: sessions recall from the store before."""

    type: Literal["dream.rolled_back"] = "dream.rolled_back"
    store: str
    restored_store_id: str
