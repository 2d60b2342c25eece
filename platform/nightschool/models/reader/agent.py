"""The reader: an agent without a language model. Each turn it reads its request and decides what to do next.

It knows nothing but the request: no state is carried from turn to turn except caches of pure functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from nightschool.models.embed import CachedEmbedder, Embedder
from nightschool.models.reader import judge
from nightschool.models.reader.context import Context, read_context
from nightschool.models.reader.evidence import Evidence
from nightschool.models.reader.notes import Notes, write_notes
from nightschool.models.reader.passages import Attention
from nightschool.models.reader.sections import references
from nightschool.models.tokens import estimate_tokens
from nightschool.models.wire import Answer

__all__ = ["ReaderBrain"]

_FLOOR: Final = 0.36
_LOWERED_FLOOR: Final = 0.28
_BATCH_TOKENS: Final = 6000
_BATCH_CALLS: Final = 16
_TOKENS_PER_WORD: Final = 1.75
_TOKENS_PER_CALL: Final = 90
_FULL: Final = 0.9


class ReaderBrain:
    """Answers requests for a review; deterministic, milliseconds a turn."""

    model_id = "reader"

    def __init__(self, embedder: Embedder, *, context_limit_tokens: int | None = None) -> None:
        """Take what compares sentences, and how much it may read in one request."""
        self._attention = Attention(CachedEmbedder(embedder))
        self._limit = context_limit_tokens

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """Return the next turn."""
        context = read_context(request)
        if context.wants_notes:
            return _say(write_notes(self._notes(context)))
        if not context.playbook.policies:
            return _say("I find no playbook in my instructions, so I have nothing to review against.")
        if context.is_accepted:
            return _say(_summary(context))
        calls = self._reading(context, request)
        return _call(calls) if calls else self._hand_in(context)

    def _reading(self, context: Context, request: Mapping[str, Any]) -> list[dict[str, Any]]:
        restricted = bool(context.task.sections)
        if not restricted and context.outline is None and "list_sections" in context.tools:
            return [_use("list_sections", {})]
        if "read_section" not in context.tools:
            return []
        words = {entry.number: entry.words for entry in context.outline or ()}
        wanted = context.task.sections or tuple(words)
        unread = [number for number in wanted if number not in context.read_numbers]
        if not unread:
            unread = self._still_referred(context, words)
        return [_use("read_section", {"number": number}) for number in self._batch(unread, words, request)]

    def _batch(
        self, numbers: Sequence[str], words: Mapping[str, int], request: Mapping[str, Any]
    ) -> list[str]:
        room = float(_BATCH_TOKENS)
        if self._limit is not None:
            used = estimate_tokens(request.get("system"), request["messages"], request.get("tools") or ())
            room = min(room, self._limit * _FULL - used)
        batch: list[str] = []
        for number in numbers[:_BATCH_CALLS]:
            room -= words.get(number, 150) * _TOKENS_PER_WORD + _TOKENS_PER_CALL
            if batch and room < 0:
                break
            batch.append(number)
        return batch

    def _still_referred(self, context: Context, words: Mapping[str, int]) -> list[str]:
        """Return sections that passages of weight refer to and that were not read."""
        found: dict[str, None] = dict.fromkeys(context.notes.open)
        for piece in self._evidence(context):
            found |= dict.fromkeys(references(piece.quote))
        return [n for n in found if n not in context.read_numbers and (not words or n in words)]

    def _evidence(self, context: Context) -> list[Evidence]:
        floors = {remark.policy: _LOWERED_FLOOR for remark in context.feedback if remark.asks_to_look_again}
        passages = self._attention.passages(
            context.playbook, context.sections.values(), floor=_FLOOR, floors=floors
        )
        fresh = [
            piece
            for policy in context.playbook.policies
            for piece in judge.weigh(policy, passages[policy.id])
        ]
        return [*context.notes.evidence, *fresh]

    def _notes(self, context: Context) -> Notes:
        evidence = self._evidence(context)
        best: dict[tuple[str, str], Evidence] = {}
        for piece in sorted(evidence, key=lambda piece: piece.relevance * piece.certainty):
            best[piece.policy, piece.position] = piece
        return Notes(
            evidence=tuple(best.values()),
            read=tuple(dict.fromkeys([*context.notes.read, *context.sections, *context.unreadable])),
        )

    def _hand_in(self, context: Context) -> Answer:
        positions = judge.decide(
            context.playbook,
            self._evidence(context),
            may_report_missing=context.task.may_report_missing,
        )
        return _call([_use("submit_findings", {"positions": positions})])


def _summary(context: Context) -> str:
    positions = (context.submitted or {}).get("positions", [])
    violations = sorted(p["policy"] for p in positions if p["position"] == "violation")
    return f"Handed in {len(positions)} positions; violations: {', '.join(violations) or 'none'}."


def _use(name: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "input": given}


def _call(calls: Iterable[dict[str, Any]]) -> Answer:
    return Answer(content=tuple(calls), stop_reason="tool_use")


def _say(text: str) -> Answer:
    return Answer(content=({"type": "text", "text": text},), stop_reason="end_turn")
