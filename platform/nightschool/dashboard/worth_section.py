"""The part of the page *Dreaming* about what memory is worth: gain, harm beside it, learning curves."""

from __future__ import annotations

import json
from collections.abc import Mapping

import streamlit as st

from nightschool.dashboard.charts import Axis, difference_chart
from nightschool.dashboard.download import numbers_of
from nightschool.dashboard.markup import facts
from nightschool.dashboard.memory_charts import curve_chart, flip_chart
from nightschool.dashboard.memory_worth import claim, curve_points, flips, gains, worth_table
from nightschool.dashboard.palette import ArmStyle, arm_styles
from nightschool.dashboard.plots import show_plot
from nightschool.dashboard.site import Site, chosen, notice
from nightschool.dashboard.wording import count, moment, signed
from nightschool.events.effect import MemoryEffectMeasured
from nightschool.events.union import parse_event

__all__ = ["show_worth"]

_MOST = 50


def show_worth(site: Site, *, log: str, command: str) -> None:
    """Show the last measurement, or another one by the URL's ``?effect=``.

    Args:
        site: the folder to look in.
        log: the session that holds the measurements.
        command: what measures.
    """
    st.subheader("Is it worth it", anchor=False)
    known = site.ask("memory_effects", log=log, most=_MOST)
    if known.is_empty():
        st.markdown("What memory gains and harms on work it has not seen is not measured here yet:")
        st.code(command, language=None)
        return
    names = {
        row["event_id"]: f"{row['suite']} · {row['brain']} · rules {row['rules']} · {moment(row['at'])}"
        for row in known.iter_rows(named=True)
    }
    wanted = chosen("effect", list(names), label="Measurement", written=lambda each: names[each])
    body = site.ask("memory_effect", log=log, event_id=wanted).item()
    event = parse_event(json.loads(body) if isinstance(body, str) else body)
    if isinstance(event, MemoryEffectMeasured):
        _report(event)


def _report(event: MemoryEffectMeasured) -> None:
    styles = arm_styles(str(each["arm"]) for each in event.effects)
    notice(claim(event))
    st.html(facts(_facts(event)))
    st.html(worth_table(event, styles))
    left, right = st.columns(2, gap="large")
    with left:
        _gain(event, styles)
    with right:
        _harm(event)
    _curve(event)


def _facts(event: MemoryEffectMeasured) -> list[tuple[str, str]]:
    kept = event.retention
    known = [
        ("agent", event.brain),
        ("suite", event.suite),
        ("rules", event.rules),
        ("learnt from", f"{count(event.train_sessions)} sessions"),
        ("tested on", f"{count(event.test_samples)} contracts × {event.repeats}"),
        ("memories recalled from", count(event.memories)),
        ("store", event.store_hash[:12]),
        ("seed", str(event.seed)),
    ]
    known += [
        (name.replace("_", " "), f"{signed(100 * float(kept[name]), 0)} points")
        for name in ("backward_transfer", "forgetting", "forward_transfer")
        if name in kept
    ]
    return known


def _gain(event: MemoryEffectMeasured, styles: Mapping[str, ArmStyle]) -> None:
    found = gains(event.effects)
    axis = Axis(title="share of contracts that pass", format="+.0%")
    show_plot(
        difference_chart(found, styles, axis, simulated=False),
        key="gain",
        alt="Gain of each arm over no memory with its interval",
        numbers=numbers_of(found),
        caption=f"Against no memory, paired by contract (n = {event.test_samples}); interval 95 %, Holm over"
        " the arms. Nothing was learnt from these contracts.",
    )


def _harm(event: MemoryEffectMeasured) -> None:
    found = flips(event.effects, repeats=event.repeats)
    interval = "interval 95 %, Wilson" if event.repeats == 1 else "no interval: repeats are not independent"
    show_plot(
        flip_chart(found, simulated=False),
        key="harm",
        alt="Share of contracts that memory gained and harmed, arm by arm",
        numbers=numbers_of(found),
        caption=f"Gained: passes with memory, of those that failed without. Harmed: fails with memory, of"
        f" those that passed without ({interval}).",
    )


def _curve(event: MemoryEffectMeasured) -> None:
    points = curve_points(event)
    if not points or not event.effects:
        return
    without = float(event.effects[0]["baseline_success"])
    show_plot(
        curve_chart(points, without=without, simulated=False),
        key="learning",
        alt="Success on contracts of the test by the number of sessions learnt from",
        numbers=numbers_of(points),
        caption=f"On {event.curve_samples} contracts of the test, for {len(event.curves)} orders in which the"
        f" sessions came. Dotted: without memory, on all {event.test_samples}.",
    )
