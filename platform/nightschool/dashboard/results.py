"""What an experiment found, on the page Compare: verdicts, arms, metric by metric, cost, and in detail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import streamlit as st

from nightschool.dashboard.charts import (
    counted,
    difference_chart,
    interval_chart,
    length_chart,
    trade_off_chart,
)
from nightschool.dashboard.comparison import (
    arms_table,
    bands,
    counts_table,
    differences,
    has_means,
    means,
    metrics_of,
    trade_offs,
)
from nightschool.dashboard.details import show_against, show_documents, show_tiers
from nightschool.dashboard.download import numbers_of
from nightschool.dashboard.experiment import Experiment
from nightschool.dashboard.front import front_claim, front_table
from nightschool.dashboard.markup import escaped
from nightschool.dashboard.metrics import COSTS, metric_named
from nightschool.dashboard.palette import ArmStyle
from nightschool.dashboard.plots import show_plot
from nightschool.dashboard.side_by_side import show_side_by_side
from nightschool.dashboard.site import Site, notice
from nightschool.dashboard.verdicts import show_verdicts
from nightschool.experiments.report import Report

__all__ = ["show_results"]

Styles = Mapping[str, ArmStyle]
"""How each arm looks."""


def show_results(site: Site, experiment: Experiment, styles: Styles) -> None:
    """Draw what was found."""
    report = site.report(experiment)
    if not has_means(report):
        st.html(counts_table(report))
        st.caption("An arm's means are given when every expected trial of it has ended.")
        return
    show_verdicts(report)
    if report.notes:
        notice("\n".join(report.notes), kind="warning")
    show_against(site, experiment)
    _arms(report, styles)
    _metric_by_metric(report, styles)
    left, right = st.columns(2, gap="large")
    with left:
        _trade_off(report, styles)
        _front(site, experiment, report, styles)
    with right:
        _lengths(report, styles)
    left, right = st.columns(2, gap="large")
    with left:
        beside = show_documents(site, experiment, report)
    with right:
        show_tiers(report, styles)
    if beside is not None:
        document, arms = beside
        st.subheader("Side by side", anchor=False)
        show_side_by_side(site, experiment.id, document, arms, styles)


def _arms(report: Report, styles: Styles) -> None:
    st.subheader("Arms", anchor=False)
    st.html(arms_table(report, styles))
    st.caption(
        f"Means over documents, repeats averaged inside each; in brackets the {_level(report)} interval."
        " Tiers: share of results that pass, with Wilson's interval."
    )
    with st.expander("How the trials add up", expanded=not report.is_complete):
        st.html(counts_table(report))


def _metric_by_metric(report: Report, styles: Styles) -> None:
    st.subheader("Metric by metric", anchor=False)
    name = st.selectbox(
        "Metric",
        metrics_of(report),
        format_func=lambda each: metric_named(each).label,
        key="metric",
        bind="query-params",
        width=280,
        label_visibility="collapsed",
    )
    left, right = st.columns(2, gap="large")
    with left:
        _each_arm(report, styles, name)
    with right:
        _paired(report, styles, name)


def _each_arm(report: Report, styles: Styles, name: str) -> None:
    st.markdown("**Each arm**")
    axis = metric_named(name).axis
    found = means(report, name)
    show_plot(
        interval_chart(found, styles, counted(axis, found.values()), simulated=report.is_simulated),
        key=f"means_{name}",
        alt=f"{axis.title} of each arm with its interval",
        numbers=numbers_of({"arm": arm, **asdict(mean)} for arm, mean in found.items()),
        caption=f"Mean over documents and its {_level(report)} interval."
        " Whether two arms differ is said by the paired differences.",
    )


def _paired(report: Report, styles: Styles, name: str) -> None:
    st.markdown("**Paired differences**")
    found, axis = differences(report, name), metric_named(name).axis
    if not found:
        st.caption("Nothing can be compared yet.")
        return
    told = counted(axis, (each.estimate for each in found))
    is_primary = name == report.manifest.primary_metric
    role = "declared before the first trial" if is_primary else "exploratory"
    show_plot(
        difference_chart(found, styles, told, simulated=report.is_simulated),
        key=f"differences_{name}",
        alt=f"Paired differences in {axis.title} with their intervals",
        numbers=numbers_of(found),
        caption=f"Difference on the same documents, averaged, with its {_level(report)} interval; {role}."
        " A verdict needs interval and Holm's p to agree.",
    )


def _trade_off(report: Report, styles: Styles) -> None:
    st.subheader("Quality against cost", anchor=False)
    primary = report.manifest.primary_metric
    offered = [name for name in COSTS if trade_offs(report, primary, name)]
    if not offered:
        st.caption("What the arms consumed was not recorded.")
        return
    cost = st.segmented_control(
        "Cost",
        offered,
        default=offered[0],
        required=True,
        format_func=lambda each: metric_named(each).label,
        key="cost",
        bind="query-params",
        label_visibility="collapsed",
    )
    found = trade_offs(report, primary, cost)
    axes = counted(metric_named(primary).axis, (each.quality for each in found)), metric_named(cost).axis
    better = "down" if primary in report.manifest.lower_is_better else "up"
    show_plot(
        trade_off_chart(found, styles, *axes, simulated=report.is_simulated),
        key=f"trade_off_{cost}",
        alt="Quality of each arm against what it costs",
        numbers=numbers_of(found),
        caption=f"Means over documents with their {_level(report)} intervals;"
        f" {better} and to the left is better.",
    )


def _front(site: Site, experiment: Experiment, report: Report, styles: Styles) -> None:
    """Say which arms nobody beats in quality, cost and latency at once, and how sure that is."""
    if not report.is_complete:
        return
    quantities, places = site.front(experiment)
    if not places:
        return
    st.markdown("**All of it at once**")
    st.html(f"<p>{escaped(front_claim(quantities, places))}</p>{front_table(places, styles)}")
    st.caption(
        "The documents drawn anew 2,000 times, the same draw for every arm: the share of draws in which no"
        " other arm is at least as good in all of it and better in something. Exploratory."
    )


def _lengths(report: Report, styles: Styles) -> None:
    st.subheader("By document length", anchor=False)
    found, metric = bands(report), metric_named(report.manifest.primary_metric)
    if not found:
        st.caption("The documents of this suite do not differ in length, or do not say it.")
        return
    show_plot(
        length_chart(found, styles, metric.axis, simulated=report.is_simulated),
        key="lengths",
        alt=f"{metric.label} by document length, a line for each arm",
        numbers=numbers_of(found),
        caption=f"{metric.label}: mean over documents of like length with its {_level(report)} interval;"
        " exploratory.",
    )


def _level(report: Report) -> str:
    return f"{(1 - report.manifest.alpha) * 100:g} %"
