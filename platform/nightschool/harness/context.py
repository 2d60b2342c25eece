"""What the model is shown: a pure function of the session's events.

Knows nothing about models. Compaction changes this view and never the log: after an
``agent.thread_context_compacted`` event the view is the first user message, the notes, and what came since.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from nightschool.events.agent import (
    AgentMessage,
    AgentThreadContextCompacted,
    AgentToolResult,
    AgentToolUse,
)
from nightschool.events.base import EventBase, TextBlock, text_of
from nightschool.events.session import AgentSnapshot, SessionCreated
from nightschool.events.user import UserMessage
from nightschool.models.request import ModelRequest

__all__ = ["COMPACTION_REQUEST", "NOTES_HEADING", "View", "build_request", "compaction_request"]

NOTES_HEADING: Final = "Notes from your earlier work:\n"
COMPACTION_REQUEST: Final = (
    "Your context is nearly full. Write notes of everything you need to finish the task: positions taken"
    " so far with their quotes and confidence, definitions that matter, which sections you have read, and"
    " cross references still to be followed. Sections you read before will no longer be in view."
)

Message = dict[str, Any]


def _user(*blocks: dict[str, Any]) -> Message:
    return {"role": "user", "content": list(blocks)}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _assistant_block(event: AgentMessage | AgentToolUse) -> dict[str, Any]:
    if isinstance(event, AgentMessage):
        return _text(text_of(event.content))
    return {
        "type": "tool_use",
        "id": event.api_tool_use_id or event.id,
        "name": event.name,
        "input": event.input,
    }


def _result_block(use: AgentToolUse, result: AgentToolResult) -> dict[str, Any]:
    block = {
        "type": "tool_result",
        "tool_use_id": use.api_tool_use_id or use.id,
        "content": [_text(text_of(result.content))],
    }
    return block | {"is_error": True} if result.is_error else block


class View:
    """What the model is shown after some events: a fold, so that a longer log need not be read anew.

    Tool results are placed in the order of their calls, not of their arrival. What a request was given is
    never changed afterwards.
    """

    def __init__(self) -> None:
        """Show nothing yet."""
        self._agent: AgentSnapshot | None = None
        self._messages: list[Message] = []
        self._uses: list[AgentToolUse] = []
        self._results: dict[str, AgentToolResult] = {}

    def take(self, event: EventBase) -> None:
        """Let one event change the view."""
        match event:
            case SessionCreated() if self._agent is None:
                self._agent = event.agent
            case UserMessage():
                self._close_results()
                self._messages.append(
                    _user(*(_text(b.text) for b in event.content if isinstance(b, TextBlock)))
                )
            case AgentMessage() | AgentToolUse():
                self._add_assistant(event)
            case AgentToolResult():
                self._results[event.tool_use_id] = event
            case AgentThreadContextCompacted():
                self._close_results()
                self._messages = [*self._messages[:1], _user(_text(NOTES_HEADING + (event.notes or "")))]

    def request(self, *, max_tokens: int) -> ModelRequest:
        """Return the request that the model should be asked next.

        Raises:
            ValueError: the session has no agent.
        """
        if self._agent is None:
            raise ValueError("the session has no agent; create it with one before running it")
        return ModelRequest(
            model=self._agent.model,
            system=self._agent.system,
            messages=(*self._messages, *self._answered()),
            tools=self._agent.tools,
            max_tokens=max_tokens,
        )

    def _answered(self) -> tuple[Message, ...]:
        """Return the results of the calls made last as a message, if there are any."""
        answered = [use for use in self._uses if use.id in self._results]
        return (_user(*(_result_block(use, self._results[use.id]) for use in answered)),) if answered else ()

    def _close_results(self) -> None:
        self._messages += self._answered()
        self._uses, self._results = [], {}

    def _add_assistant(self, event: AgentMessage | AgentToolUse) -> None:
        if self._results:
            self._close_results()
        last = self._messages[-1] if self._messages else None
        if last is not None and last["role"] == "assistant":
            self._messages[-1] = {"role": "assistant", "content": [*last["content"], _assistant_block(event)]}
        else:
            self._messages.append({"role": "assistant", "content": [_assistant_block(event)]})
        if isinstance(event, AgentToolUse):
            self._uses.append(event)


def build_request(events: Iterable[EventBase], *, max_tokens: int) -> ModelRequest:
    """Return the request that the model should be asked after these events.

    Args:
        events: the session's events in order, its `session.created` first.
        max_tokens: the most the model may write.

    Raises:
        ValueError: the session has no agent.
    """
    view = View()
    for event in events:
        view.take(event)
    return view.request(max_tokens=max_tokens)


def compaction_request(request: ModelRequest) -> ModelRequest:
    """Return the request that asks the agent to write notes instead of working on."""
    return ModelRequest(
        model=request.model,
        system=request.system,
        messages=(*request.messages, _user(_text(COMPACTION_REQUEST))),
        tools=request.tools,
        max_tokens=request.max_tokens,
    )
