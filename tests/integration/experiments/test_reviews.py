"""Trials of document review: the truth stays with the suite, and an arm's file decides how work is routed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Never

import pytest

from nightschool.core.clock import SystemClock
from nightschool.core.errors import Malformed
from nightschool.core.ids import IdSource
from nightschool.experiments.arms import load_arm
from nightschool.experiments.design import TrialSpec
from nightschool.experiments.reviews import ReviewTrials, setup_of
from nightschool.journal.journal import Journal
from nightschool.models.connect import mount
from nightschool.models.embed import HashEmbedder
from nightschool.models.reader.agent import ReaderBrain
from nightschool.models.wire import Answer
from nightschool.orchestration.review import Workplace
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
"""
DOCUMENT = "# Deal\n## 1 Liability\nLiability of the Supplier is limited to three (3) months of charges.\n"
SECRET = "gold-c0ffee"


@dataclass(frozen=True)
class Sealed:
    """A draw whose truth cannot be looked at without being noticed."""

    document: str = DOCUMENT
    facts: Mapping[str, Any] = field(default_factory=lambda: {"pages": 5, "note": SECRET})

    @property
    def gold(self) -> Never:
        raise AssertionError("an arm looked at the truth")


@dataclass
class Overheard:
    """The reader, with every request it was sent kept."""

    reader: ReaderBrain
    requests: list[str] = field(default_factory=list)
    model_id: str = "reader"

    def answer(self, request: Mapping[str, Any]) -> Answer:
        self.requests.append(json.dumps(request))
        return self.reader.answer(request)


def _spec(arm: str) -> TrialSpec:
    return TrialSpec(
        trial_id=f"trial_{arm}",
        experiment_id="exp_x",
        suite="deals",
        arm=arm,
        sample_id="s1",
        epoch=0,
        seed=0,
        brain="reader",
        tier="standard",
        limits={},
    )


@pytest.mark.parametrize("arm", ["single", "subagents", "orchestrated"])
async def test_no_arm_and_no_request_ever_sees_the_truth(arm: str, tmp_path: Path) -> None:
    brain = Overheard(ReaderBrain(HashEmbedder()))
    clock = SystemClock()
    journal = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    setup = setup_of(load_arm(arm, [Path("evals/arms")], agent_folders=[Path("evals/contracts")]))
    async with mount(brain) as model:
        place = Workplace(log=SessionLog(journal, clock=clock, ids=IdSource()), model=model, clock=clock)
        trials = ReviewTrials(workplaces={arm: place}, setups={arm: setup}, playbook=PLAYBOOK)
        result = await trials(_spec(arm), Sealed())
    journal.close()

    assert ["P01"] == [position["policy"] for position in result.answer["positions"]]
    assert len(brain.requests) == result.model_calls
    assert not [request for request in brain.requests if SECRET in request]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("routing: subagents", "line 3: field `agents`: routing subagents needs an agent for role `lead`"),
        ("settings: {speed: 3}", "line 5: field `settings.speed`: unknown setting; known: compact_at"),
        ("settings: {max_tasks: many}", "line 5: field `settings.max_tasks`: must be a number above 0"),
    ],
)
def test_an_arm_that_cannot_work_is_refused_with_the_place(change: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "reviewer.md").write_text("---\nname: reviewer\n---\nReview.\n")
    routing = "" if change.startswith("routing") else "routing: single\n"
    file = f"title: A\ndescription: a\nagents: {{reviewer: reviewer.md}}\n{routing}{change}\n"
    (tmp_path / "a.yaml").write_text(file)

    with pytest.raises(Malformed, match=message):
        setup_of(load_arm("a", [tmp_path]))


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ("[read_section, submit_findings, fly]", "asks for tool `fly`; there are: delegate, list_sections"),
        ("[list_sections, read_section]", "lacks the tool `submit_findings`"),
    ],
)
def test_an_agent_that_could_never_hand_in_is_refused(tools: str, message: str, tmp_path: Path) -> None:
    """It would run, and score as if it were merely bad."""
    (tmp_path / "reviewer.md").write_text(f"---\nname: reviewer\ntools: {tools}\n---\nReview.\n")
    (tmp_path / "a.yaml").write_text(
        "title: A\ndescription: a\nagents: {reviewer: reviewer.md}\nrouting: single\n"
    )

    with pytest.raises(Malformed, match=f"line 3: field `agents.reviewer`: .*{message}"):
        setup_of(load_arm("a", [tmp_path]))
