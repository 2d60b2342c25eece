"""The reader: an agent without a language model. Each turn it reads its request and decides what to do next.

It knows nothing but the request: no state is carried from turn to turn except caches of pure functions.

    notes asked for      → notes            no outline          → list_sections
    answer accepted      → summary          sections unread     → read_section, several at once
    may delegate         → delegate         a reference is open → read_section
                                            all read            → submit_findings
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from nightschool.core.tokens import estimate_tokens
from nightschool.models.embed import CachedEmbedder, Embedder
from nightschool.models.reader import judge, lead
from nightschool.models.reader.context import Context, read_context
from nightschool.models.reader.evidence import Evidence
from nightschool.models.reader.lookup import Lookup, make_lookup, with_amounts
from nightschool.models.reader.memory import read_hints
from nightschool.models.reader.merging import SUBMIT_MEMORIES, merged_findings, parse_findings
from nightschool.models.reader.notes import Notes, write_notes
from nightschool.models.reader.passages import Attention
from nightschool.models.reader.sections import references
from nightschool.models.reader.statements import sentences_of
from nightschool.models.wire import Answer

__all__ = ["ReaderBrain"]

_BATCH_TOKENS: Final = 5000
_BATCH_CALLS: Final = 16
_TOKENS_PER_WORD: Final = 1.75
_TOKENS_PER_CALL: Final = 90
_UNKNOWN_WORDS: Final = 200
_FULL: Final = 0.9
_MOST_REFUSALS: Final = 3
_RESEMBLES: Final = 0.55
"""Likeness of a passage to a warning from which on it is meant by it."""
_CAUTION: Final = 0.3
"""What is left of a violation's weight when memory warns of it."""
_BELIEVED: Final = 0.15
"""Relevance from which on a passage is reported that somebody else points at: two have come to it."""


class ReaderBrain:
    """Answers requests for a review; deterministic, milliseconds a turn."""

    model_id = "reader"

    def __init__(self, embedder: Embedder, *, context_limit_tokens: int | None = None) -> None:
        """Take what compares sentences, and how much it may read in one request."""
        self._attention = Attention(
            embedder if isinstance(embedder, CachedEmbedder) else CachedEmbedder(embedder)
        )
        self._judge = judge.Judge(self._attention)
        self._limit = context_limit_tokens

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """Return the next turn."""
        if any(tool["name"] == SUBMIT_MEMORIES for tool in request.get("tools") or ()):
            return self._wording(request)
        context = read_context(request)
        hints = read_hints(context.memories, context.playbook, self._attention)
        context.eager |= hints.eager
        context.lookups = hints.sections
        context.cautions = hints.cautions
        context.breaches = hints.breaches
        if context.wants_notes:
            return _say(write_notes(self._notes(context)))
        if not context.playbook.policies:
            return _say("I find no playbook in my instructions, so I have nothing to review against.")
        if context.is_accepted or len(context.refusals) >= _MOST_REFUSALS:
            return _say(_summary(context))
        calls = self._gathering(context, request)
        if not calls:
            return self._hand_in(context)
        return _call([*self._interim(context), *calls])

    def _wording(self, request: Mapping[str, Any]) -> Answer:
        """Return a dream's findings, those that say the same said once."""
        if len(request["messages"]) > 1:
            return _say("That is all that says the same.")
        items = merged_findings(parse_findings(request), self._attention)
        return _call([_use(SUBMIT_MEMORIES, {"items": items})])

    def _interim(self, context: Context) -> list[dict[str, Any]]:
        """Return notes to stand beside the calls, where the instructions ask for notes along the way."""
        if not (context.keeps_notes and context.sections):
            return []
        return [{"type": "text", "text": write_notes(self._notes(context))}]

    def _gathering(self, context: Context, request: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the calls that bring in what is still needed; none when everything is there."""
        if not context.task.sections and context.outline is None and "list_sections" in context.tools:
            return [_use("list_sections", {})]
        if "delegate" in context.tools and context.reports is None:
            return self._handing_out(context, request)
        unread = self._unread(context) if "read_section" in context.tools else []
        return self._reading(unread, context, request) if unread else []

    def _handing_out(self, context: Context, request: Mapping[str, Any]) -> list[dict[str, Any]]:
        outline = context.outline or ()
        read = context.read_numbers
        defining = [number for number in lead.definition_sections(outline) if number not in read]
        if defining and "read_section" in context.tools:
            return self._reading(defining, context, request)
        return [_use("delegate", {"tasks": lead.parts(outline, self._bearing(context))})]

    def _unread(self, context: Context) -> list[str]:
        """Return what to read now: what is asked for, else what was referred to and matters."""
        if context.reports is not None:
            return lead.to_check(context)
        wanted = context.task.sections or tuple(entry.number for entry in context.outline or ())
        read = context.read_numbers
        # What a grader points at is read again where it is no longer in view.
        gone = {each for _, each, _ in context.pointed} - set(context.sections) - context.unreadable
        again = [each for _, each, _ in context.pointed if each in gone]
        unread = [*again, *(number for number in (*wanted, *context.lookups) if number not in read)]
        return unread or self._referred(context)

    def _referred(self, context: Context) -> list[str]:
        known = {entry.number for entry in context.outline or ()}
        found: dict[str, None] = dict.fromkeys(context.notes.open)
        for piece in self._evidence(context):
            found |= dict.fromkeys(references(piece.quote))
        read = context.read_numbers
        return [n for n in found if n not in read and (not known or n in known)]

    def _reading(
        self, numbers: Sequence[str], context: Context, request: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        words = {entry.number: entry.words for entry in context.outline or ()}
        room = float(_BATCH_TOKENS)
        if self._limit is not None:
            used = estimate_tokens(request.get("system"), request["messages"], request.get("tools") or ())
            room = min(room, self._limit * _FULL - used)
        calls: list[dict[str, Any]] = []
        for number in numbers[:_BATCH_CALLS]:
            room -= words.get(number, _UNKNOWN_WORDS) * _TOKENS_PER_WORD + _TOKENS_PER_CALL
            if calls and room < 0:
                break
            calls.append(_use("read_section", {"number": number}))
        return calls

    def _evidence(self, context: Context) -> list[Evidence]:
        passages = self._attention.passages(context.playbook, context.judged, eager=context.eager)
        in_mind = [passage for of_policy in passages for passage in of_policy]
        fresh = self._judge.weigh(context.playbook, in_mind, _lookup(context))
        fresh += self._pointed(context)
        seen = {(piece.policy, piece.section) for piece in fresh}
        noted = [piece for piece in context.notes.evidence if (piece.policy, piece.section) not in seen]
        faulted = {(remark.policy, quote) for remark, quote in context.faulted_quotes()}
        return [
            piece
            for piece in (
                *noted,
                *lead.reported(context),
                *map(partial(self._cautious, context), fresh),
                *self._remembered(context),
            )
            if (piece.policy, piece.quote) not in faulted
        ]

    def _pointed(self, context: Context) -> list[Evidence]:
        """Return what the passages say that a grader pointed at; it is believed that they matter, not how."""
        found = [
            self._attention.pointed(context.playbook, context.sections[section], words, policy)
            for policy, section, words in context.pointed
            if section in context.sections
        ]
        passages = [passage for passage in found if passage is not None]
        return [
            replace(piece, relevance=max(piece.relevance, judge.REPORTED))
            for piece in self._judge.weigh(context.playbook, passages, _lookup(context))
            if piece.relevance >= _BELIEVED
        ]

    def _remembered(self, context: Context) -> list[Evidence]:
        """Return the sentences that resemble words which memory says break a policy."""
        found = [
            (self._attention.resemblance(sentence, words), policy, section.number, sentence)
            for policy, words in context.breaches
            for section in context.judged
            for sentence in sentences_of(section.text)
        ]
        return [
            Evidence(
                policy=policy,
                position="violation",
                section=section,
                quote=sentence,
                relevance=round(likeness, 4),
                certainty=round(likeness, 4),
                reason="resembles what memory says breaks it",
            )
            for likeness, policy, section, sentence in found
            if likeness >= _RESEMBLES
        ]

    def _cautious(self, context: Context, piece: Evidence) -> Evidence:
        """Return evidence, weaker where it resembles what memory warns of."""
        if piece.position != "violation" or not any(
            self._attention.resemblance(piece.quote, caution) >= _RESEMBLES for caution in context.cautions
        ):
            return piece
        return replace(piece, relevance=piece.relevance * _CAUTION)

    def _bearing(self, context: Context) -> list[tuple[str, str]]:
        """Return the definitions that bear on some policy or hold an amount."""
        definitions = _lookup(context).definitions
        measured = dict(with_amounts(definitions))
        return [
            (term, meaning)
            for term, meaning in definitions.items()
            if term in measured or self._attention.bears(context.playbook, meaning)
        ]

    def _notes(self, context: Context) -> Notes:
        best: dict[tuple[str, str], Evidence] = {}
        for piece in sorted(self._evidence(context), key=judge.weight):
            best[piece.policy, piece.position] = piece
        return Notes(
            evidence=tuple(best.values()),
            definitions=tuple(self._bearing(context)),
            read=tuple(sorted(context.read_numbers)),
            left=context.left,
            open=tuple(lead.to_check(context) if context.reports is not None else self._referred(context)),
            handed_out=context.reports is not None,
        )

    def _hand_in(self, context: Context) -> Answer:
        positions = judge.decide(
            context.playbook,
            self._evidence(context),
            may_report_missing=context.task.may_report_missing,
            eager=context.eager,
        )
        positions = judge.mended(positions, context.refusals)
        if "submit_findings" not in context.tools:
            return _say(judge.as_text(positions))
        return _call([_use("submit_findings", {"positions": positions})])


def _lookup(context: Context) -> Lookup:
    return make_lookup(
        context.sections.values(), given=context.task.definitions, noted=context.notes.definitions
    )


def _summary(context: Context) -> str:
    positions = (context.submitted or {}).get("positions", [])
    if not context.is_accepted:
        return f"My positions were not accepted: {context.refusals[-1]}"
    violations = sorted(p["policy"] for p in positions if p["position"] == "violation")
    return f"Handed in {len(positions)} positions; violations: {', '.join(violations) or 'none'}."


def _use(name: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "input": given}


def _call(calls: Iterable[dict[str, Any]]) -> Answer:
    return Answer(content=tuple(calls), stop_reason="tool_use")


def _say(text: str) -> Answer:
    return Answer(content=({"type": "text", "text": text},), stop_reason="end_turn")
