from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from nightschool.models.simulated_worker import EXCHANGE, Faults, SimulatedWorker, Skill, base_of, right_value

CONTEXT = 'Add.\nWork: {"add": [3, 4], "inputs": ["a"]}\n\nResult of a: {"value": 10, "confidence": 0.9}'
RIGHT = Faults(skills={"clerk": Skill(error=0.0, seconds=2.0)})


def _request(context: str = CONTEXT, *more: dict[str, Any]) -> Mapping[str, Any]:
    first = {"role": "user", "content": [{"type": "text", "text": context}]}
    return {"system": "You are clerk.", "messages": [first, *more]}


def _handed_in(faults: Faults, context: str = CONTEXT, seed: int = 0) -> Any:
    content = SimulatedWorker(faults, seed=seed).answer(_request(context)).content
    return content[1]["input"] if len(content) > 1 else None


def test_the_right_result_is_the_sum_of_the_numbers_and_the_inputs() -> None:
    assert 17 == right_value(CONTEXT)
    assert 17 == _handed_in(RIGHT)["value"]
    assert 7 == right_value(CONTEXT.replace("Result of a:", "Result of b:"))


def test_what_copies_and_peers_found_is_their_tasks() -> None:
    assert ["a", "a", "a"] == [base_of(name) for name in ("a@2", "a~1~2", "a#3")]
    assert 17 == right_value(CONTEXT.replace("Result of a:", "Result of a@2:"))


def test_the_same_request_and_seed_give_the_same_draw() -> None:
    faults = Faults(crash=0.3, garbage=0.3, slow=0.3)

    assert [_handed_in(faults, seed=n) for n in range(20)] == [_handed_in(faults, seed=n) for n in range(20)]


def test_faults_come_about_as_often_as_declared() -> None:
    faults = Faults(crash=0.25, skills={"clerk": Skill(error=0.5)})

    drawn = [_handed_in(faults, seed=n) for n in range(400)]

    assert 70 <= drawn.count(None) <= 130
    values = [each["value"] for each in drawn if each]
    assert 0.4 < sum(value != 17 for value in values) / len(values) < 0.6


def test_garbage_does_not_fit_and_is_mended_when_sent_back() -> None:
    brain = SimulatedWorker(Faults(garbage=1.0, skills=RIGHT.skills))
    refused = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "is_error": True}]}

    assert "?" == brain.answer(_request()).content[1]["input"]["value"]
    assert (
        17
        == brain.answer(_request(CONTEXT, {"role": "assistant", "content": []}, refused)).content[1]["input"][
            "value"
        ]
    )


def test_a_turn_ends_when_a_result_was_accepted() -> None:
    accepted = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}

    answer = SimulatedWorker(RIGHT).answer(_request(CONTEXT, accepted))

    assert "end_turn" == answer.stop_reason


def test_seconds_are_reported_and_labelled() -> None:
    said = json.loads(SimulatedWorker(Faults(timeout=1.0)).answer(_request()).content[0]["text"])

    assert said["simulated"] is True
    assert said["seconds"] > 30


def test_peers_hold_what_most_of_them_found() -> None:
    peers = "".join(f'\n\nResult of t~{n}: {{"value": 99, "confidence": 0.5}}' for n in (1, 2))

    assert 99 == _handed_in(RIGHT, f"{CONTEXT}\n\n{EXCHANGE}{peers}")["value"]


def test_a_check_finds_most_of_what_is_wrong() -> None:
    found = [SimulatedWorker(RIGHT, seed=n).check(CONTEXT, value) for n in range(200) for value in (17, 18)]

    assert 190 <= sum(found[::2])
    assert 40 >= sum(found[1::2])
