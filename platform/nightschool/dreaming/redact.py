"""Secrets and personal data out of a text before anything is learnt from it. Pure.

Knows nothing about where texts come from. Patterns only: what has no telling shape passes.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["has_secret", "redact"]

_SECRETS: Final = (
    ("key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
    ("key", r"\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])?[A-Za-z0-9_-]{16,}"),
    ("key", r"\bAKIA[0-9A-Z]{16}\b"),
    ("key", r"\bgh[opsu]_[A-Za-z0-9]{30,}\b|\bgithub_pat_\w{30,}\b|\bxox[abprs]-[\w-]{10,}"),
    ("key", r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}\b"),
    ("key", r"(?i)\b(?:bearer|basic)\s+[\w.~+/-]{16,}=*"),
    ("key", r"(?i)\b(?:password|passwd|secret|api[_-]?key|token)\b\s*[:=]\s*[\"']?[^\s\"',;]{6,}"),
)
_PERSONAL: Final = (
    ("email", r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b"),
    ("card", r"\b(?:\d{4}[ -]?){3}\d{1,4}\b"),
    ("phone", r"(?<![\w-])\+\d[\d ()-]{7,}\d\b"),
)
_PATTERNS: Final = [(name, re.compile(pattern, re.DOTALL)) for name, pattern in (*_SECRETS, *_PERSONAL)]
_SECRET_PATTERNS: Final = _PATTERNS[: len(_SECRETS)]


def redact(text: str) -> str:
    """Return a text with keys, passwords, e-mail addresses, card and telephone numbers taken out."""
    for name, pattern in _PATTERNS:
        text = pattern.sub(f"[redacted {name}]", text)
    return text


def has_secret(text: str) -> bool:
    """Return whether a text holds something that looks like a key or password."""
    return any(pattern.search(text) for _, pattern in _SECRET_PATTERNS)
