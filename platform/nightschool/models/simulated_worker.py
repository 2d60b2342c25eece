"""A simulated brain that does small sums in the tasks of a plan, and fails as its profile declares.

A task's context says what is to be added, and what other tasks found:

    Work: {"add": [3, 4], "inputs": ["a"]}
    Result of a: {"value": 7, "confidence": 0.9}

    Part: {"add": [5, 6]}

The right result is the sum of all, and of what pieces of the same task (`a#1`) found. What it hands in is
drawn: right or wrong, in time or late, garbled, or nothing at all. The same seed and request give the same
draw, so a plan that is woken meets the same faults. Asked as a grader, it calculates a second time, and is
mistaken as often as is declared. Nobody waits for the seconds it reports; every reply carries the model id
`simulated`.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from nightschool.core.tokens import BYTES_PER_TOKEN, text_tokens
from nightschool.models.wire import Answer

__all__ = ["EXCHANGE", "Faults", "SimulatedWorker", "Skill", "base_of", "right_value"]

EXCHANGE: Final = "Compare your own finding with what your peers found."
"""In a context, these words ask for the value that most peers hold."""
_WORK: Final = re.compile(r"^Work: (\{.*\})$", re.MULTILINE)
_PART: Final = re.compile(r"^Part: (\{.*\})$", re.MULTILINE)
_PIECE: Final = "#"
_RESULT: Final = re.compile(r"^Result of (\S+): (\{.*\})$", re.MULTILINE)
_NAME: Final = re.compile(r"You are (\w+)")
_CRITERION: Final = re.compile(r"^- ([\w-]+\.\d+): ", re.MULTILINE)
_PAPER: Final = re.compile(r"\A# Task\n(.*?)\n\n# .*<result>\n(.*)\n</result>", re.DOTALL)
_GRADES: Final = "submit_grades"
_COPY: Final = re.compile(r"[@~#]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """What is declared of one agent."""

    error: float = 0.15
    """How often its result is wrong."""
    seconds: float = 5.0
    """The median of its log-normal latency."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """The declared distribution."""

    timeout: float = 0.0
    """How often an answer takes twenty times as long."""
    crash: float = 0.0
    """How often nothing is handed in."""
    garbage: float = 0.0
    """How often what is handed in first does not fit the schema."""
    slow: float = 0.0
    """How often an answer takes four times as long."""
    overconfident: float = 0.0
    """How often a wrong result is stated as surer than a right one."""
    detection: float = 0.9
    """How often a check finds a wrong result."""
    false_alarm: float = 0.02
    """How often a check finds fault with a right one."""
    seconds_per_number: float = 0.0
    """How much longer each number to be added takes."""
    seconds_per_1000_tokens: float = 0.0
    """How long a thousand tokens take to read."""
    report_tokens: int = 0
    """How long the report is that comes with each result, for whoever reads it."""
    skills: Mapping[str, Skill] = field(default_factory=dict)
    """Agent to what is declared of it."""


def base_of(task_id: str) -> str:
    """Return the task that this one is a copy, a peer's version or a piece of."""
    return _COPY.split(task_id)[0]


def right_value(context: str) -> int:
    """Return the right result of a task, given what it was told."""
    work = _work(context)
    told = {base_of(task_id): value for task_id, value in _told(context)}
    pieces = sum(value for task_id, value in _told(context) if _PIECE in task_id)
    return int(sum(_numbers(context)) + pieces) + sum(told.get(needed, 0) for needed in work["inputs"])


def _numbers(context: str) -> list[int]:
    parts = [json.loads(found) for found in _PART.findall(context)]
    return [number for each in (_work(context), *parts) for number in each["add"]]


def _work(context: str) -> Mapping[str, Any]:
    found = _WORK.search(context)
    work: Mapping[str, Any] = json.loads(found[1]) if found else {"add": [], "inputs": []}
    return work


def _told(context: str) -> list[tuple[str, int]]:
    return [
        (task_id, int(json.loads(result).get("value", 0))) for task_id, result in _RESULT.findall(context)
    ]


class SimulatedWorker:
    """Answers by drawing."""

    model_id = "simulated"

    def __init__(self, faults: Faults | None = None, *, seed: int = 0) -> None:
        """Take the distribution and the seed."""
        self._faults = faults or Faults()
        self._seed = seed

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """Hand in a drawn result, or end the turn when one was accepted."""
        messages = request["messages"]
        last = messages[-1]["content"]
        answered = isinstance(last, list) and last[0].get("type") == "tool_result"
        if answered and not last[0].get("is_error"):
            return Answer(content=({"type": "text", "text": "done"},), stop_reason="end_turn")
        if any(tool["name"] == _GRADES for tool in request.get("tools") or ()):
            return self._graded(_text(messages[0]))
        system = str(request.get("system") or "")
        rng = random.Random(f"{self._seed}|{system}|{json.dumps(messages, sort_keys=True)}")
        named = _NAME.search(system)
        skill = self._faults.skills.get(named[1] if named else "", Skill())
        seconds = {
            "type": "text",
            "text": json.dumps({"simulated": True, "seconds": self._seconds(skill, _text(messages[0]), rng)}),
        }
        if rng.random() < self._faults.crash:
            return Answer(content=(seconds,), stop_reason="end_turn")
        garbled = not answered and rng.random() < self._faults.garbage
        result = {"value": "?"} if garbled else self._result(_text(messages[0]), skill, rng)
        call = {"type": "tool_use", "name": "submit_result", "input": result}
        return Answer(content=(seconds, call), stop_reason="tool_use")

    def check(self, context: str, value: object) -> bool:
        """Return whether a check finds the result right: it is mistaken as often as is declared."""
        rng = random.Random(f"{self._seed}|check|{context}|{value}")
        if value == right_value(context):
            return rng.random() >= self._faults.false_alarm
        return rng.random() >= self._faults.detection

    def _graded(self, paper: str) -> Answer:
        """Hand in grades: every criterion is met where the check finds the result right, else none."""
        found = _PAPER.search(paper)
        asked, result = (found[1], found[2]) if found else (paper, "{}")
        right = self.check(asked, json.loads(result).get("value"))
        grade = {
            "score": 1.0 if right else 0.0,
            "evidence": result if right else None,
            "reason": "a second calculation agrees" if right else "a second calculation does not agree",
        }
        grades = [{"criterion": name, **grade} for name in _CRITERION.findall(paper.partition("\n\n# ")[2])]
        call = {"type": "tool_use", "name": _GRADES, "input": {"grades": grades}}
        return Answer(content=(call,), stop_reason="tool_use")

    def _seconds(self, skill: Skill, context: str, rng: random.Random) -> float:
        drawn, faults = rng.random(), self._faults
        factor = 20.0 if drawn < faults.timeout else 4.0 if drawn < faults.timeout + faults.slow else 1.0
        work = len(_numbers(context)) * faults.seconds_per_number
        reading = text_tokens(context) / 1000 * faults.seconds_per_1000_tokens
        return round((skill.seconds + work + reading) * factor * rng.lognormvariate(0.0, 0.3), 3)

    def _result(self, context: str, skill: Skill, rng: random.Random) -> dict[str, Any]:
        value = right_value(context)
        wrong = rng.random() < skill.error
        if wrong:
            value += rng.choice((-2, -1, 1, 2))
        if EXCHANGE in context:
            value = _most_held(context, value)
        sure = wrong == (rng.random() < self._faults.overconfident)
        low, high = (0.6, 0.95) if sure else (0.3, 0.7)
        result = {"value": value, "confidence": round(rng.uniform(low, high), 3)}
        length = self._faults.report_tokens * BYTES_PER_TOKEN
        return result | ({"report": ("so it was found; " * length)[:length]} if length else {})


def _most_held(context: str, own: int) -> int:
    work = _work(context)
    peers = [value for task_id, value in _told(context) if base_of(task_id) not in work["inputs"]]
    return Counter([own, *peers]).most_common(1)[0][0]


def _text(message: Mapping[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else str(content[0].get("text", ""))
