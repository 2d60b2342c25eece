"""Plans of sums with seeded faults: drawn, and scored against sums that are known.

Knows nothing about arms. Everything here is pure: the same arguments give the same plan and the same score.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any, Final

from nightschool.core.errors import NotFound
from nightschool.experiments.suite_parts import Drawn, SampleSpec, Score, listed_samples

from .promises import kept

__all__ = ["draw", "playbook_text", "probe_answer", "samples", "score"]

_AGENTS: Final = {"quick": {"error": 0.2, "seconds": 4.0}, "careful": {"error": 0.05, "seconds": 9.0}}
_FAULTS: Final[Mapping[str, Mapping[str, float]]] = {
    "calm": {},
    "timeouts": {"timeout": 0.2},
    "crashes": {"crash": 0.2},
    "garbage": {"garbage": 0.4},
    "slow": {"slow": 0.4},
    "conflicting": {"overconfident": 0.6},
    "mixed": {"timeout": 0.08, "crash": 0.08, "garbage": 0.2, "slow": 0.2, "overconfident": 0.3},
}
"""Scenario to how often each fault happens to one answer."""
_READING: Final[Mapping[str, Mapping[str, float]]] = {
    "short": {"report_tokens": 50},
    "long": {"report_tokens": 1500},
}
"""How long the report is that comes with each result, where one goal is divided among agents."""
_DIVIDED: Final = {"seconds_per_number": 1.0, "seconds_per_1000_tokens": 2.0}
_PARTS: Final = 32
_WIDE: Final = {7: (0, 1, 2, 3, 4, 5, 6)}
_DEEP: Final = {n: (n - 1,) for n in range(1, 8)}
_STRATEGIES: Final = ("best_effort", "retry", "critical")
_TASKS: Final = 8


def samples(config: Mapping[str, Any]) -> list[SampleSpec]:
    """Return the samples that the declaration names.

    Raises:
        Malformed: ``samples`` is not a list of ids.
    """
    return listed_samples(config, lambda name: {"scenario": name.partition("-")[0]}, example="calm-wide")


def draw(sample_id: str, epoch: int, seed: int) -> Drawn:
    """Draw a plan: its shape is the sample's, its numbers and strategies are the draw's.

    Raises:
        NotFound: no such scenario or shape.
    """
    scenario, _, shape = sample_id.partition("-")
    if scenario == "divided" and (reading := shape.partition("-")[0]) in _READING:
        return _draw_divided(reading, random.Random(f"{sample_id}|{epoch}|{seed}"))
    if scenario not in _FAULTS or shape not in ("wide", "deep", "random"):
        raise NotFound(
            f"no sample {sample_id}; a scenario ({', '.join(_FAULTS)}) and wide, deep or random; or divided"
            " and short or long"
        )
    rng = random.Random(f"{sample_id}|{epoch}|{seed}")
    shapes: dict[str, Mapping[int, tuple[int, ...]]] = {"wide": _WIDE, "deep": _DEEP}
    waits = shapes.get(shape) or _random_shape(rng)
    tasks, gold = [], dict[str, int]()
    for number in range(_TASKS):
        needed = [f"t{each}" for each in waits.get(number, ())]
        numbers = [rng.randrange(1, 50) for _ in range(3)]
        gold[f"t{number}"] = sum(numbers) + sum(gold[each] for each in needed)
        tasks.append(_task(number, needed, numbers, rng.choice(_STRATEGIES)))
    plan = {"goal": f"The sum of {_TASKS} sums ({shape})", "tasks": tasks}
    document = {"plan": plan, "simulation": {**_FAULTS[scenario], "agents": _AGENTS}}
    facts = {"scenario": scenario, "shape": shape, "tasks": _TASKS}
    return Drawn(document=json.dumps(document), gold=gold, facts=facts)


def _draw_divided(reading: str, rng: random.Random) -> Drawn:
    """Draw one task of many parts, for arms that divide it: each agent more is one report more to read."""
    parts = [[rng.randrange(1, 50) for _ in range(3)] for _ in range(_PARTS)]
    task = _task(0, [], [], "best_effort") | {
        "max_seconds": 600,
        "parts": [f"Part: {json.dumps({'add': numbers})}" for numbers in parts],
    }
    plan = {"goal": f"The sum of {_PARTS} parts ({reading} reports)", "tasks": [task]}
    agents = {name: {**skill, "error": 0.0} for name, skill in _AGENTS.items()}
    document = {"plan": plan, "simulation": {**_DIVIDED, **_READING[reading], "agents": agents}}
    facts = {"scenario": "divided", "shape": reading, "tasks": 1}
    return Drawn(document=json.dumps(document), gold={"t0": sum(map(sum, parts))}, facts=facts)


def _random_shape(rng: random.Random) -> Mapping[int, tuple[int, ...]]:
    return {n: tuple(sorted(rng.sample(range(n), min(n, rng.randrange(3))))) for n in range(1, _TASKS)}


def _task(number: int, needed: list[str], numbers: list[int], strategy: str) -> dict[str, Any]:
    work = json.dumps({"add": numbers, "inputs": needed})
    return {
        "id": f"t{number}",
        "type": "sum" if needed else "first sum",
        "prompt": f"Add the numbers, and to them the values of the results named as inputs.\nWork: {work}",
        "depends_on": needed,
        "on_failure": strategy,
        "max_seconds": 60,
        "returns": {
            "type": "object",
            "properties": {
                "value": {"type": "integer"},
                "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            },
            "required": ["value", "confidence"],
        },
    }


def playbook_text() -> str:
    """Return nothing: a plan says itself what is to be done."""
    return ""


def probe_answer(probe: str, document: str) -> dict[str, Any]:
    """Return the answer of a shortcut: nothing, or the question handed back as if it were found."""
    if probe != "copy-the-rubric":
        return {"results": {}, "tasks": {}}
    tasks = json.loads(document)["plan"]["tasks"]
    return {"results": {task["id"]: {"value": 0, "confidence": 1.0} for task in tasks}, "tasks": {}}


def score(gold: Mapping[str, int], answer: Mapping[str, Any], document: str) -> Score:
    """Score the results that nothing waits for, and say what working together cost."""
    tasks = json.loads(document)["plan"]["tasks"]
    needed = {each for task in tasks for each in task["depends_on"]}
    last = [task["id"] for task in tasks if task["id"] not in needed]
    results = answer.get("results", {})
    given = [name for name in last if results.get(name)]
    right = [name for name in given if results[name].get("value") == gold[name]]
    accuracy = len(right) / len(last)
    measures = dict(answer.get("coordination", {}))
    fits = [isinstance(results[name].get("value"), int) for name in given]
    return Score(
        accuracy=accuracy,
        completeness=len(given) / len(last),
        format=sum(fits) / len(fits) if fits else 0.0,
        metrics=measures | _errors(gold, answer, accuracy, measures, len(tasks)),
    )


def _errors(
    gold: Mapping[str, int],
    answer: Mapping[str, Any],
    accuracy: float,
    measures: Mapping[str, float],
    tasks: int,
) -> dict[str, float]:
    """Return error of the whole against that of a step, and what was promised."""
    account = answer.get("tasks", {})
    steps = [
        each["value"] != gold[name.split("@")[0].split("~")[0]]
        for name, each in account.items()
        # What a piece should be is not known, only what all of them are together.
        if each["value"] is not None and "#" not in name
    ]
    step_error = sum(steps) / len(steps) if steps else 0.0
    error = 1 - accuracy
    found = {"error": error, "step_error": step_error}
    if account:
        found["promises_kept"] = kept(answer)
    if step_error:
        found["error_amplification"] = error / step_error
    if measures.get("turns"):
        found["coordination_efficiency"] = accuracy * tasks / measures["turns"]
    return found
