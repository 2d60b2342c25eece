"""The hash chain through a session's events: pure.

Each event's hash covers the hash before it, so that a session's last hash answers for every event, their
order and their number. A changed row is named exactly: its hash is computed from the hash *stored* before
it, so the rows behind it still fit. The position is left out on purpose: it belongs to one file, the chain
belongs to the session and survives moving to another.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

__all__ = ["START", "digest", "link"]

START: Final = bytes(32)
"""What stands before a session's first event."""


def digest(body: str) -> bytes:
    """Return the hash of an event's JSON; apart from `link` because it needs no place and may be long."""
    return sha256(body.encode()).digest()


def link(
    before: bytes, body_digest: bytes, *, session_id: str, seq: int, epoch: int, recorded_at: int
) -> bytes:
    """Return an event's hash; ``recorded_at`` is in microseconds as stored."""
    return sha256(
        b"%b%b%d %d %d %b" % (before, body_digest, seq, epoch, recorded_at, session_id.encode())
    ).digest()
