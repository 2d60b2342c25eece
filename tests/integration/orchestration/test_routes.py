"""All three ways of routing, over one small contract, with the reader: what holds for each of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.clock import SystemClock
from nightschool.core.errors import NightschoolError, StoreFull
from nightschool.core.ids import IdSource
from nightschool.events.agent import AgentToolUse
from nightschool.events.plan import PlanCreated, TaskCompleted
from nightschool.harness.loop import Limits
from nightschool.journal.append import Append, Placed
from nightschool.journal.journal import Journal
from nightschool.models.connect import connect
from nightschool.models.embed import HashEmbedder
from nightschool.orchestration.planner import Granularity
from nightschool.orchestration.review import Review, Setup, Workplace
from nightschool.orchestration.routes import consumption_of, run_review
from nightschool.outcomes.findings import evidence_errors, findings_of
from nightschool.outcomes.playbook import policies_of
from nightschool.registry.agents import AgentFile
from nightschool.sandbox.documents import parse_document
from nightschool.sessions.log import SessionLog

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

PLAYBOOK = """# Playbook
We review as the Customer.

## P01 Liability cap
Clause: limitation of the Supplier's liability
Required: yes
Position: The Supplier may limit its liability, but not below twelve months of charges.
Acceptable: "The Supplier is liable up to the sum of eighteen monthly charges."
Not acceptable: "The Supplier is liable for no more than two monthly charges."
Limit: at least 12 months

## P02 Notice
Clause: notice to terminate without cause
Required: yes
Position: The Customer may leave with at most ninety days' notice.
Acceptable: "The Customer can leave by writing two months ahead."
Not acceptable: "The Customer can leave only by writing a year ahead."
Limit: at most 90 days

## P03 Insurance
Clause: insurance of the Supplier
Required: yes
Position: The Supplier is insured.
Acceptable: "The Supplier keeps an insurance."
Not acceptable: "The Supplier need not be insured."
"""
DOCUMENT = parse_document(
    """# Services Agreement
## 1 Definitions
"Notice Period" means one hundred and eighty (180) days.
## 2 Leaving
The Customer may terminate this agreement without cause by written notice of the Notice Period.
## 3 Liability
The total liability of the Supplier is limited to the charges of three (3) months.
## 4 Counterparts
This agreement may be signed in counterparts.
"""
)
TOOLS = ("list_sections", "read_section", "submit_findings", "delegate")
AGENT = AgentFile(name="reviewer", system="Review the contract.", tools=TOOLS)
ROLES = {"single": ("reviewer",), "subagents": ("lead", "subagent"), "orchestrated": ("task",)}
ROUTES = tuple(ROLES)


def _review(routing: str) -> Review:
    return Review(
        id=f"trial_{routing}",
        document=DOCUMENT,
        playbook=PLAYBOOK,
        policies=policies_of(PLAYBOOK),
        model="reader",
        setup=Setup(
            routing=routing,
            agents=dict.fromkeys(ROLES[routing], AGENT),
            limits=Limits(context_limit_tokens=32_000),
            granularity=Granularity(words_per_task=20),
        ),
        metadata={"arm": routing},
    )


@asynccontextmanager
async def _workplace(path: Path) -> AsyncIterator[Workplace]:
    clock = SystemClock()
    journal = Journal.open(path, clock=clock)
    async with connect("reader", embedder=HashEmbedder(), context_limit_tokens=32_000) as model:
        yield Workplace(log=SessionLog(journal, clock=clock, ids=IdSource()), model=model, clock=clock)
    journal.close()


@pytest.fixture(params=ROUTES)
def routing(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


async def test_every_policy_gets_a_position_that_rests_on_the_document(routing: str, tmp_path: Path) -> None:
    async with _workplace(tmp_path / "journal.sqlite") as workplace:
        answer = await run_review(_review(routing), workplace)

    findings = findings_of(answer)
    assert {"P01", "P02", "P03"} == {finding.policy for finding in findings}
    assert [] == evidence_errors(findings, DOCUMENT)


async def test_a_finished_review_run_again_asks_no_model_and_answers_the_same(
    routing: str, tmp_path: Path
) -> None:
    review = _review(routing)
    async with _workplace(tmp_path / "journal.sqlite") as workplace:
        first = await run_review(review, workplace)
        used = await consumption_of(review, workplace.log)
    async with _workplace(tmp_path / "journal.sqlite") as workplace:
        again = await run_review(review, workplace)

        assert first == again
        assert used == await consumption_of(review, workplace.log)


async def test_a_review_broken_off_at_any_append_is_carried_on_to_the_same_result(
    routing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let the disk fill up at append n, for growing n; then carry on, and compare with the unbroken run."""
    review = _review(routing)
    async with _workplace(tmp_path / "whole.sqlite") as workplace:
        whole = await run_review(review, workplace)
        used = await consumption_of(review, workplace.log)
    append_all = Journal.append_all
    broken = 0
    for n in range(1, 200, 2):
        left = n

        def failing(journal: Journal, appends: Sequence[Append]) -> Sequence[Placed | NightschoolError]:
            nonlocal left
            left -= 1
            if left < 0:
                return [StoreFull() for _ in appends]
            return append_all(journal, appends)

        async with _workplace(tmp_path / f"{n}.sqlite") as workplace:
            monkeypatch.setattr(Journal, "append_all", failing)
            try:
                await run_review(review, workplace)
            except StoreFull:
                broken += 1
            monkeypatch.undo()
            answer = await run_review(review, workplace)

            assert whole == answer, n
            assert used == await consumption_of(review, workplace.log), n
        if left >= 0:
            break
    assert broken > 3


async def test_a_task_receives_its_own_sections_and_declared_inputs_and_nothing_else(tmp_path: Path) -> None:
    review = _review("orchestrated")
    async with _workplace(tmp_path / "journal.sqlite") as workplace:
        await run_review(review, workplace)
        root = await workplace.log.get_events(review.root_session_id)
        plan = next(event for event in root if isinstance(event, PlanCreated))
        sessions = {
            event.task_id: event.task_session_id or "" for event in root if isinstance(event, TaskCompleted)
        }
        for task in plan.tasks:
            if task["id"] not in sessions:
                continue
            events = await workplace.log.get_events(sessions[task["id"]])
            read = {
                e.input["number"] for e in events if isinstance(e, AgentToolUse) and e.name == "read_section"
            }
            shown = "".join(event.model_dump_json() for event in events)
            foreign = [s for s in DOCUMENT.sections if s.number not in task["sections"]]

            assert read <= set(task["sections"])
            assert not [s.number for s in foreign if s.text in shown and s.text not in _flat(task)]


def _flat(task: dict[str, Any]) -> str:
    return str(task["inputs"])
