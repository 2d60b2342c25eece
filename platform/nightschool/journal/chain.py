"""The hash chain through a session's events: pure.

Each event's hash covers the hash before it, so that one value per session, kept beside it, answers for
every event, their order and their number. A changed row is named exactly: its hash is computed from the
hash *stored* before it, so the rows behind it still fit. The position is left out on purpose: it belongs
to one file, the chain belongs to the session and survives moving to another.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

__all__ = ["START", "link"]

START: Final = bytes(32)
"""What stands before a session's first event."""


def link(before: bytes, *, session_id: str, seq: int, epoch: int, recorded_at: int, body: str) -> bytes:
    """Return an event's hash; ``recorded_at`` is in microseconds as stored."""
    header = f"{seq} {epoch} {recorded_at} {len(session_id)} {session_id} "
    return sha256(before + (header + body).encode()).digest()
