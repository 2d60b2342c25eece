from __future__ import annotations

import json
from typing import Any

import pytest

from nightschool.models.client import ModelRequest
from nightschool.models.connect import mount
from nightschool.models.simulated import Profile, SimulatedBrain
from nightschool.models.wire import Overloaded

SUBMIT = {"name": "submit_findings", "description": "Hand in.", "input_schema": {"type": "object"}}


def request(text: str, **more: Any) -> dict[str, Any]:
    return {"model": "simulated", "messages": [{"role": "user", "content": text}], **more}


def test_the_same_seed_and_request_draw_the_same() -> None:
    answers = [SimulatedBrain(seed=3).answer(request("a")) for _ in range(2)]
    assert answers[0] == answers[1]
    assert answers[0] != SimulatedBrain(seed=4).answer(request("a"))


def test_success_comes_as_often_as_declared() -> None:
    brain = SimulatedBrain(Profile(success_rate=0.3), seed=1)
    drawn = [json.loads(brain.answer(request(str(n))).content[0]["text"]) for n in range(600)]
    assert all(one["simulated"] for one in drawn)
    assert 0.3 == pytest.approx(sum(one["success"] for one in drawn) / 600, abs=0.06)


def test_failures_come_as_often_as_declared_and_a_repetition_draws_anew() -> None:
    brain = SimulatedBrain(Profile(failure_rate=0.5), seed=1)
    failed = 0
    for _ in range(400):
        try:
            brain.answer(request("the same"))
        except Overloaded:
            failed += 1
    assert 0.5 == pytest.approx(failed / 400, abs=0.08)


def test_a_review_gets_one_drawn_position_for_each_policy() -> None:
    system = "# Playbook\n\n## P01 Cap\nClause: x\n\n## Q7 Term\nClause: y\n"
    answer = SimulatedBrain().answer(request("Review.", system=system, tools=[SUBMIT]))
    positions = answer.content[0]["input"]["positions"]
    assert ["P01", "Q7"] == [position["policy"] for position in positions]
    assert {"simulated"} == {position["reason"] for position in positions}


def test_one_finding_in_five_is_worded_with_an_event_that_nobody_wrote() -> None:
    findings = [
        {"path": f"/{number}", "group": 1, "text": "It ships.", "events": [f"sevt_{number}"]}
        for number in range(10)
    ]
    asked = request(json.dumps({"findings": findings}), tools=[{"name": "submit_memories"}])
    quoted = [
        event
        for seed in range(60)
        for item in SimulatedBrain(seed=seed).answer(asked).content[0]["input"]["items"]
        for event in item["events"]
    ]

    assert 600 == len(quoted)
    assert 0.2 == pytest.approx(quoted.count("sevt_simulated") / 600, abs=0.06)


@pytest.mark.anyio
async def test_every_reply_names_the_simulated_brain() -> None:
    asked = ModelRequest(model="simulated", system="", messages=({"role": "user", "content": "x"},))
    assert "simulated" == (await mount(SimulatedBrain()).complete(asked)).model
