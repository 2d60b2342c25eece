"""Graders and authors whose rule a test can see, and a place for them to work in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource
from nightschool.harness.loop import Harness
from nightschool.journal.journal import Journal
from nightschool.models.connect import mount
from nightschool.models.wire import Answer, Brain
from nightschool.sessions.log import SessionLog

CRITERION = re.compile(r"^- (\w+\.\d+): ", re.MULTILINE)
RESULT = re.compile(r"<result>\n(.*)\n</result>", re.DOTALL)


def call(name: str, **tool_input: Any) -> Answer:
    block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": tool_input}
    return Answer(content=(block,), stop_reason="tool_use")


def say(text: str) -> Answer:
    return Answer(content=({"type": "text", "text": text},), stop_reason="end_turn")


def said(request: Mapping[str, Any]) -> str:
    """Everything in a request, as one text."""
    return json.dumps(request, ensure_ascii=False)


def results(request: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [
        block
        for message in request["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]


@dataclass
class Grader:
    """Gives one score to everything; the first quotes may be made up."""

    model_id: str = "grader"
    scores: Sequence[float] = (0.8,)
    """Of its first session, its second ...; the last goes on."""
    inventions: int = 0
    """How often it quotes what is not there before it quotes what is."""
    fault: str = ""
    """Words for which a result gets 0.2, whatever the scores say."""
    requests: list[Mapping[str, Any]] = field(default_factory=list)
    _sessions: list[str] = field(default_factory=list)

    def answer(self, request: Mapping[str, Any]) -> Answer:
        self.requests.append(request)
        done = results(request)
        if done and not done[-1].get("is_error"):
            return say("Done.")
        paper = request["messages"][0]["content"][0]["text"]
        if not done:
            self._sessions.append(paper)
        score = self.scores[min(len(self._sessions), len(self.scores)) - 1]
        shown = RESULT.search(paper)
        assert shown is not None
        if self.fault and self.fault in shown[1]:
            score = 0.2
        evidence = "words nobody wrote" if len(done) < self.inventions else shown[1][:40]
        return call(
            "submit_grades",
            grades=[
                {"criterion": name, "score": score, "evidence": evidence, "reason": f"worth {score}"}
                for name in CRITERION.findall(paper)
            ],
        )


@dataclass
class Author:
    """Hands in its drafts one after another, a new one after each feedback, and thinks aloud."""

    drafts: Sequence[Mapping[str, Any]]
    model_id: str = "author"
    feedback: list[str] = field(default_factory=list)

    def answer(self, request: Mapping[str, Any]) -> Answer:
        last = request["messages"][-1]["content"]
        if any(block["type"] == "tool_result" for block in last):
            return say("SECRET REASONING: I only guessed.")
        self.feedback = [
            block["text"]
            for message in request["messages"]
            if message["role"] == "user"
            for block in message["content"]
            if block["type"] == "text" and block["text"].startswith("Feedback:")
        ]
        draft = self.drafts[min(len(self.feedback), len(self.drafts) - 1)]
        return call("submit_findings", **draft)


@contextmanager
def session_log(folder: Path, clock: FrozenClock, ids: IdSource) -> Iterator[SessionLog]:
    journal = Journal.open(folder / "journal.sqlite", clock=clock)
    try:
        yield SessionLog(journal, clock=clock, ids=ids)
    finally:
        journal.close()


def harness(log: SessionLog, brain: Brain, clock: FrozenClock) -> Harness:
    return Harness(log=log, model=mount(brain), clock=clock)
