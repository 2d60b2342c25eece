"""One experiment: what may be claimed, how the arms did, what it cost, and where the difference lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

import streamlit as st

from nightschool.core.clock import SystemClock
from nightschool.dashboard.charts import difference_chart, interval_chart, length_chart, trade_off_chart
from nightschool.dashboard.chooser import choose_experiment
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
from nightschool.dashboard.details import show_against, show_documents, show_frontier, show_tiers
from nightschool.dashboard.download import numbers_of
from nightschool.dashboard.elements import show_verdicts
from nightschool.dashboard.experiment import Experiment
from nightschool.dashboard.markup import facts
from nightschool.dashboard.metrics import COSTS, metric_named
from nightschool.dashboard.palette import ArmStyle
from nightschool.dashboard.plots import show_plot
from nightschool.dashboard.site import Site, notice
from nightschool.dashboard.wording import moment, plural, seconds
from nightschool.experiments.report import Report

__all__ = ["show"]

Styles = Mapping[str, ArmStyle]
"""How each arm looks."""

_REFRESH_SECONDS: Final = 2.0
_QUIET_SECONDS: Final = 120.0
"""A run that has recorded nothing for so long has probably been stopped."""


def show(site: Site) -> None:
    """Draw the page."""
    chosen = choose_experiment(site)
    if chosen is None:
        return
    experiment, styles = chosen.experiment, chosen.styles
    if experiment.is_complete:
        _results(site, experiment, styles)
    else:
        st.fragment(_live, run_every=_REFRESH_SECONDS)(site, experiment.id, styles)


def _live(site: Site, experiment_id: str, styles: Styles) -> None:
    """Draw a running experiment; runs again by itself until it is complete."""
    now = site.refreshed()
    experiment = next((each for each in now.experiments() if each.id == experiment_id), None)
    if experiment is None or experiment.is_complete:
        st.rerun()
    done = experiment.recorded + experiment.errored
    st.progress(
        min(1.0, done / experiment.expected),
        text=f"{done} of {plural(experiment.expected, 'trial')} recorded, {experiment.errored} errored",
    )
    last = now.last_change(experiment_id)
    quiet = 0.0 if last is None else (SystemClock().now() - last).total_seconds()
    if quiet > _QUIET_SECONDS:
        notice(
            f"Nothing was recorded for {seconds(quiet)}. If the run was stopped, finish it with:"
            f" nightschool run --resume {experiment_id}",
            kind="warning",
        )
    _results(now, experiment, styles)


def _results(site: Site, experiment: Experiment, styles: Styles) -> None:
    st.html(facts(_facts(experiment)))
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
    with right:
        _lengths(report, styles)
    left, right = st.columns(2, gap="large")
    with left:
        show_documents(site, experiment, report)
    with right:
        show_tiers(report, styles)


def _facts(experiment: Experiment) -> list[tuple[str, str]]:
    manifest = experiment.manifest
    brain = manifest.brain + (" (no language model)" if manifest.brain == "reader" else "")
    return [
        ("suite", manifest.suite),
        ("documents × repeats", f"{len(manifest.samples)} × {manifest.repeats}"),
        ("brain", brain),
        ("primary metric", metric_named(manifest.primary_metric).label.lower()),
        ("seed", str(manifest.seed)),
        ("version", manifest.code_version),
        ("declared (UTC)", moment(experiment.created_at)),
        ("manifest", experiment.manifest_hash[:12]),
        ("experiment", experiment.id),
    ]


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
        interval_chart(found, styles, axis, simulated=report.is_simulated),
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
    is_primary = name == report.manifest.primary_metric
    role = "declared before the first trial" if is_primary else "exploratory"
    show_plot(
        difference_chart(found, styles, axis, simulated=report.is_simulated),
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
    axes = metric_named(primary).axis, metric_named(cost).axis
    better = "down" if primary in report.manifest.lower_is_better else "up"
    show_plot(
        trade_off_chart(found, styles, *axes, simulated=report.is_simulated),
        key=f"trade_off_{cost}",
        alt="Quality of each arm against what it costs",
        numbers=numbers_of(found),
        caption=f"Means over documents with their {_level(report)} intervals;"
        f" {better} and to the left is better.",
    )
    show_frontier(report)


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
