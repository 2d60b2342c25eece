"""A brain that draws instead of thinking: for planning, power analysis, load and failure tests.

Knows nothing of any document. What it answers comes from a seeded, declared distribution, and every reply
carries the model id `simulated`, so that no number it made can pass for a measured one.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from nightschool.models.reader.merging import parse_findings
from nightschool.models.wire import Answer, Overloaded

__all__ = ["Profile", "SimulatedBrain"]

_POLICY: Final = re.compile(r"^## (\S+) ", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The declared distribution."""

    success_rate: float = 0.8
    """How often an answer is called a success."""
    failure_rate: float = 0.0
    """How often a request is answered with an overload instead; each repetition draws anew."""
    median_latency_seconds: float = 4.0
    """Of a log-normal; the number is reported, nobody waits for it."""
    latency_sigma: float = 0.5
    """Spread of the logarithm of latency."""
    position_weights: tuple[float, float, float] = (0.3, 0.6, 0.1)
    """How often a drawn position is violation, compliant, missing."""


class SimulatedBrain:
    """Answers by drawing; the same seed, request and attempt give the same answer."""

    model_id = "simulated"

    def __init__(self, profile: Profile | None = None, *, seed: int = 0) -> None:
        """Take the distribution and the seed."""
        self._profile = profile or Profile()
        self._seed = seed
        self._attempts: Counter[str] = Counter()

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """Draw an answer.

        Raises:
            Overloaded: as often as the profile says.
        """
        key = json.dumps([request.get("system"), request["messages"]], sort_keys=True)
        attempt = self._attempts[key]
        self._attempts[key] += 1
        rng = random.Random(f"{self._seed}|{attempt}|{key}")
        if rng.random() < self._profile.failure_rate:
            raise Overloaded("simulated overload")
        if _is_offered(request, "submit_memories"):
            return Answer(content=(self._wording(request, rng),), stop_reason="tool_use")
        if _is_offered(request, "submit_findings"):
            return Answer(content=(self._submission(request, rng),), stop_reason="tool_use")
        return Answer(content=({"type": "text", "text": self._text(rng)},), stop_reason="end_turn")

    def _text(self, rng: random.Random) -> str:
        profile = self._profile
        latency = profile.median_latency_seconds * rng.lognormvariate(0.0, profile.latency_sigma)
        drawn = {
            "simulated": True,
            "success": rng.random() < profile.success_rate,
            "latency_seconds": round(latency, 3),
            "profile": asdict(profile),
        }
        return json.dumps(drawn)

    def _wording(self, request: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
        """Draw words for a dream's findings; those that are no success quote an event that nobody wrote."""
        items = [
            {
                "findings": [finding["path"]],
                "text": f"{finding['text']} (simulated)",
                "events": finding["events"][:1]
                if rng.random() < self._profile.success_rate
                else ["sevt_simulated"],
            }
            for finding in parse_findings(request)
        ]
        return {"type": "tool_use", "name": "submit_memories", "input": {"items": items}}

    def _submission(self, request: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
        policies = _POLICY.findall(str(request.get("system") or ""))
        kinds = ("violation", "compliant", "missing")
        positions = [
            {
                "policy": policy,
                "position": rng.choices(kinds, self._profile.position_weights)[0],
                "section": None,
                "quote": None,
                "confidence": round(rng.random(), 2),
                "reason": "simulated",
            }
            for policy in policies
        ]
        return {"type": "tool_use", "name": "submit_findings", "input": {"positions": positions}}


def _is_offered(request: Mapping[str, Any], name: str) -> bool:
    offered = any(tool["name"] == name for tool in request.get("tools") or ())
    return offered and len(request["messages"]) == 1
