"""A dream that asks a model for words: through the SDK, against the brains of this process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import ModelUnavailable
from nightschool.core.ids import IdSource
from nightschool.dreaming.adopt import Adoption
from nightschool.dreaming.asked_wording import SUBMIT_MEMORIES, ModelWriter
from nightschool.dreaming.pipeline import Dreamer, DreamResult
from nightschool.journal.journal import Journal
from nightschool.models.connect import connect, mount
from nightschool.models.simulated import Profile, SimulatedBrain
from nightschool.models.wire import Answer, Overloaded
from tests.unit.dreaming.sessions import Sessions

pytestmark = pytest.mark.integration


@pytest.fixture
def told(sessions: Sessions) -> Sessions:
    """Two sessions in which people said the same in other words, twice each."""
    said = ("Refunds in this house take 5 days.", "In this house refunds take 5 days.")
    for number in range(4):
        sessions.add(f"s{number}", passed=True, source="user", comment=said[number % 2], on=number + 1)
    return sessions


def _with(dreamer: Dreamer, brain: Any, name: str = "reader") -> Dreamer:
    client = connect(name, clock=dreamer.clock) if brain is None else mount(brain, clock=dreamer.clock)
    writer = ModelWriter(
        journal=dreamer.journal, clock=dreamer.clock, ids=dreamer.ids, client=client, model=name
    )
    return replace(dreamer, writer=writer)


def _said(result: DreamResult) -> dict[str, str]:
    return {
        memory.text: str(memory.attributes.state)
        for memory in result.plan.memories.values()
        if memory.is_recallable
    }


@dataclass
class Scripted:
    """Hands in what a test says."""

    answer_with: Mapping[str, Any]
    model_id: str = "scripted"
    asked: int = 0

    def answer(self, request: Mapping[str, Any]) -> Answer:
        self.asked += 1
        if len(request["messages"]) > 1:
            return Answer(content=({"type": "text", "text": "done"},), stop_reason="end_turn")
        use = {"type": "tool_use", "name": SUBMIT_MEMORIES, "input": dict(self.answer_with)}
        return Answer(content=(use,), stop_reason="tool_use")


def test_the_reader_says_once_what_was_said_twice(told: Sessions, dreamer: Dreamer) -> None:
    plain = dreamer.dream()
    worded = _with(dreamer, None).dream()

    assert (2, 1) == (len(_said(plain)), len(_said(worded)))
    assert worded.worded is not None and {} == worded.worded.dropped
    assert {path: memory.attributes.evidence for path, memory in plain.plan.memories.items()} == {
        path: memory.attributes.evidence for path, memory in worded.plan.memories.items()
    }
    assert 0.0 == worded.plan.archived_share


def test_a_simulated_brain_that_invents_events_is_refused_by_count(told: Sessions, dreamer: Dreamer) -> None:
    brain = SimulatedBrain(Profile(success_rate=0.0))
    result = _with(dreamer, brain, "simulated").dream()

    assert result.worded is not None
    assert {"it quotes an event that does not support it": 2} == result.worded.dropped
    assert _said(dreamer.dream()) == _said(result)


@pytest.mark.parametrize("answer", [{"items": "none"}, {}, {"items": [{"text": "x"}]}])
def test_an_answer_without_the_form_words_nothing(
    told: Sessions, dreamer: Dreamer, answer: Mapping[str, Any]
) -> None:
    result = _with(dreamer, Scripted(answer), "scripted").dream()

    assert result.worded is not None and () == result.worded.items
    assert 2 == len(_said(result))


def test_a_model_that_cannot_be_asked_fails_the_dream_which_can_be_done_again(
    told: Sessions, dreamer: Dreamer, adoption: Adoption
) -> None:
    class Busy(Scripted):
        def answer(self, request: Mapping[str, Any]) -> Answer:
            raise Overloaded(f"not now, with {len(request['messages'])} messages")

    with pytest.raises(ModelUnavailable):
        _with(dreamer, Busy({}), "scripted").dream()
    assert ["failed"] == [each.status for each in adoption.dreams()]
    assert "completed" == _with(dreamer, Scripted({"items": []}), "scripted").dream().completed.status
    assert ["completed"] == [each.status for each in adoption.dreams()]


def test_done_again_it_asks_nothing_twice(told: Sessions, dreamer: Dreamer) -> None:
    brain = Scripted({"items": []})
    writing = _with(dreamer, brain, "scripted")
    first = writing.dream()
    asked = brain.asked
    again = writing.dream()

    assert (first.dream_id, True, asked) == (again.dream_id, again.is_earlier, brain.asked)


def test_the_words_stay_when_a_later_dream_asks_no_model(
    told: Sessions, dreamer: Dreamer, adoption: Adoption
) -> None:
    worded = _with(dreamer, None).dream()
    adoption.adopt(worded.dream_id)
    told.add("more", passed=True, source="user", comment="In this house refunds take 5 days.", on=9)
    later = dreamer.dream()

    assert _said(worded) == _said(later)
    assert "dreamer" not in {each.source for each in later.findings.episodes}


def test_what_the_model_was_asked_is_a_session_and_no_evidence(
    told: Sessions, dreamer: Dreamer, journal: Journal, clock: FrozenClock, ids: IdSource
) -> None:
    result = _with(dreamer, None).dream()

    assert result.worded is not None
    (session,) = result.worded.session_ids
    assert "agent.tool_use" in {entry.type for entry in journal.read(session)}
    assert 4 == len(dreamer.dream(mode="rebuild").findings.episodes)
