"""Reports of memory experiments, kept in a log of their own so that they can be looked at again."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from nightschool.core.ids import derived_id
from nightschool.events.effect import MemoryEffectMeasured
from nightschool.harness import record
from nightschool.sessions.log import SessionLog

if TYPE_CHECKING:  # these import the whole protocol, which takes seconds: too long for a page that only reads
    from nightschool.experiments.memory_effect.effect import ArmEffect
    from nightschool.experiments.memory_effect.protocol import EffectDesign, EffectReport

__all__ = ["LOG_ID", "keep_effect"]

LOG_ID: Final = derived_id("session", "memory-effects")
"""The session that holds them."""
_SOURCE: Final = "memory-effect"


async def keep_effect(
    log: SessionLog, report: EffectReport, *, design: EffectDesign, suite: str, seed: int
) -> None:
    """Append a report to the log.

    Raises:
        StoreError: it was not stored; the kind says why.
    """
    # A tenant of its own: no dream takes the report for a session to learn from.
    writer = await log.create(
        LOG_ID, title="What memory is worth", metadata={"source": _SOURCE, "tenant": _SOURCE}
    )
    measured = record.event(
        writer,
        MemoryEffectMeasured,
        experiment_id=report.experiment_id,
        suite=suite,
        brain=report.brain,
        rules=report.rules,
        seed=seed,
        repeats=design.repeats,
        train_sessions=report.train_sessions,
        test_samples=report.test_samples,
        memories=report.memories,
        store_hash=report.store_hash,
        effects=tuple(_effect(each, report) for each in report.against_none),
        rivals=tuple(_effect(each, report) for each in report.against_others),
        curve_shares=design.points,
        curve_samples=report.curve_samples,
        curves=report.curves,
        retention=asdict(report.retention),
    )
    await writer.emit_event(measured)


def _effect(each: ArmEffect, report: EffectReport) -> dict[str, Any]:
    found, interval = each.comparison, each.comparison.interval
    return {
        "arm": str(each.arm),
        "baseline": str(each.baseline),
        "success": each.success,
        "baseline_success": each.baseline_success,
        "gain": found.difference,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "p": found.p,
        "n": found.n_pairs,
        "verdict": str(each.verdict),
        "gained": each.gained,
        "harmed": each.harmed,
        "failed_without": each.failed_without,
        "passed_without": each.passed_without,
        "tokens": report.tokens.get(each.arm),
    }
