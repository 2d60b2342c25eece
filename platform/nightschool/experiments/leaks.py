"""Whether the truth a sample is scored by was within an agent's sight.

Pure. Searches what an agent was told for pieces of the gold that stand in no document: whole records as JSON,
long texts, long numbers. What the agent had already said itself is no leak: an answer may be right. Gold
written in other words is not found; this convicts, it does not acquit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any, Final

from nightschool.events.agent import AgentMessage, AgentToolResult, AgentToolUse
from nightschool.events.base import TextBlock
from nightschool.events.session import SessionCreated
from nightschool.events.union import Event
from nightschool.events.user import SystemMessage, UserMessage

__all__ = ["find_leak", "gold_pieces"]

_LONG_TEXT: Final = 24
_LONG_NUMBER: Final = 6
_SPACE: Final = re.compile(r"\s+")


def gold_pieces(gold: object, *known: str) -> list[str]:
    """Return what would give the gold away: pieces that stand in none of the texts everybody may read.

    Args:
        gold: as the suite's `draw` returned it.
        known: the document and the playbook.
    """
    allowed = _plain(" ".join(known))
    found = dict.fromkeys(_plain(piece) for piece in _pieces(_data(gold)))
    return [piece for piece in found if piece and piece not in allowed]


def find_leak(pieces: Sequence[str], events: Iterable[Event]) -> str | None:
    """Return the first piece of the gold that a session told its agent before the agent said it itself."""
    left = list(pieces)
    for event in events:
        told, said = _told(event), _said(event)
        for piece in left:
            if told and piece in told:
                return piece
        if said:
            left = [piece for piece in left if piece not in said]
    return None


def _pieces(value: Any) -> Iterator[str]:
    match value:
        case str() if len(value) >= _LONG_TEXT:
            yield value
        case bool() | None | str():
            return
        case int() | float() if len(str(value).strip("-")) >= _LONG_NUMBER:
            yield str(value)
        case dict():
            yield from _written(value)
            for item in value.values():
                yield from _pieces(item)
        case list() | tuple():
            for item in value:
                yield from _pieces(item)


def _written(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ways in which a record is usually written down."""
    for text in (
        json.dumps(record, default=str, ensure_ascii=False),
        json.dumps(record, default=str, ensure_ascii=False, separators=(",", ":")),
        json.dumps(record, default=str, ensure_ascii=False, indent=2),
        repr(record),
    ):
        if len(text) >= _LONG_TEXT:
            yield text


def _data(gold: Any) -> Any:
    if is_dataclass(gold) and not isinstance(gold, type):
        return _data(asdict(gold))
    if isinstance(gold, Mapping):
        return {str(name): _data(value) for name, value in gold.items()}
    if isinstance(gold, list | tuple | set | frozenset):
        return [_data(value) for value in gold]
    return gold


def _told(event: Event) -> str:
    match event:
        case SessionCreated(agent=agent) if agent is not None:
            return _plain(agent.system)
        case UserMessage() | SystemMessage() | AgentToolResult():
            return _plain(_text(event.content))
    return ""


def _said(event: Event) -> str:
    match event:
        case AgentMessage():
            return _plain(_text(event.content))
        case AgentToolUse():
            return _plain(f"{json.dumps(event.input, ensure_ascii=False)} {json.dumps(event.input)}")
    return ""


def _text(content: Sequence[object]) -> str:
    return "\n".join(block.text for block in content if isinstance(block, TextBlock))


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
