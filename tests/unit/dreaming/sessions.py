"""Sessions written into a journal, told in a few words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from nightschool.events.agent import AgentMessage, AgentToolResult, AgentToolUse
from nightschool.events.base import EventBase, TextBlock
from nightschool.events.experiment import FeedbackRecorded
from nightschool.events.memory import MemoryRecalled, RecalledMemory
from nightschool.events.session import SessionCreated
from nightschool.events.user import UserMessage
from nightschool.journal.journal import Journal

__all__ = ["Sessions", "day"]


def day(number: int) -> datetime:
    """Return a day of 2026, counted from the first of January."""
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number - 1)


def _text(text: str) -> tuple[TextBlock, ...]:
    return (TextBlock(text=text),)


@dataclass(frozen=True, slots=True)
class Sessions:
    """Writes sessions."""

    journal: Journal

    def add(
        self,
        name: str,
        *calls: str,
        passed: bool | None = None,
        said: str = "Please update my order.",
        source: str = "true_check",
        comment: str | None = None,
        on: int = 1,
        read: str = "",
        answer: str = "",
        recalled: tuple[RecalledMemory, ...] = (),
        task: str | None = None,
        tenant: str = "",
        task_type: str = "",
    ) -> str:
        """Write one session and return its id; a call is "get_order", or "book_seat!sold out" if it fails."""
        session_id = f"sesn_{name}"
        place = f"sevt_{name}_"
        metadata = {"suite": "shop", "sample_id": task or name, "tenant": tenant, "task_type": task_type}
        created = SessionCreated(
            id=f"{place}0", processed_at=day(on), metadata={k: v for k, v in metadata.items() if v}
        )
        events: list[EventBase] = [created]
        if recalled:
            events.append(MemoryRecalled(id=f"{place}r", memories=recalled))
        events.append(UserMessage(id=f"{place}u", content=_text(said)))
        for number, each in enumerate(calls):
            tool, bang, error = each.partition("!")
            use = AgentToolUse(id=f"{place}c{number}", name=tool, input={"x": number})
            result = error if bang else read or f"done {number}"
            events += [
                use,
                AgentToolResult(
                    id=f"{place}d{number}",
                    tool_use_id=use.id,
                    content=_text(result),
                    is_error=bool(bang),
                ),
            ]
        if answer:
            events.append(AgentMessage(id=f"{place}a", content=_text(answer)))
        if passed is not None:
            judged = FeedbackRecorded(id=f"{place}f", source=source, value=float(passed), comment=comment)
            events.append(judged)
        self.journal.append(session_id, events, epoch=1)
        return session_id
