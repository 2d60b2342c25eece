"""What an arrangement of agents costs and brings, and how many agents at once are worth having."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Final

import polars as pl
import streamlit as st

from nightschool.dashboard.charts import Estimate
from nightschool.dashboard.chooser import choose_experiment, empty
from nightschool.dashboard.comparison import counts_table, has_means, means
from nightschool.dashboard.download import numbers_of
from nightschool.dashboard.metrics import Metric, metric_named
from nightschool.dashboard.palette import ArmStyle
from nightschool.dashboard.plots import show_plot
from nightschool.dashboard.site import Site, notice
from nightschool.dashboard.topologies import (
    ALONE,
    AMPLIFICATION,
    MEASURES,
    amplification,
    estimates,
    topology_table,
)
from nightschool.dashboard.topology_charts import (
    amplification_chart,
    gain_chart,
    measure_chart,
    speed_up_chart,
)
from nightschool.dashboard.width_sweep import gains, levelling_table, speed_ups, was_run
from nightschool.experiments.measures import Trial, from_frame
from nightschool.experiments.report import Report

__all__ = ["show"]

Found = Mapping[str, Mapping[str, Estimate]]
Styles = Mapping[str, ArmStyle]

_COMMAND: Final = "nightschool run evals/orchestration"


def show(site: Site) -> None:
    """Draw the page."""
    coordinated = site.ask("coordinated")["experiment_id"].to_list()
    if not coordinated:
        hint = "Compare five ways of arranging agents, on plans with seeded faults, offline:"
        empty(site, "No topologies were compared yet", hint, _COMMAND)
        return
    chosen = choose_experiment(site, among=coordinated)
    if chosen is None:
        return
    experiment, styles = chosen.experiment, chosen.styles
    report = site.report(experiment)
    if not has_means(report):
        st.html(counts_table(report))
        st.caption("An arm's means are given when every expected trial of it has ended.")
        return
    if report.notes:
        notice("\n".join(report.notes), kind="warning")
    trials = from_frame(site.ask("results", experiment_id=experiment.id))
    _topologies(report, trials, styles)
    _width(report, trials, styles)


def _topologies(report: Report, trials: Sequence[Trial], styles: Styles) -> None:
    st.subheader("Topologies", anchor=False)
    found, amplified = estimates(report, trials), amplification(report, trials)
    st.html(topology_table(report, found, amplified, styles))
    st.caption(
        f"Means over samples, repeats averaged inside each; in brackets the {_level(report)} interval."
        " Relative turns are those of the arm over those that one agent alone would take; work / span is how"
        " many agents a plan keeps busy on average when as many work as can."
    )
    _side_by_side(report, found, styles)
    _amplification(report, amplified, styles)


def _side_by_side(report: Report, found: Found, styles: Styles) -> None:
    primary = report.manifest.primary_metric
    name = st.selectbox(
        f"{metric_named(primary).label} beside",
        list(found) or [primary],
        format_func=lambda each: _metric(each).label,
        key="measure",
        bind="query-params",
        width=280,
    )
    left, right = st.columns(2, gap="large")
    with left:
        _each_arm(report, primary, means(report, primary), styles)
    if found:
        with right:
            _each_arm(report, name, found[name], styles)


def _each_arm(report: Report, name: str, by_arm: Mapping[str, Estimate], styles: Styles) -> None:
    metric = _metric(name)
    st.markdown(f"**{metric.label}**")
    show_plot(
        measure_chart(by_arm, styles, metric.axis, simulated=report.is_simulated),
        key=f"topology_{name}",
        alt=f"{metric.axis.title} of each arm with its interval",
        numbers=_by_arm(by_arm),
        caption=f"Mean over samples and its {_level(report)} interval.",
    )


def _metric(name: str) -> Metric:
    return MEASURES.get(name) or metric_named(name)


def _amplification(report: Report, found: Mapping[str, Estimate], styles: Styles) -> None:
    st.subheader("Error amplification", anchor=False)
    if not found:
        st.caption(
            f"How many times the error of one agent an arrangement has is said where an arm `{ALONE}` ran on"
            " the same samples, all its trials ended, and it made an error."
        )
        return
    show_plot(
        amplification_chart(found, styles, AMPLIFICATION.axis, simulated=report.is_simulated),
        key="topology_amplification",
        alt=f"Error rate of each arm over that of {ALONE} with its interval",
        numbers=_by_arm(found),
        caption=f"Error rate of the arm over that of `{ALONE}` on the same samples (A_e in arXiv 2512.08296):"
        f" above 1 it errs more. {_level(report)} interval by bootstrap over samples, from six samples on;"
        f" there is none for an arm without error, nor where `{ALONE}` seldom errs.",
    )


def _width(report: Report, trials: Sequence[Trial], styles: Styles) -> None:
    st.subheader("How many agents at once", anchor=False)
    arms = [each.arm for each in report.arms if each.counts.reconcile]
    points, steps = speed_ups(trials, arms), gains(trials, arms, level=1 - report.manifest.alpha)
    if not points:
        st.caption("This experiment has no speed-up by width.")
        return
    st.markdown(_how(trials, arms, is_simulated=report.is_simulated))
    st.html(levelling_table(points, steps, styles))
    left, right = st.columns(2, gap="large")
    with left:
        show_plot(
            speed_up_chart(points, styles, simulated=report.is_simulated),
            key="topology_speed_up",
            alt="Speed-up of each arm over the number of agents at once, with the ideal line",
            numbers=numbers_of(points),
            caption="Mean over samples; the bar reaches from the least to the greatest sample. Dotted: as"
            " many times sooner as there are agents.",
        )
    with right:
        show_plot(
            gain_chart(steps, styles, simulated=report.is_simulated),
            key="topology_gain",
            alt="What each added agent gains in speed, from each width to the next, with the line of 1 %",
            numbers=numbers_of(steps),
            caption=f"Gain in speed from one width to the next, for each agent added; mean over samples and"
            f" its {_level(report)} interval.",
        )


def _how(trials: Sequence[Trial], arms: Sequence[str], *, is_simulated: bool) -> str:
    """Say where the times come from."""
    if was_run(trials, arms):
        taken = "in the seconds that the simulated agents report" if is_simulated else "as it was measured"
        return (
            f"Every width was run, {taken}: one goal divided among so many agents, and one more who reads all"
            " their reports. The arm named is the narrowest; the others are the same at other widths."
        )
    durations = "recorded durations, here simulated ones" if is_simulated else "recorded durations"
    return (
        f"No width was run: each plan is replayed with its {durations}, whoever is free taking the first task"
        " that is ready. What it costs to join the results of more agents is left out, so that a real gain is"
        " smaller."
    )


def _by_arm(found: Mapping[str, Estimate]) -> pl.DataFrame:
    return numbers_of({"arm": arm, **asdict(mean)} for arm, mean in found.items())


def _level(report: Report) -> str:
    return f"{(1 - report.manifest.alpha) * 100:g} %"
