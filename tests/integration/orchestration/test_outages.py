"""What a review is worth when the model did not answer: nothing is scored that was never done."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from nightschool.core.clock import SystemClock
from nightschool.core.errors import ConfigurationMissing, ContextLimitExceeded, ModelUnavailable
from nightschool.core.ids import IdSource
from nightschool.harness.loop import Limits
from nightschool.harness.model import Model
from nightschool.journal.journal import Journal
from nightschool.models.connect import connect
from nightschool.models.embed import HashEmbedder
from nightschool.models.request import ModelReply, ModelRequest
from nightschool.orchestration.planner import Granularity
from nightschool.orchestration.review import Review, Setup, Workplace
from nightschool.orchestration.routes import run_review
from nightschool.outcomes.findings import findings_of
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

## P02 Insurance
Clause: insurance of the Supplier
Required: yes
Position: The Supplier is insured.
Acceptable: "The Supplier keeps an insurance."
Not acceptable: "The Supplier need not be insured."
"""
DOCUMENT = parse_document(
    """# Services Agreement
## 1 Leaving
The Customer may terminate this agreement without cause by written notice of sixty days to the Supplier.
## 2 Liability
The total liability of the Supplier is limited to the charges of three (3) months before the claim.
## 3 Counterparts
This agreement may be signed in counterparts, each of which is an original and all of which are one.
"""
)
TOOLS = ("list_sections", "read_section", "submit_findings", "delegate")
AGENT = AgentFile(name="reviewer", system="Review the contract.", tools=TOOLS)
ROLES = {"single": ("reviewer",), "subagents": ("lead", "subagent"), "orchestrated": ("task",)}


@dataclass
class Faulty:
    """A model that fails where the test wants it to."""

    model: Model
    error: Exception
    answers: int = 0
    """Requests it answers before it fails."""
    about: str = ""
    """Fails only at requests whose first message has this."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        if self.about in str(request.messages[0]):
            self.answers -= 1
            if self.answers < 0:
                raise self.error
        return await self.model.complete(request)

    async def aclose(self) -> None:
        await self.model.aclose()


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
    )


@asynccontextmanager
async def _reader() -> AsyncIterator[Model]:
    async with connect("reader", embedder=HashEmbedder(), context_limit_tokens=32_000) as model:
        yield model


@asynccontextmanager
async def _log(path: Path) -> AsyncIterator[SessionLog]:
    clock = SystemClock()
    journal = Journal.open(path, clock=clock)
    try:
        yield SessionLog(journal, clock=clock, ids=IdSource())
    finally:
        journal.close()


def _at(log: SessionLog, model: Model) -> Workplace:
    return Workplace(log=log, model=model, clock=SystemClock())


@pytest.mark.parametrize("answers", [0, 1, 2])
@pytest.mark.parametrize("routing", ROLES)
async def test_a_server_that_was_down_leaves_no_answer_and_the_same_one_later(
    routing: str, answers: int, tmp_path: Path
) -> None:
    """An outage met half-way must not look like bad work, whichever way the work is routed."""
    review = _review(routing)
    async with _reader() as reader, _log(tmp_path / "whole.sqlite") as log:
        whole = await run_review(review, _at(log, reader))
    async with _reader() as reader, _log(tmp_path / "broken.sqlite") as log:
        with pytest.raises(ModelUnavailable, match="down"):
            await run_review(review, _at(log, Faulty(reader, ModelUnavailable("down"), answers)))

        assert whole == await run_review(review, _at(log, reader))


@pytest.mark.parametrize("routing", ROLES)
async def test_a_refused_key_stops_the_review(routing: str, tmp_path: Path) -> None:
    refused = ConfigurationMissing("the key was not accepted")
    async with _reader() as reader, _log(tmp_path / "journal.sqlite") as log:
        with pytest.raises(ConfigurationMissing):
            await run_review(
                _review(routing), _at(log, Faulty(reader, refused, about="Sections:" * (routing != "single")))
            )


async def test_a_review_of_which_every_task_failed_fails(tmp_path: Path) -> None:
    too_long = ContextLimitExceeded("too long")
    async with _reader() as reader, _log(tmp_path / "journal.sqlite") as log:
        with pytest.raises(ContextLimitExceeded):
            await run_review(_review("orchestrated"), _at(log, Faulty(reader, too_long)))


async def test_nothing_is_called_missing_from_a_document_that_was_read_in_part(tmp_path: Path) -> None:
    """The section that nobody read may hold the clause."""
    too_long = ContextLimitExceeded("too long")
    async with _reader() as reader, _log(tmp_path / "journal.sqlite") as log:
        whole = await run_review(_review("orchestrated"), _at(log, reader))
    async with _reader() as reader, _log(tmp_path / "part.sqlite") as log:
        faulty = Faulty(reader, too_long, about="Sections: 3")
        part = await run_review(_review("orchestrated"), _at(log, faulty))

    assert {"violation", "missing"} == {finding.position for finding in findings_of(whole)}
    assert {"violation"} == {finding.position for finding in findings_of(part)}
    assert part["failed"]
