"""`nightschool dream effect`: does memory help on work it has not seen, and whom does it harm?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import anyio
import click
from rich.table import Table

from nightschool.bootstrap import open_workspace
from nightschool.cli.console import json_option, messages, results, show_json
from nightschool.core.errors import InvalidInput
from nightschool.dreaming.rules import RULES, rules_named
from nightschool.experiments.memory_effect.arms import MemoryArm
from nightschool.experiments.memory_effect.effect import ArmEffect, order_spread
from nightschool.experiments.memory_effect.launch import measure_effect
from nightschool.experiments.memory_effect.price import Price
from nightschool.experiments.memory_effect.protocol import EffectDesign, EffectReport
from nightschool.experiments.memory_effect.worlds import check_protocol
from nightschool.experiments.statistics.comparison import Verdict
from nightschool.settings import Settings

__all__ = ["effect"]

_WORLDS = 200


@click.command()
@click.option("--suite", "suite_name", default="memory", show_default=True, help="A suite with families.")
@click.option("--brain", default="reader", show_default=True, help="reader, or a claude-... model.")
@click.option(
    "--rules", "rules_name", default="sharpened", show_default=True, type=click.Choice(sorted(RULES))
)
@click.option(
    "--repeats", default=1, show_default=True, type=click.IntRange(min=1), help="Draws per contract."
)
@click.option(
    "--orders", default=5, show_default=True, type=click.IntRange(min=1), help="Orders of learning."
)
@click.option("--seed", default=0, show_default=True, type=int)
@click.option(
    "--check", is_flag=True, help="Try the figures on 200 simulated worlds whose truth is known instead."
)
@json_option
@click.pass_obj
def effect(  # noqa: PLR0913  # one parameter per option
    settings: Settings,
    *,
    suite_name: str,
    brain: str,
    rules_name: str,
    repeats: int,
    orders: int,
    seed: int,
    check: bool,
    as_json: bool,
) -> None:
    """Measure what dreaming is worth: learn on some families of work, test on others, eight arms."""
    if check:
        _check(as_json=as_json)
        return
    said: list[str] = []

    def tell(what: str) -> None:
        stage = what.partition(":")[0]
        if not said or said[-1] != stage:
            said.append(stage)
            messages().print(f"{stage} ...", markup=False)

    async def measure() -> EffectReport:
        with open_workspace(settings) as workspace:
            return await measure_effect(
                workspace,
                suite_name=suite_name,
                rules=rules_named(rules_name),
                design=EffectDesign(repeats=repeats, orders=orders),
                brain=brain,
                seed=seed,
                on_progress=tell,
            )

    report = anyio.run(measure)
    if as_json:
        show_json(_json(report))
    else:
        _show(report)


def _check(*, as_json: bool) -> None:
    found = check_protocol(_WORLDS)
    if as_json:
        show_json({**asdict(found), "is_sound": found.is_sound, "simulated": True})
    else:
        results().print(
            f"{found.worlds} simulated worlds of 50 tasks and two trials each\n"
            f"equal arms cannot be told apart in {found.equal_undecided:.1%} (95 % asked for)\n"
            f"15 points more are found in {found.gain_found:.1%}, 15 less in {found.harm_found:.1%}"
            f" (80 % asked for)\n{found.leaks_refused} of {found.leaks} planted leaks end a run",
            markup=False,
        )
    if not found.is_sound:
        raise InvalidInput("the memory experiment's figures are not what they must be; do not use them")


def _effect_json(each: ArmEffect) -> dict[str, Any]:
    interval = each.comparison.interval
    return {
        "arm": str(each.arm),
        "baseline": str(each.baseline),
        "success": each.success,
        "baseline_success": each.baseline_success,
        "gain": each.comparison.difference,
        "interval": None if interval is None else [interval.low, interval.high],
        "p": each.comparison.p,
        "verdict": str(each.verdict),
        "gained": each.gained,
        "harmed": each.harmed,
    }


def _json(report: EffectReport) -> dict[str, Any]:
    return {
        "experiment_id": report.experiment_id,
        "brain": report.brain,
        "rules": report.rules,
        "train_sessions": report.train_sessions,
        "test_samples": report.test_samples,
        "memories": report.memories,
        "store_hash": report.store_hash,
        "effects": [_effect_json(each) for each in report.against_none],
        "dreamt_against": [_effect_json(each) for each in report.against_others],
        "tokens": {str(arm): tokens for arm, tokens in report.tokens.items()},
        "prices": _prices_json(report.prices),
        "prices_usd": None if report.prices_usd is None else _prices_json(report.prices_usd),
        "injected_share": {str(arm): share for arm, share in report.injected_share.items()},
        "incremental_differs": list(report.incremental_differs),
        "learning_curves": [list(curve) for curve in report.curves],
        "order_artefact": list(report.artefact),
        "order_spread": list(order_spread(report.curves)),
        "retention": asdict(report.retention),
    }


def _prices_json(prices: Mapping[str, Price]) -> dict[str, Any]:
    return {str(arm): asdict(each) for arm, each in prices.items()}


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _show(report: EffectReport) -> None:
    console = results()
    console.print(
        f"{report.brain}, rules {report.rules}: learnt from {report.train_sessions} sessions,"
        f" {report.memories} memories; tested on {report.test_samples} contracts of other families",
        markup=False,
    )
    table = Table("arm", "passes", "gain", "95 %", "verdict", "gained", "harmed", "tokens", box=None)
    base = report.against_none[0]
    table.add_row(str(base.baseline), _percent(base.baseline_success), "", "", "", "", "", "0")
    for each in report.against_none:
        table.add_row(str(each.arm), _percent(each.success), *_cells(each), f"{report.tokens[each.arm]:.0f}")
    console.print(table)
    console.print("\nThe dreamt store against what could explain its gain:")
    for each in report.against_others:
        gain, interval, verdict, gained, harmed = _cells(each)
        console.print(
            f"  against {each.baseline}: {gain} [{interval}], {verdict}; gained {gained}, harmed {harmed}",
            markup=False,
        )
    console.print(_price_line(report.prices[MemoryArm.INCREMENTAL]), markup=False)
    console.print(_money_line(report.brain, report.prices_usd), markup=False)
    low, high = order_spread(report.curves)
    kept = report.retention
    console.print(
        f"\nHalfway through learning {_percent(low)} to {_percent(high)} pass, by the order of sessions"
        f" ({len(report.curves)} orders).\nBackward transfer {kept.backward_transfer:+.0%}, forgetting"
        f" {kept.forgetting:.0%}, forward transfer {kept.forward_transfer:+.0%}.",
        markup=False,
    )
    drift, least, most = report.artefact
    console.print(
        f"Without memory the second half of the sessions passed {drift:+.0%} more often than the first; by"
        f" order alone {least:+.0%} to {most:+.0%} are to be expected. That is not learning.",
        markup=False,
    )
    differs = len(report.incremental_differs)
    console.print(f"Incremental and rebuilt differ in {differs} memories. {_claim(report)}", markup=False)


def _price_line(found: Price) -> str:
    parts = [
        f"\nThe dreamt store takes {found.extra:+,.0f} tokens a session.",
        f"Learning took {found.learning:,.0f}, {found.amortised:,.0f} for each session served.",
    ]
    if found.per_extra_success is not None:
        parts.append(f"An extra success costs {found.per_extra_success:,.0f} tokens.")
    if found.break_even_sessions is not None:
        parts.append(f"It pays from {math.ceil(found.break_even_sessions):,} sessions on.")
    return " ".join(parts)


def _money_line(brain: str, prices: Mapping[str, Price] | None) -> str:
    if prices is None:
        return f"The list price of {brain} is not known: nothing is said in money."
    found = prices[MemoryArm.INCREMENTAL]
    if not found.per_session:
        return f"{brain} works on this machine: in money, nothing."
    told = f"At list price ${found.extra:+.4f} a session, learning ${found.learning:.2f}"
    extra = "" if found.per_extra_success is None else f", an extra success ${found.per_extra_success:.2f}"
    return f"{told}{extra}."


def _cells(each: ArmEffect) -> tuple[str, str, str, str, str]:
    difference, interval = each.comparison.difference, each.comparison.interval
    return (
        "–" if difference is None else f"{difference:+.0%}",
        "–" if interval is None else f"{interval.low:+.0%} to {interval.high:+.0%}",
        str(each.verdict),
        _percent(each.gained),
        _percent(each.harmed),
    )


def _claim(report: EffectReport) -> str:
    better = [each for each in report.against_others if each.verdict is Verdict.BETTER]
    if len(better) == len(report.against_others):
        return "The gain is the dream's: it beats same tokens, placebo and raw episodes."
    others = [str(each.baseline) for each in report.against_others if each.verdict is not Verdict.BETTER]
    return f"No claim for the dream: it cannot be told to beat {', '.join(others)}."
