"""Logs of other runners become arms of an experiment."""

from __future__ import annotations

from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import InvalidInput
from nightschool.events.base import EventBase
from nightschool.experiments.importers.comparison import Attempt, as_experiment, attempts_in
from nightschool.experiments.importers.imported import ImportedSession
from nightschool.experiments.importers.inspect_eval import parse
from nightschool.experiments.importers.telling import Telling
from nightschool.experiments.ledger import fold
from nightschool.experiments.measures import from_ledger
from nightschool.experiments.report import build_report
from nightschool.experiments.statistics import Verdict

SAMPLE = Path(__file__).with_name("inspect-sample.eval")


def attempt(arm: str, sample: str, value: float, epoch: int = 0) -> Attempt:
    return Attempt(
        arm=arm,
        suite="inspect/t",
        sample_id=sample,
        epoch=epoch,
        model="m",
        value=value,
        usage={"input_tokens": 10},
        model_calls=1,
        session_id=f"sesn_{arm}{sample}{epoch}",
    )


def made(attempts: list[Attempt]) -> list[EventBase]:
    return as_experiment(attempts, experiment_id="exp_1", now=FrozenClock().now(), version="0")


def test_a_log_is_read_as_attempts_with_their_scores_and_tokens() -> None:
    found = list(attempts_in(parse(SAMPLE), "base"))
    assert {("base", 1.0, "inspect/fees")} == {(each.arm, each.value, each.suite) for each in found}
    assert {("c0", 0), ("c2", 1)} < {(each.sample_id, each.epoch) for each in found}
    assert {950} == {sum(each.usage.values()) for each in found}


def test_two_logs_are_compared_like_any_experiment() -> None:
    names = [f"s{n}" for n in range(12)]
    attempts = [attempt("old", name, 0.0) for name in names] + [attempt("new", name, 1.0) for name in names]
    ledger = fold(made(attempts))
    report = build_report("exp_1", ledger.manifest, from_ledger(ledger))
    assert report.is_complete
    assert [("new", "old", Verdict.BETTER)] == [
        (c.treatment, c.baseline, c.verdict) for c in report.confirmatory
    ]
    assert "duration_seconds" not in report.arms[0].metrics


def test_only_what_every_arm_has_is_paired() -> None:
    attempts = [attempt(arm, s, 1.0, e) for arm in ("a", "b") for s in ("x", "y") for e in (0, 1)]
    ledger = fold(made([*attempts, attempt("a", "z", 1.0)]))
    assert (("x", "y"), 2, 8) == (
        ledger.manifest.samples,
        ledger.manifest.repeats,
        len(ledger.results()),
    )


def test_logs_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(InvalidInput, match="two arms"):
        made([attempt("a", "x", 1.0)])
    with pytest.raises(InvalidInput, match="different samples"):
        made([attempt("a", "x", 1.0), attempt("b", "y", 1.0)])


def session(value: float | None) -> ImportedSession:
    telling = Telling("sesn_1", "agent")
    telling.create(model="m", title="t", metadata={"source": "s", "sample_id": "x"})
    if value is not None:
        telling.judged(value)
    return telling.end()


def test_what_nobody_judged_is_left_out_and_what_was_judged_out_of_range_is_refused() -> None:
    assert [] == list(attempts_in([session(None)], "a"))
    with pytest.raises(InvalidInput, match="judged 7"):
        list(attempts_in([session(7.0)], "a"))
