"""What is asked: a task's text, read for what restricts or helps the work. Knows no documents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from nightschool.models.reader.sections import Section, parse_sections

__all__ = ["Feedback", "Task", "parse_feedback", "parse_memories", "parse_task"]

_SECTIONS: Final = re.compile(r"^Sections:\s*(.+)$", re.MULTILINE | re.IGNORECASE)
_DEFINITIONS: Final = re.compile(
    r"^Definitions:\s*$(.*?)(?=^[A-Z][a-z]+(?: \w+)?:\s*$|^#|\Z)", re.MULTILINE | re.DOTALL
)
_FEEDBACK: Final = re.compile(r"^Feedback:\s*$(.*)", re.MULTILINE | re.DOTALL | re.IGNORECASE)
_POINTER: Final = re.compile(r"\bsection (?P<section>\S+) may speak to it: “(?P<quote>.+)”")
_FEEDBACK_LINE: Final = re.compile(r"^\W*(?P<policy>\w+)\s*:\s*(?P<text>.+)$", re.MULTILINE)
_ONLY_HERE: Final = re.compile(r"report only what you find in (?:these|your) sections", re.IGNORECASE)
_MEMORIES: Final = re.compile(r"^# Memories\s*$(.*?)(?=^# |\Z)", re.MULTILINE | re.DOTALL)
_BULLET: Final = re.compile(r"^\s*[-*]\s+(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What a grader said about one policy."""

    policy: str
    text: str

    @property
    def asks_to_look_again(self) -> bool:
        """Whether something was not found at all."""
        return bool(
            re.search(
                r"no position|missing position|not found|look again|no evidence", self.text, re.IGNORECASE
            )
        )

    @property
    def faults_quote(self) -> bool:
        """Whether the quote given does not stand where it was said to."""
        return "quote" in self.text.casefold() and self.pointer is None

    @property
    def pointer(self) -> tuple[str, str] | None:
        """The section and the words that may speak to the policy, if some are pointed at."""
        match = _POINTER.search(self.text)
        return None if match is None else (match["section"].rstrip("."), match["quote"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task as far as this reader understands tasks."""

    sections: tuple[str, ...] = ()
    """The only sections to review; empty for the whole document."""
    may_report_missing: bool = True
    definitions: str = ""
    given: tuple[Section, ...] = ()
    """Sections whose text came with the task."""


def parse_task(text: str) -> Task:
    """Return what a task's text asks for."""
    listed = _SECTIONS.search(text)
    numbers = tuple(part.strip().rstrip(".") for part in listed[1].split(",")) if listed else ()
    definitions = _DEFINITIONS.search(text)
    return Task(
        sections=tuple(number for number in numbers if number),
        may_report_missing=not numbers and not _ONLY_HERE.search(text),
        definitions=definitions[1].strip() if definitions else "",
        given=tuple(section for section in parse_sections(text) if section.text),
    )


def parse_feedback(text: str) -> tuple[Feedback, ...]:
    """Return a grader's remarks, policy by policy."""
    block = _FEEDBACK.search(text)
    if block is None:
        return ()
    return tuple(
        Feedback(policy=line["policy"], text=line["text"]) for line in _FEEDBACK_LINE.finditer(block[1])
    )


def parse_memories(system: str) -> tuple[str, ...]:
    """Return the hints remembered from earlier work, as they stand in a system prompt."""
    block = _MEMORIES.search(system)
    return tuple(hint.strip() for hint in _BULLET.findall(block[1])) if block else ()
