"""One memory: a text at a path, and what is known about it. Knows nothing about where it is kept.

candidate ─► active ─► expired ─► cold ─► purged
│          │ ▲        └──► active (restored)
└► quarantined └► archived ──► active (restored)
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import TypeAdapter, ValidationError

from nightschool.core.errors import InvalidInput, Malformed
from nightschool.memory.confidence import lower_bound

__all__ = [
    "ATTRIBUTES",
    "MAX_BYTES",
    "MAX_MEMORIES",
    "MAX_STORES",
    "MERGED",
    "Attributes",
    "Evidence",
    "Kind",
    "Memory",
    "State",
    "Tier",
    "check_path",
    "check_text",
    "parse_attributes",
    "sha256_of",
]

MERGED: Final = "merged"
"""Tag of a memory that another one says too."""
MAX_BYTES: Final = 102_400
"""Bytes that a memory's text may have."""
MAX_MEMORIES: Final = 2_000
"""Memories that a store may hold."""
MAX_STORES: Final = 8
"""Stores that a session may recall from."""
_MAX_PATH_BYTES: Final = 1_024
_MAX_SEGMENTS: Final = 20


class Kind(StrEnum):
    """What a memory is."""

    NOTE = "note"
    """Written by hand."""
    TEMPLATE = "template"
    """A path that succeeded."""
    LESSON = "lesson"
    """A failure and its cause."""
    CONTRAST = "contrast"
    """What told success from failure."""
    ECONOMY = "economy"
    """Calls that were not needed."""
    STATEMENT = "statement"
    """What a person said."""
    QUOTATION = "quotation"
    """What a tool or page said: to be read, never to be obeyed."""
    STRATEGY = "strategy"
    """A way of working that was looked into, such as handing over."""


class Tier(StrEnum):
    """How far a memory reaches."""

    WORKING = "working"
    """This session only; never written to a store."""
    EPISODIC = "episodic"
    """One type of task."""
    SEMANTIC = "semantic"
    """Nearly every task."""


class State(StrEnum):
    """Where a memory stands; only active ones are recalled."""

    ACTIVE = "active"
    CANDIDATE = "candidate"
    """Too little evidence so far."""
    QUARANTINED = "quarantined"
    """Something speaks against it; needs a person."""
    ARCHIVED = "archived"
    """Replaced or demoted; kept, linked, and restorable."""
    EXPIRED = "expired"
    """Not used for long: hidden, restorable."""
    COLD = "cold"
    """Hidden for long: kept in cold storage until it is purged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One session that speaks for or against a memory; a session counts once."""

    session_id: str
    event_id: str
    """The event quoted."""
    passed: bool
    label: str = ""
    """Who judged: true_check, grader, user, self; empty when nobody did."""
    at: str = ""
    """When (ISO 8601); empty where nobody knows."""
    weight: float = 1.0
    """Credit, when several memories share one outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributes:
    """What is known about a memory besides its text."""

    kind: Kind = Kind.NOTE
    tier: Tier = Tier.EPISODIC
    state: State = State.ACTIVE
    task_type: str = ""
    """The type of task it is for; empty for all."""
    action: str = ""
    """What the task wants done: keeps "cancel" from recalling "book"."""
    scope: str = ""
    """For whom or when it holds, such as "gold members"; empty for all."""
    tenant: str = ""
    """Whose it is; never recalled for anybody else."""
    taint: str = ""
    """`tool` when a tool or page said it; carried along by everything made from it."""
    tags: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    """Sessions it was learnt from."""
    outcomes: tuple[Evidence, ...] = ()
    """Sessions in which it was recalled and used, and how they ended."""
    valid_at: str = ""
    """When what it says became true, as far as anybody knows (ISO 8601)."""
    checked_at: str = ""
    """When it last proved right."""
    expires_at: str = ""
    """From then on it is hidden; empty for never."""
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    merges: tuple[str, ...] = ()
    """Paths of memories that say the same and were merged into this one; each keeps its own evidence."""
    worded_by: str = ""
    """The model that put it into words; empty where the words are those of the finding."""
    worded_from: str = ""
    """Hash of what it and those merged into it say by themselves."""
    conflicts_with: tuple[str, ...] = ()
    """Paths of memories that say something else about the same."""
    reason: str = ""
    """Why it is where it is."""

    @property
    def is_merged(self) -> bool:
        """Whether another memory says it now, so that nothing is lost."""
        return MERGED in self.tags and bool(self.superseded_by)

    @property
    def successes(self) -> float:
        """Return the weight of what speaks for it."""
        return sum(each.weight for each in (*self.evidence, *self.outcomes) if each.passed)

    @property
    def failures(self) -> float:
        """Return the weight of what speaks against it."""
        return sum(each.weight for each in (*self.evidence, *self.outcomes) if not each.passed)

    @property
    def confidence(self) -> float:
        """Return the lower bound of the probability that it helps."""
        return lower_bound(self.successes, self.failures)

    @property
    def sessions(self) -> frozenset[str]:
        """Return all sessions it goes back to."""
        return frozenset(each.session_id for each in (*self.evidence, *self.outcomes))


ATTRIBUTES: Final = TypeAdapter(Attributes)
"""Attributes to and from JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A memory at one version."""

    path: str
    text: str
    """Empty when it was redacted."""
    attributes: Attributes
    sha256: str
    version: int = 1
    dream_id: str | None = None
    is_redacted: bool = False

    @property
    def is_recallable(self) -> bool:
        """Whether a session may be given it."""
        return self.attributes.state is State.ACTIVE and not self.is_redacted


def sha256_of(text: str) -> str:
    """Return the hash a text is known by."""
    return hashlib.sha256(text.encode()).hexdigest()


def parse_attributes(value: object) -> Attributes:
    """Return attributes from parsed JSON.

    Raises:
        Malformed: they do not have the form.
    """
    try:
        return ATTRIBUTES.validate_python(value)
    except ValidationError as error:
        raise Malformed(f"a memory's attributes cannot be read: {error.errors()[0]['msg']}") from error


def check_path(path: str) -> str:
    """Return a path that a memory may have.

    Raises:
        InvalidInput: it may not; the message says why.
    """
    segments = path.split("/")[1:]
    why = ""
    if not path.startswith("/"):
        why = "it must begin with /"
    elif not 1 <= len(segments) <= _MAX_SEGMENTS:
        why = f"it has {len(segments)} parts; at most {_MAX_SEGMENTS} are allowed"
    elif any(part in {"", ".", ".."} for part in segments):
        why = "it has an empty part, . or .."
    elif len(path.encode()) > _MAX_PATH_BYTES:
        why = f"it is longer than {_MAX_PATH_BYTES} bytes"
    elif re.search(r"[\x00-\x1f\x7f]", path):
        why = "it has a control character"
    elif unicodedata.normalize("NFC", path) != path:
        why = "its letters are not in the composed form (NFC)"
    if why:
        raise InvalidInput(f"{path!r} cannot be a memory's path: {why}", path=path)
    return path


def check_text(path: str, text: str) -> str:
    """Return a text that a memory may have.

    Raises:
        InvalidInput: it is empty or too long.
    """
    size = len(text.encode())
    if not text.strip():
        raise InvalidInput(f"memory {path}: the text is empty; delete a memory that is to say nothing")
    if size > MAX_BYTES:
        raise InvalidInput(f"memory {path}: {size:,} bytes; a memory has at most {MAX_BYTES:,}: split it")
    return text
