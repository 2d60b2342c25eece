from __future__ import annotations

from pathlib import Path

import pytest

from nightschool.bootstrap import open_workspace
from nightschool.dreaming.select import read_episodes, select
from nightschool.events.effect import MemoryEffectMeasured
from nightschool.experiments.memory_effect.effect import effects, retention
from nightschool.experiments.memory_effect.kept import LOG_ID, keep_effect
from nightschool.experiments.memory_effect.protocol import EffectDesign, EffectReport
from nightschool.settings import Settings

pytestmark = pytest.mark.anyio
RESULTS = {
    "none": {f"c{n}": {0: float(n < 4)} for n in range(10)},
    "dreamt": {f"c{n}": {0: float(n > 0)} for n in range(10)},
}


def report() -> EffectReport:
    against = tuple(effects(RESULTS, "none"))
    return EffectReport(
        experiment_id="exp_1",
        brain="reader",
        rules="plain",
        train_sessions=8,
        test_samples=10,
        against_none=against,
        against_others=against,
        tokens={"none": 0.0, "dreamt": 12.5},
        injected_share={},
        incremental_differs=(),
        store_hash="f",
        curves=((0.5, 0.75, 1.0),),
        curve_samples=5,
        retention=retention([[0.0, 0.0], [1.0, 0.5], [1.0, 1.0]]),
        memories=2,
        prices_usd=None,
        prices={},
        artefact=(0.0, 0.0, 0.0),
    )


async def test_a_report_is_kept_with_its_denominators_and_no_dream_reads_it(tmp_path: Path) -> None:
    with open_workspace(Settings(data_dir=tmp_path)) as space:
        await keep_effect(space.log, report(), design=EffectDesign(), suite="memory", seed=3)
        events = await space.log.get_events(LOG_ID)
        episodes = list(read_episodes(space.journal, select(space.journal)))

    (kept,) = [event for event in events if isinstance(event, MemoryEffectMeasured)]
    (effect,) = kept.effects
    assert (6, 4, 1.0, 0.25) == tuple(
        effect[name] for name in ("failed_without", "passed_without", "gained", "harmed")
    )
    assert (10, 12.5) == (effect["n"], effect["tokens"])
    assert ((0.5, 0.75, 1.0),) == kept.curves
    assert [] == episodes
