"""What stands in the context: one request, read from top to bottom. Knows nothing of any other request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from nightschool.models.reader.notes import NOTES_HEADING, Notes, latest_notes
from nightschool.models.reader.playbook import Playbook, parse_playbook
from nightschool.models.reader.sections import OutlineEntry, Section, parse_outline, parse_sections
from nightschool.models.reader.task import Feedback, Task, parse_feedback, parse_memories, parse_task

__all__ = ["Context", "read_context"]

_KEEPING_NOTES: Final = re.compile(
    r"\b(?:notes?|positions?)\b[^.\n]{0,60}\b(?:as you (?:go|read)|after (?:each|every)|along the way)",
    re.IGNORECASE,
)
_COMPACTION: Final = "Your context is nearly full."
_CLOSING: Final = "No further revision"
"""So begins what wants no other answer."""


@dataclass(slots=True, kw_only=True)
class Context:
    """Everything the reader knows at this turn."""

    playbook: Playbook
    memories: tuple[str, ...] = ()
    tools: frozenset[str] = frozenset()
    task: Task = field(default_factory=Task)
    feedback: tuple[Feedback, ...] = ()
    outline: tuple[OutlineEntry, ...] | None = None
    sections: dict[str, Section] = field(default_factory=dict)
    """Sections whose text is in view, in the order they came."""
    unreadable: set[str] = field(default_factory=set)
    """Numbers that a tool refused to read."""
    notes: Notes = field(default_factory=Notes)
    submitted: Mapping[str, Any] | None = None
    """What was handed in last."""
    is_accepted: bool = False
    refusals: list[str] = field(default_factory=list)
    """Why what was handed in was not accepted, each time since somebody last spoke."""
    reports: list[Mapping[str, Any]] | None = None
    """What subagents reported; None before anything was delegated."""
    delegated: list[Mapping[str, Any]] = field(default_factory=list)
    """The parts handed out."""
    eager: set[str] = field(default_factory=set)
    """Policies to look at twice, by feedback or memory."""
    lookups: tuple[str, ...] = ()
    """Sections that memory says to look things up in."""
    cautions: tuple[str, ...] = ()
    """What memory says is no finding."""
    breaches: tuple[tuple[str, str], ...] = ()
    """Policies, and words that memory says break them."""
    keeps_notes: bool = False
    """Whether the instructions ask for notes along the way."""
    wants_notes: bool = False
    """Whether the harness asked for notes instead of work."""

    def faulted_quotes(self) -> Iterator[tuple[Feedback, str]]:
        """Yield the quotes handed in that a grader found fault with."""
        handed_in = (self.submitted or {}).get("positions", ())
        for remark in self.feedback:
            if remark.faults_quote:
                yield from ((remark, p["quote"]) for p in handed_in if p["policy"] == remark.policy)

    @property
    def pointed(self) -> tuple[tuple[str, str, str], ...]:
        """Policy, section and words that a grader pointed at."""
        return tuple((each.policy, *each.pointer) for each in self.feedback if each.pointer is not None)

    @property
    def judged(self) -> tuple[Section, ...]:
        """The sections to take positions on; what else is in view only explains them."""
        own = self.task.sections
        return tuple(section for number, section in self.sections.items() if not own or number in own)

    @property
    def left(self) -> tuple[OutlineEntry, ...] | None:
        """The sections of the outline that were not read; None without an outline."""
        if self.outline is None:
            return None
        read = self.read_numbers
        return tuple(entry for entry in self.outline if entry.number not in read)

    @property
    def read_numbers(self) -> frozenset[str]:
        """Sections read now or before the notes, or that cannot be read."""
        return frozenset(self.sections) | frozenset(self.notes.read) | frozenset(self.unreadable)


def read_context(request: Mapping[str, Any]) -> Context:
    """Return what a request puts before the reader."""
    system = _text(request.get("system") or "")
    context = Context(
        playbook=parse_playbook(system),
        memories=parse_memories(system),
        keeps_notes=bool(_KEEPING_NOTES.search(system)),
        tools=frozenset(tool["name"] for tool in request.get("tools") or ()),
    )
    calls: dict[str, Mapping[str, Any]] = {}
    for place, message in enumerate(request["messages"]):
        for block in _blocks(message["content"]):
            if message["role"] == "assistant":
                _own_block(context, block, calls)
            else:
                _given_block(context, block, calls, is_first=place == 0)
    if context.outline is None:
        context.outline = context.notes.left
    if context.reports is None and context.notes.handed_out:
        context.reports = []
    return context


def _own_block(context: Context, block: Mapping[str, Any], calls: dict[str, Mapping[str, Any]]) -> None:
    if block["type"] == "tool_use":
        calls[block["id"]] = block
    elif block["type"] == "text":
        context.notes = latest_notes(block["text"], context.notes)


def _given_block(
    context: Context, block: Mapping[str, Any], calls: Mapping[str, Mapping[str, Any]], *, is_first: bool
) -> None:
    if block["type"] == "tool_result":
        call = calls.get(block["tool_use_id"])
        if call is not None:
            text = _text(block.get("content") or "")
            _take_result(context, call, text, is_error=bool(block.get("is_error")))
    elif block["type"] == "text":
        _take_words(context, block["text"], is_first=is_first)


def _take_words(context: Context, text: str, *, is_first: bool) -> None:
    context.wants_notes = text.startswith(_COMPACTION)
    if context.wants_notes:
        return
    if text.startswith(_CLOSING):
        return
    if text.startswith(NOTES_HEADING):
        context.notes = latest_notes(text, context.notes)
        return
    if is_first:
        context.task = parse_task(text)
        context.sections |= {section.number: section for section in context.task.given}
    context.feedback = parse_feedback(text) or context.feedback
    context.eager |= {remark.policy for remark in context.feedback if remark.asks_to_look_again}
    # Whoever speaks again after an answer was accepted wants another answer.
    context.is_accepted = False
    context.refusals.clear()


def _take_result(context: Context, call: Mapping[str, Any], text: str, *, is_error: bool) -> None:
    match call["name"]:
        case "list_sections" if not is_error:
            context.outline = parse_outline(text)
        case "read_section":
            _take_section(context, str(call["input"].get("number", "")), text, is_error=is_error)
        case "submit_findings":
            context.submitted = call["input"]
            context.is_accepted = not is_error
            context.refusals += [text] if is_error else []
        case "delegate":
            # A refused call counts as made: it would be refused again, and the lead can read by itself.
            context.reports = [*(context.reports or ()), *(() if is_error else _reports(text))]
            context.delegated += [] if is_error else call["input"].get("tasks", [])


def _take_section(context: Context, number: str, text: str, *, is_error: bool) -> None:
    section = _section(text)
    if is_error or section is None:
        context.unreadable.add(number)
    else:
        context.sections[section.number] = section


@lru_cache(maxsize=8192)
def _section(text: str) -> Section | None:
    return next(parse_sections(text), None)


def _reports(text: str) -> Sequence[Mapping[str, Any]]:
    try:
        results = json.loads(text)["results"]
    except (ValueError, KeyError, TypeError):
        return ()
    return [result for result in results if isinstance(result, dict)]


def _blocks(content: str | Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    else:
        yield from content


def _text(content: str | Sequence[Mapping[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block["type"] == "text")
