from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.events.experiment import TrialCompleted
from nightschool.experiments.design import trial_order
from nightschool.experiments.ledger import fold
from nightschool.experiments.regrading import Action, Step, decide_all, regraded, regraded_manifest
from nightschool.experiments.runner import run
from tests.unit.experiments.fakes import Adder, DrawnSum, Marks, MemoryLog, Sums, manifest, suite

pytestmark = pytest.mark.anyio

HASHES = {"single": "1", "pool": "2"}


class Stricter(Sums):
    """Scores half of what it did."""

    def score(self, gold: Any, answer: dict[str, Any], document: str) -> Marks:  # noqa: ARG002
        return Marks(answer["quality"] / 2, answer["quality"] / 2, 1.0, {"recall": 0.5})


class Rewritten(Sums):
    """Draws other documents."""

    def draw(self, sample_id: str, epoch: int, seed: int) -> DrawnSum:  # noqa: ARG002
        return DrawnSum("another", 1, {"pages": 1})


class Asked(Sums):
    def playbook_text(self) -> str:
        return "Subtract."


async def results() -> list[TrialCompleted]:
    log, adder = MemoryLog(), Adder()
    await run(manifest(), experiment_id="exp_1", log=log, suite=suite(), run_trial=adder, clock=adder.clock)
    return fold(log.events).results()


def changed(module: Any) -> Any:
    return replace(suite(module=module), content_hash="changed")


async def steps(now: Any, hashes: dict[str, str] | None = None) -> list[Step]:
    return decide_all(manifest(), await results(), now, hashes or HASHES)


@pytest.mark.parametrize(
    ("now", "action", "reason"),
    [
        (suite(), Action.REUSE, "nothing changed"),
        (changed(Stricter()), Action.REGRADE, "document and question did not"),
        (changed(Rewritten()), Action.RERUN, "document is another"),
        (changed(Asked()), Action.RERUN, "what agents are asked"),
        (replace(changed(Sums()), config={"names": ["zzz"]}), Action.RERUN, "no sample"),
    ],
)
async def test_what_a_trial_needs_follows_from_what_changed(now: Any, action: Action, reason: str) -> None:
    found = await steps(now)
    assert 12 == len(found)
    assert {action} == {step.action for step in found}
    assert reason in found[0].reason


async def test_only_trials_of_a_changed_arm_run_again() -> None:
    found = await steps(suite(), {"single": "1", "pool": "other"})
    assert {("single", Action.REUSE), ("pool", Action.RERUN)} == {(s.result.arm, s.action) for s in found}


async def test_a_trial_recorded_without_digests_cannot_be_regraded() -> None:
    old = [result.model_copy(update={"digests": {}}) for result in await results()]
    assert {Action.RERUN} == {s.action for s in decide_all(manifest(), old, changed(Stricter()), HASHES)}


async def test_recorded_answers_are_scored_anew_and_keep_what_they_took() -> None:
    now = changed(Stricter())
    step = next(step for step in await steps(now) if step.result.scores["accuracy"] > 0)
    anew = regraded_manifest(manifest(), now, HASHES, source="exp_1", now=FrozenClock().now())
    made = regraded(step, now, anew, "exp_2")
    assert step.result.scores["accuracy"] / 2 == made.scores["accuracy"]
    assert (step.result.usage, step.result.session_id, "exp_2") == (
        made.usage,
        made.session_id,
        made.experiment_id,
    )
    assert ("exp_1", "changed") == (anew.regraded_from, anew.suite_hash)
    assert made.trial_id in {spec.trial_id for spec in trial_order(anew, "exp_2")}


async def test_what_an_arm_met_is_recorded_by_its_digest() -> None:
    (first, *_) = await results()
    playbook = hashlib.sha256(b"Add.").hexdigest()
    assert ({"document", "playbook"}, playbook) == (first.digests.keys(), first.digests["playbook"])
