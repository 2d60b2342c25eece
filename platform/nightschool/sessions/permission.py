"""A person's word on a tool call that asks for permission: how it is given, and which one holds.

The word is an event of the session that waits. Whoever runs that session goes on and reads it there; knows
nothing about who that is, nor about pages or commands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from nightschool.core.errors import InvalidInput, StaleWriter
from nightschool.events.agent import AgentMcpToolUse, AgentToolUse
from nightschool.events.user import UserToolConfirmation
from nightschool.sessions.log import SessionLog
from nightschool.sessions.state import SessionState, ToolCall

__all__ = ["Answer", "answer_call"]

_TRIES: Final = 5
"""A session that is woken in the same moment refuses an append once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a person says of a call.

    Raises:
        InvalidInput: nobody is named as the one who says it.
    """

    result: Literal["allow", "deny"]
    given_by: str
    reason: str = ""
    """Told to the agent when the call is denied."""

    def __post_init__(self) -> None:
        """Refuse an answer of nobody."""
        if not self.given_by.strip():
            raise InvalidInput("an answer says who gave it: name yourself")


def _asks(call: ToolCall) -> bool:
    return isinstance(call.use, AgentToolUse | AgentMcpToolUse) and call.use.evaluated_permission == "ask"


async def answer_call(
    log: SessionLog, session_id: str, tool_use_id: str, answer: Answer
) -> UserToolConfirmation:
    """Give a word on a call and return the word that holds: the first one in the log, perhaps another's.

    Raises:
        NotFound: there is no such session.
        InvalidInput: the call does not exist, did not ask, or already has a result.
        StoreError: nothing was stored; the kind says why.
    """
    held = _word(await log.get_session(session_id), tool_use_id)
    if held is not None:
        return held
    given = await _append(log, session_id, tool_use_id, answer, tries=_TRIES)
    return _word(await log.get_session(session_id), tool_use_id) or given


def _word(state: SessionState, tool_use_id: str) -> UserToolConfirmation | None:
    call = state.tool_call(tool_use_id)
    if call is None:
        raise InvalidInput(f"there is no tool call {tool_use_id} in this session")
    if not _asks(call):
        raise InvalidInput(f"the call {tool_use_id} did not ask for permission; nothing waits for your word")
    return call.confirmation


async def _append(
    log: SessionLog, session_id: str, tool_use_id: str, answer: Answer, *, tries: int
) -> UserToolConfirmation:
    writer = await log.create(session_id)  # not woken: whoever runs the session goes on
    word = UserToolConfirmation(
        id=writer.new_event_id(),
        tool_use_id=tool_use_id,
        result=answer.result,
        deny_message=answer.reason.strip() or None,
        given_by=answer.given_by.strip(),
    )
    try:
        await writer.emit_event(word)
    except StaleWriter:
        if tries <= 1:
            raise
        return await _append(log, session_id, tool_use_id, answer, tries=tries - 1)
    return word
