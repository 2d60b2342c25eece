"""A goal becomes a plan by a model behind a server: taken, repaired once, refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from nightschool.models.wire import Answer, messages_app
from tests.acceptance.cli.command import Outcome, complaint, here
from tests.acceptance.cli.served import MODEL, Server, serving

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

GOOD: dict[str, Any] = {"goal": "sums", "tasks": [{"id": "a"}, {"id": "b", "depends_on": ["a"]}]}
CYCLE: dict[str, Any] = {
    "goal": "g",
    "tasks": [{"id": "a", "depends_on": ["b"]}, {"id": "b", "depends_on": ["a"]}],
}


@dataclass
class Planner:
    """A brain that hands in these plans, one after another."""

    plans: list[dict[str, Any]] = field(default_factory=list)
    model_id: str = MODEL

    def answer(self, request: Mapping[str, Any]) -> Answer:
        if not self.plans or not request["messages"]:
            return Answer(content=({"type": "text", "text": "done"},), stop_reason="end_turn")
        call = {"type": "tool_use", "name": "submit_plan", "input": self.plans.pop(0)}
        return Answer(content=(call,), stop_reason="tool_use")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def _make(server: Server, folder: Path, *plans: dict[str, Any]) -> Outcome:
    server._app = messages_app(Planner(list(plans)))
    asked = ("plan", "make", "Add it all up", str(folder / "plan.yaml"), "--brain", MODEL)
    return here("--base-url", server.url, *asked, data=folder / "data", ANTHROPIC_API_KEY="k")


@pytest.mark.parametrize("plans", [(GOOD,), (CYCLE, GOOD)])
def test_a_plan_that_can_be_run_is_written(
    plans: tuple[dict[str, Any], ...], server: Server, tmp_path: Path
) -> None:
    made = _make(server, tmp_path, *plans)

    assert 0 == made.code, made
    assert "2 tasks written" in made.err
    assert "2 tasks in 2 layers" in here("plan", "show", str(tmp_path / "plan.yaml")).out


def test_a_plan_wrong_twice_is_refused_and_nothing_is_written(server: Server, tmp_path: Path) -> None:
    refused = _make(server, tmp_path, CYCLE, CYCLE)

    assert 5 == refused.code
    assert "wait for one another" in complaint(refused)
    assert not (tmp_path / "plan.yaml").exists()


def test_a_file_that_is_there_is_not_overwritten(server: Server, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text("mine")

    assert "is there already" in complaint(_make(server, tmp_path, GOOD))
