"""Something is made, handed in, graded by one who does not know the truth, and mended."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Never

import pytest

from nightschool.core.clock import SystemClock
from nightschool.core.errors import InvalidInput, Malformed
from nightschool.core.ids import IdSource
from nightschool.events.span import SpanOutcomeEvaluationEnd
from nightschool.experiments.arms import load_arm
from nightschool.experiments.design import TrialSpec
from nightschool.experiments.hand_in_trials import HandInTrials
from nightschool.experiments.reviews import setup_of
from nightschool.experiments.runner import ArmResult
from nightschool.experiments.suite import Suite, load_suite
from nightschool.journal.journal import Journal
from nightschool.models.client import ModelClient
from nightschool.models.connect import mount
from nightschool.models.simulated_author import Habits
from nightschool.models.wire import Answer, Brain
from nightschool.orchestration.review import Workplace
from nightschool.sessions.log import SessionLog

pytestmark = [pytest.mark.anyio, pytest.mark.integration]
FOLDER = Path(__file__).resolve().parents[3] / "evals" / "files"
HABITS = Habits(errors={"rule": 0.5, "slip": 0.1}, mends=1.0, spoils=0.0, detects=1.0, false_alarm=0.0)


@dataclass(frozen=True)
class Sealed:
    """A draw whose truth cannot be looked at without being noticed."""

    document: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def gold(self) -> Never:
        raise AssertionError("an arm looked at the truth")


@pytest.fixture
def suite() -> Suite:
    return replace(load_suite("files", [FOLDER.parent]), habits=HABITS)


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[SessionLog]:
    journal = Journal.open(tmp_path / "journal.sqlite", clock=SystemClock())
    yield SessionLog(journal, clock=SystemClock(), ids=IdSource())
    journal.close()


class Unasked:
    """A brain that nobody should ask."""

    model_id = "simulated"

    def answer(self, request: Mapping[str, Any]) -> Answer:
        raise AssertionError(request)


async def tried(
    suite: Suite, log: SessionLog, arm: str, *, brain: Brain | None = None, model: str = "simulated"
) -> ArmResult:
    assert suite.hand_in is not None
    setup = setup_of(load_arm(arm, [FOLDER / "arms"], agent_folders=[FOLDER]), hand_in=suite.hand_in.name)
    client: ModelClient = mount(brain or Unasked())
    place = Workplace(log=log, model=client, clock=SystemClock())
    spec = TrialSpec(
        trial_id=f"trial_{arm}",
        experiment_id="exp_x",
        suite="files",
        arm=arm,
        sample_id="medium-json-1",
        epoch=0,
        seed=3,
        brain=model,
        tier="strict",
        limits={},
    )
    drawn = suite.module.draw("medium-json-1", 0, 3)
    async with HandInTrials(
        suite=suite, tool=suite.hand_in, workplaces={arm: place}, setups={arm: setup}, clock=SystemClock()
    ) as trials:
        return await trials(spec, Sealed(drawn.document))


def success(suite: Suite, result: ArmResult) -> float:
    drawn = suite.module.draw("medium-json-1", 0, 3)
    return suite.module.score(drawn.gold, result.answer, drawn.document).metrics["success"]


async def verdicts(log: SessionLog, result: ArmResult) -> list[SpanOutcomeEvaluationEnd]:
    events = await log.get_events(result.root_session_id)
    return [event for event in events if isinstance(event, SpanOutcomeEvaluationEnd)]


async def test_a_draft_with_errors_stands_where_nobody_grades(suite: Suite, log: SessionLog) -> None:
    result = await tried(suite, log, "single")
    assert (0.0, 2, []) == (success(suite, result), result.model_calls, await verdicts(log, result))


async def test_an_author_who_looks_again_hands_in_as_often_as_it_is_asked(
    suite: Suite, log: SessionLog
) -> None:
    once = await tried(suite, log, "single")
    again = await tried(suite, log, "single-looks-again")
    assert (1, 3) == (once.tool_calls, again.tool_calls)
    assert once.usage.total_tokens < again.usage.total_tokens


async def test_a_draft_is_sent_back_until_it_is_right(suite: Suite, log: SessionLog) -> None:
    result = await tried(suite, log, "loop-strict")
    found = await verdicts(log, result)
    assert ["needs_revision", "satisfied"] == [each.result for each in found]
    assert "this rule is not kept" in found[0].explanation
    assert 1.0 == success(suite, result)
    assert found[0].usage.input_tokens > 0


async def test_how_much_the_loop_asks_for_is_its_arm_s(suite: Suite, log: SessionLog) -> None:
    found = await verdicts(log, await tried(suite, log, "loop-lenient"))
    assert {"lenient"} == {each.tier for each in found}


async def test_a_trial_that_is_taken_up_again_repeats_nothing(suite: Suite, log: SessionLog) -> None:
    for arm in ("single-looks-again", "loop-strict"):
        assert await tried(suite, log, arm) == await tried(suite, log, arm)


@dataclass
class Scripted:
    """Hands in an empty file twice, and gives every criterion that it is asked about no marks."""

    model_id: str = "claude-x"
    graded: list[str] = field(default_factory=list)

    def answer(self, request: Mapping[str, Any]) -> Answer:
        last = request["messages"][-1]["content"]
        if isinstance(last, list) and last[-1]["type"] == "tool_result":
            return Answer(content=({"type": "text", "text": "done"},), stop_reason="end_turn")
        tool = next((tool for tool in request.get("tools") or ()), None)
        if tool is None:
            return Answer(content=({"type": "text", "text": "over"},), stop_reason="end_turn")
        if tool["name"] == "hand_in_files":
            given = {"files": [{"path": "x.json", "content": "[1]"}]}
            call = {"type": "tool_use", "name": "hand_in_files", "input": given}
            return Answer(content=(call,), stop_reason="tool_use")
        self.graded.append(json.dumps(request))
        raise AssertionError("code has decided: nobody is to be asked")


async def test_a_model_is_told_what_code_finds_wrong(suite: Suite, log: SessionLog) -> None:
    """Its format cannot be used, so no grader is asked about the rest."""
    result = await tried(suite, log, "loop-strict", brain=Scripted(), model="claude-x")
    found = await verdicts(log, result)
    assert ["needs_revision", "needs_revision", "max_iterations_reached"] == [each.result for each in found]
    assert "path: the file is to be called" in found[0].explanation
    assert "schema: " in found[0].explanation


async def test_a_brain_that_makes_nothing_is_refused(suite: Suite, log: SessionLog) -> None:
    with pytest.raises(InvalidInput, match="the reader reads and makes nothing"):
        await tried(suite, log, "single", model="reader")
    with pytest.raises(InvalidInput, match="declares no `simulation`"):
        await tried(replace(suite, habits=None), log, "single")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("routing: single", "routing: subagents", "subagents is not for this suite; here: single"),
        ("author: agents/author.md", "writer: agents/author.md", "needs an agent for role `author`"),
        ("loop_tier: strict", "loop_tier: sternly", "loop_tier"),
    ],
)
def test_an_arm_that_cannot_make_anything_is_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = (FOLDER / "arms" / "loop-strict.yaml").read_text("utf-8")
    assert old in text
    (tmp_path / "a.yaml").write_text(text.replace(old, new))
    with pytest.raises(Malformed, match=said):
        setup_of(load_arm("a", [tmp_path], agent_folders=[FOLDER]), hand_in="hand_in_files")


def test_an_author_without_the_suite_s_tool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Malformed, match="asks for tool `hand_in_files`; there are: give"):
        setup_of(load_arm("single", [FOLDER / "arms"], agent_folders=[FOLDER]), hand_in="give")
