"""A data folder in which something was dreamt: sessions that disagree, a dream over them, a measurement."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource
from nightschool.dreaming.adopt import Adoption
from nightschool.dreaming.pipeline import Dreamer, DreamResult
from nightschool.dreaming.rules import SHARPENED
from nightschool.events.effect import MemoryEffectMeasured
from nightschool.events.session import SessionCreated
from nightschool.experiments.memory_effect.kept import LOG_ID
from nightschool.journal.journal import Journal
from tests.unit.dreaming.sessions import Sessions

__all__ = ["OLD", "SCRIPT", "WEAK", "adopt", "decide", "note_trials", "write_dream", "write_effect"]

OLD: Final = "Refunds take 5 days."
WEAK: Final = "Refunds take 3 days."
SCRIPT: Final = "Vouchers <script>window.pwned = 1</script> are valid for 2 years."
_PATH: Final = ("get_order", "update_order")


def write_dream(folder: Path, *, sessions: int = 10) -> DreamResult:
    """Write sessions, and a dream over them that nobody has decided about."""
    clock = FrozenClock()
    journal = Journal.open(folder / "journal.sqlite", clock=clock)
    try:
        written = Sessions(journal)
        for number in range(sessions):
            written.add(
                f"old{number}", *_PATH, passed=True, source="user", comment=f"{OLD} {SCRIPT}", on=1 + number
            )
        written.add("weak", *_PATH, passed=False, source="self", comment=WEAK, on=20)
        return _dreamer(journal, clock).dream()
    finally:
        journal.close()


def adopt(folder: Path, dream_id: str) -> None:
    """Adopt a dream."""
    _adoption(folder, lambda adoption: adoption.adopt(dream_id, approved=True))


def decide(folder: Path, dream_id: str, reason: str) -> None:
    """Reject a dream."""
    _adoption(folder, lambda adoption: adoption.reject(dream_id, reason))


def note_trials(folder: Path, dream_id: str, *trials: Mapping[str, Any]) -> None:
    """Write down what came of trying a dream on a suite, one time after another."""
    _adoption(folder, lambda adoption: [adoption.note_trial(dream_id, **each) for each in trials])


def _adoption(folder: Path, move: Any) -> None:
    clock = FrozenClock()
    journal = Journal.open(folder / "journal.sqlite", clock=clock)
    try:
        move(Adoption(journal=journal, clock=clock, ids=_ids(clock)))
    finally:
        journal.close()


def _dreamer(journal: Journal, clock: FrozenClock) -> Dreamer:
    return Dreamer(journal=journal, clock=clock, ids=_ids(clock), rules=SHARPENED, name="default")


def _ids(clock: FrozenClock) -> IdSource:
    return IdSource(clock=clock, rng=random.Random(1))


def write_effect(folder: Path) -> MemoryEffectMeasured:
    """Write a measurement: the dreamt store gains, and is no better than raw episodes."""
    clock = FrozenClock()
    measured = MemoryEffectMeasured(
        id="sevt_effect",
        processed_at=clock.now(),
        experiment_id="exp_effect",
        suite="memory",
        brain="reader",
        rules="sharpened",
        seed=0,
        repeats=1,
        train_sessions=40,
        test_samples=40,
        memories=12,
        store_hash="f" * 64,
        effects=(
            _effect("raw episodes", "none", gain=0.475, verdict="better"),
            _effect("dreamt, incremental", "none", gain=0.475, verdict="better"),
        ),
        rivals=(_effect("dreamt, incremental", "raw episodes", gain=0.0, verdict="cannot be told apart"),),
        curve_shares=(0.25, 0.5, 1.0),
        curve_samples=20,
        curves=((0.6, 0.7, 0.85), (0.7, 0.85, 0.85)),
        retention={"backward_transfer": 0.13, "forgetting": 0.0, "forward_transfer": 0.6},
    )
    journal = Journal.open(folder / "journal.sqlite", clock=clock)
    try:
        created = SessionCreated(id="sevt_effects", processed_at=clock.now(), title="What memory is worth")
        journal.append(LOG_ID, [created, measured], epoch=1)
    finally:
        journal.close()
    return measured


def _effect(arm: str, baseline: str, *, gain: float, verdict: str) -> dict[str, Any]:
    return {
        "arm": arm,
        "baseline": baseline,
        "success": 0.35 + gain,
        "baseline_success": 0.35,
        "gain": gain,
        "low": gain - 0.15,
        "high": gain + 0.15,
        "p": 0.001,
        "n": 40,
        "verdict": verdict,
        "gained": 0.73,
        "harmed": 0.07,
        "failed_without": 26,
        "passed_without": 14,
        "tokens": 256.0,
    }
