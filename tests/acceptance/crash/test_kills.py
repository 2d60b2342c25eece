"""A run killed at random moments and resumed until it is done is the run that nobody killed."""

from __future__ import annotations

import json
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest

from tests.acceptance.cli.command import here, process, start
from tests.acceptance.cli.journal import count, wait_for

pytestmark = [pytest.mark.integration, pytest.mark.crash]

_RESUME: Final = ("run", "--resume", "LAST")
_CALLS: Final = """
SELECT t.arm, t.sample_id, t.epoch, s.role, s.title, c.tool, c.input, c.status
FROM v1_tool_calls c JOIN v1_sessions s USING (session_id) JOIN v1_trials t ON t.trial_id = s.trial_id
"""
_TRIALS: Final = "SELECT arm, sample_id, epoch, status, accuracy, tool_calls, answer FROM v1_trials"


def _design(samples: int, at_once: int) -> tuple[str, ...]:
    names = ",".join(f"letter-{number}" for number in range(1, samples + 1))
    return ("--repeats", "1", "--samples", names, "--trials-at-once", str(at_once), "--seed", "3")


def _ask(data: Path, question: str) -> list[dict[str, Any]]:
    answer = here("sql", question, "--format", "json", data=data)
    assert 0 == answer.code, answer.err
    rows: list[dict[str, Any]] = json.loads(answer.out)
    return rows


def _as_set(rows: list[dict[str, Any]]) -> Counter[str]:
    return Counter(json.dumps(row, sort_keys=True) for row in rows)


def _hash(data: Path) -> str:
    (row,) = _ask(data, "SELECT result_hash FROM v1_experiments")
    return str(row["result_hash"])


def _killed_at(moments: list[int], data: Path, *options: str) -> int:
    """Run and resume, each time killed once so many events are stored; return how often it was killed."""
    kills = 0
    arguments: tuple[str, ...] = ("run", "letters", *options)
    for moment in moments:
        with start(*arguments, data=data) as running:
            if not wait_for(running, data, moment):
                break
            running.kill()
        kills += 1
        arguments = (*_RESUME, "--trials-at-once", options[options.index("--trials-at-once") + 1])
    return kills


def _check(whole: Path, broken: Path) -> None:
    """The same trials, each once, with the same results, and no tool call made again that had a result."""
    trials = _ask(broken, _TRIALS)

    assert _as_set(_ask(whole, _TRIALS)) == _as_set(trials)
    assert _hash(whole) == _hash(broken)
    assert len(trials) == count(broken, "trial.completed")
    assert _as_set(_ask(whole, _CALLS)) == _as_set(_ask(broken, _CALLS))
    assert count(broken, "agent.tool_use") == count(broken, "agent.tool_result")
    assert 0 == here("verify", data=broken).code
    assert 0 == here("doctor", data=broken).code


def _moments(seed: int, kills: int, events: int) -> list[int]:
    return sorted(random.Random(seed).sample(range(2, events - 5), kills))


@pytest.mark.timeout(300)
def test_a_run_killed_twice_ends_as_the_unbroken_one(tmp_path: Path) -> None:
    """Two runs side by side, each killed twice: a process takes longer to start than a letter to review."""
    whole, broken = tmp_path / "whole", [tmp_path / "broken-1", tmp_path / "broken-2"]
    design = _design(samples=3, at_once=1)
    assert 0 == here("run", "letters", *design, data=whole).code

    moments = [_moments(seed, 2, count(whole)) for seed in (1, 2)]
    with ThreadPoolExecutor() as side_by_side:
        kills = side_by_side.map(lambda at, data: _killed_at(at, data, *design), moments, broken)

    assert [2, 2] == list(kills)
    for data in broken:
        finished = here(*_RESUME, data=data)
        assert 0 == finished.code, finished.err
        _check(whole, data)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("seed", "at_once"), [(2, 1), (3, 4)])
def test_a_run_killed_twenty_times_ends_as_the_unbroken_one(seed: int, at_once: int, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    design = _design(samples=8, at_once=at_once)
    assert 0 == process("run", "letters", *design, data=whole).code

    kills = _killed_at(_moments(seed, 20, count(whole)), broken, *design)
    finished = process(*_RESUME, data=broken)

    assert 20 == kills
    assert 0 == finished.code, finished.err
    _check(whole, broken)


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_a_run_that_is_taken_over_stops_and_the_other_finishes(tmp_path: Path) -> None:
    whole, shared = tmp_path / "whole", tmp_path / "shared"
    design = _design(samples=8, at_once=1)
    assert 0 == here("run", "letters", *design, data=whole).code
    with start("run", "letters", *design, data=shared) as first:
        assert wait_for(first, shared, 2, "trial.completed")
        second = here(*_RESUME, data=shared)
        _out, err = first.communicate()

    assert 0 == second.code, second.err
    assert 1 == first.returncode
    assert "was taken over by another process, which goes on; this one stops  [stale_writer]" in err
    _check(whole, shared)
