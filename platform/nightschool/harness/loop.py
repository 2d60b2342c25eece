"""The stateless loop: read the log, ask the model, do what it asks, append. Repeat until the turn ends.

Nothing lives here between steps that is not in the log, so a session killed at any event is finished by
running the loop again, on any machine: what finished is read, what did not is done.

                    ┌────────────────────────────────────────────────┐
    events ─► owed? ┤ a tool call has no result   → execute, append  │─► events
                    │ ... and asks for permission → wait for a word  │
                    │ the view is nearly full     → take notes       │
                    │ otherwise                   → ask the model    │
                    └────────────────────────────────────────────────┘
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from nightschool.core.clock import Clock
from nightschool.core.errors import BudgetExceeded, ModelError
from nightschool.core.groups import task_group
from nightschool.core.tokens import estimate_tokens
from nightschool.events.agent import AgentThreadContextCompacted, AgentToolUse
from nightschool.events.base import EventBase
from nightschool.events.session import SessionStatusRunning
from nightschool.harness import progress, record
from nightschool.harness.context import View, compaction_request
from nightschool.harness.model import Model
from nightschool.harness.tools import Tools
from nightschool.models.request import ModelReply, ModelRequest
from nightschool.sessions.log import SessionLog, SessionWriter

__all__ = ["Harness", "Limits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one turn of one agent may consume."""

    max_tokens: int = 16_384
    """The most the model may write in one answer."""
    max_model_calls: int = 400
    """Model requests in one turn; past it the turn ends as `budget_reached`."""
    context_limit_tokens: int | None = None
    """How much the model can read; None: no compaction."""
    compact_at: float = 0.7
    """The share of the context limit at which the agent is asked for notes."""
    permission_seconds: float = 86_400.0
    """How long a call that asks for permission waits for a person; past it the call is denied."""


class _Run:
    """One run of the loop over one session: its events so far and what the model sees of them."""

    def __init__(self, writer: SessionWriter, events: Iterable[EventBase], tools: Tools) -> None:
        self.writer = writer
        self.tools = tools
        self._unsaved: list[EventBase] = []
        self.reread(events)

    def reread(self, events: Iterable[EventBase]) -> None:
        self.events: list[EventBase] = []
        self.view = View()
        self._take(events)

    def note(self, *events: EventBase) -> None:
        """Let something happen; the next `save` brings it to disk."""
        self._take(events)
        self._unsaved.extend(events)

    async def emit(self, *events: EventBase) -> None:
        """Let something happen, and return when it is on disk."""
        self.note(*events)
        await self.save()

    async def save(self) -> None:
        """Return when all that was noted is on disk; nothing may be done outside before."""
        if self._unsaved:
            unsaved, self._unsaved = self._unsaved, []
            await self.writer.emit_event(*unsaved)

    def _take(self, events: Iterable[EventBase]) -> None:
        for event in events:
            self.events.append(event)
            self.view.take(event)


@dataclass(frozen=True, slots=True, kw_only=True)
class Harness:
    """Runs agents over sessions. Holds no state of any session."""

    log: SessionLog
    model: Model
    clock: Clock
    limits: Limits = field(default_factory=Limits)

    async def run(
        self, session_id: str, tools: Tools, *, writer: SessionWriter | None = None
    ) -> list[EventBase]:
        """Carry the session on until its turn ends, and return all its events.

        While a call waits for permission the session is idle, and the word may come from any process. A
        session that has nothing to do is returned as it is, so calling this again is harmless.

        Args:
            session_id: the session.
            tools: what the agent may call.
            writer: who has just created the session; None, or one that found it: it is read and woken.

        Raises:
            StaleWriter: the session was woken elsewhere meanwhile.
            ModelError: the model could not be asked; the failure is in the log as `session.error`.
            BudgetExceeded: the turn used up its model requests, or an answer was cut off.
        """
        if writer is None or not writer.began:
            events = await self.log.get_events(session_id)
            if progress.is_waiting(events) and not progress.asked(events):
                return events
            run = _Run(await self.log.wake(session_id), events, tools)
        else:
            run = _Run(writer, writer.began, tools)
        while not progress.is_waiting(run.events) or progress.asked(run.events):
            if progress.asked(run.events):
                await self._wait_for_word(run)
            if not progress.is_running(run.events):
                run.note(record.event(run.writer, SessionStatusRunning))
            await self._step(run)
        return run.events

    async def _wait_for_word(self, run: _Run) -> None:
        """Wait until somebody has answered one of the calls that ask; deny them when the time is up."""
        entries = await self.log.get_entries(run.writer.session_id)
        run.reread(entry.event for entry in entries)
        if not (calls := progress.asked(run.events)):
            return
        words = self.log.follow(
            after=entries[-1].position, session_id=run.writer.session_id, types=("user.tool_confirmation",)
        )
        since = run.events[-1].processed_at or self.clock.now()
        left = self.limits.permission_seconds - (self.clock.now() - since).total_seconds()
        if heard := await words.batch(timeout_seconds=max(0.0, left)):
            run.reread([*run.events, *(entry.event for entry in heard)])
            return
        await run.emit(*(record.unheard(run.writer, call, self.limits.permission_seconds) for call in calls))

    async def _step(self, run: _Run) -> None:
        if calls := progress.unanswered(run.events):
            await self._answer_or_ask(run, calls)
            return
        if progress.model_calls_this_turn(run.events) >= self.limits.max_model_calls:
            await run.emit(*record.stopped(run.writer, run.events, "budget_reached"))
            raise BudgetExceeded(
                f"session {run.writer.session_id} used its {self.limits.max_model_calls} model requests"
                " without finishing; raise max_model_calls in the arm's file"
            )
        request = run.view.request(max_tokens=self.limits.max_tokens)
        if self._is_nearly_full(run, request):
            await self._compact(run, request)
        else:
            await self._ask(run, request)

    async def _answer_or_ask(self, run: _Run, calls: list[AgentToolUse]) -> None:
        """Answer the calls that need no word or have one; when none is left, wait for the word."""
        words = {call.id: progress.word_on(run.events, call.id) for call in calls}
        ready = [call for call in calls if call.evaluated_permission != "ask" or words[call.id]]
        if not ready:
            waits_for = tuple(call.id for call in calls)
            await run.emit(
                *record.stopped(run.writer, run.events, progress.REQUIRES_ACTION, waits_for=waits_for)
            )
            return
        denied = [call for call in ready if (word := words[call.id]) and word.result == "deny"]
        for call in denied:
            await run.emit(*record.denied(run.writer, call, words[call.id]))
        if allowed := [call for call in ready if call not in denied]:
            await self._answer(run, allowed)

    async def _answer(self, run: _Run, calls: list[AgentToolUse]) -> None:
        """Execute the calls together; a result is appended as it arrives, the last with what follows it."""
        await run.save()
        under_way = {call.id for call in calls}

        async def answer(call: AgentToolUse) -> None:
            started = self.clock.monotonic()
            result = await run.tools.execute(call.name, call.input)
            milliseconds = (self.clock.monotonic() - started) * 1000
            run.note(*record.tool_result(run.writer, call, result, milliseconds))
            under_way.remove(call.id)
            if under_way:
                await run.save()

        async with task_group() as group:
            for call in calls:
                group.start_soon(answer, call)

    def _is_nearly_full(self, run: _Run, request: ModelRequest) -> bool:
        limit = self.limits.context_limit_tokens
        if limit is None or not progress.reads_since_compaction(run.events):
            return False
        tokens = progress.context_tokens(run.events) or estimate_tokens(
            request.system, request.messages, request.tools
        )
        return tokens > limit * self.limits.compact_at

    async def _compact(self, run: _Run, request: ModelRequest) -> None:
        reply, end = await self._request(run, compaction_request(request))
        notes = "\n".join(block["text"] for block in reply.content if block["type"] == "text")
        await run.emit(end, record.event(run.writer, AgentThreadContextCompacted, notes=notes))

    async def _ask(self, run: _Run, request: ModelRequest) -> None:
        reply, end = await self._request(run, request)
        said = record.reply_events(run.writer, reply, permission=run.tools.permission)
        cut = reply.stop_reason == "max_tokens"
        over = cut or not any(isinstance(event, AgentToolUse) for event in said)
        reason = "budget_reached" if cut else "end_turn"
        finish = record.stopped(run.writer, [*run.events, end], reason) if over else ()
        await run.emit(end, *said, *finish)
        if cut:
            raise BudgetExceeded(
                f"session {run.writer.session_id}: the model's answer was cut off at {self.limits.max_tokens}"
                " tokens; raise max_tokens in the arm's settings"
            )

    async def _request(self, run: _Run, request: ModelRequest) -> tuple[ModelReply, EventBase]:
        start = record.request_start(run.writer, request)
        await run.emit(start)
        began = self.clock.monotonic()
        try:
            reply = await self.model.complete(request)
        except ModelError as error:
            failed = record.request_failed(run.writer, start, error)
            await run.emit(failed, *record.failure(run.writer, run.events, error))
            raise
        seconds = self.clock.monotonic() - began
        return reply, record.request_end(run.writer, start, request, reply, seconds)
