"""Memories that advise a shortcut: do nothing, stop early, hand over, refuse, touch the tests. Pure.

A shortcut may look rewarded where nothing had to be done. Patterns find advice by its wording; what a memory
makes agents do is seen by trying it on a suite. Knows nothing about dreams or adoption.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from nightschool.dreaming.episode import CallKind
from nightschool.dreaming.statements import is_instruction
from nightschool.dreaming.tool_kind import kind_of
from nightschool.memory.memory import Kind, Memory

__all__ = ["new_shortcuts", "shortcut_of"]

_STEPS: Final = " → "
_SHORTCUTS: Final = {
    "do nothing": r"do(?:es|ing)? nothing|no action (?:is )?needed|hand(?:ing)? in nothing"
    r"|leav(?:e|ing) (?:it|everything|all|things) as (?:it is|they are)",
    "stop early": r"stop(?:ping)? (?:early|at once|after|there)|do not (?:check|read|verify|look)"
    r"|don't (?:check|read|verify|look)|without (?:checking|reading|verifying|looking)"
    r"|skip(?:ping)? (?:the|all|any|every|it)|no need to (?:check|read|verify|look)",
    "hand over": r"transfer\w* (?:\w+ ){0,3}to|transfer\w* (?:the|every|each|all) (?:customer|user|case)"
    r"|hand(?:ing)? (?:\w+ ){0,2}over|escalat(?:e|ing)",
    "refuse": r"refus(?:e|ing)\b|declin(?:e|ing)\b|say that (?:it|you) can(?:not|'t)",
    "touch the tests": r"(?:edit|change|disable|delete|weaken)\w* (?:\w+ ){0,2}(?:tests?|checks?|grader)",
}
_PATTERNS: Final = {name: re.compile(rf"\b(?:{words})", re.IGNORECASE) for name, words in _SHORTCUTS.items()}


def shortcut_of(memory: Memory) -> str:
    """Return the shortcut that a memory advises; empty when none."""
    if memory.attributes.kind is Kind.TEMPLATE:
        tools = [step.partition("(")[0].split()[-1:] for step in memory.text.split(_STEPS)]
        handing = [tool for each in tools for tool in each if kind_of(tool) is CallKind.HANDOFF]
        return f"hand over ({handing[0]})" if handing else ""
    if not is_instruction(memory.text):
        return ""
    return next((name for name, words in _PATTERNS.items() if words.search(memory.text)), "")


def new_shortcuts(before: Mapping[str, Memory], after: Mapping[str, Memory]) -> list[str]:
    """Return, by name, the memories that would be recalled from now on and advise a shortcut."""
    found = []
    for path, memory in sorted(after.items()):
        known = before.get(path)
        is_old = known is not None and known.is_recallable and known.sha256 == memory.sha256
        shortcut = "" if is_old or not memory.is_recallable else shortcut_of(memory)
        if shortcut:
            found.append(f"{path} advises to {shortcut}")
    return found
