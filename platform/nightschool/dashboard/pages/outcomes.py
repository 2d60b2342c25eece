"""Is it done, and how sure is that: scores, tiers, margins of the verdicts, graders, and a person's word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from nightschool.dashboard.chooser import choose_experiment
from nightschool.dashboard.download import numbers_of
from nightschool.dashboard.experiment import Experiment
from nightschool.dashboard.graders import show_graders
from nightschool.dashboard.outcome_charts import curve_chart, dimension_chart, margin_chart, standing_chart
from nightschool.dashboard.outcomes import (
    curves,
    dimension_scores,
    judged_of,
    margins,
    score_table,
    standing_counts,
    standing_table,
)
from nightschool.dashboard.palette import ArmStyle
from nightschool.dashboard.plots import show_plot
from nightschool.dashboard.reviewing import show_queue
from nightschool.dashboard.site import Site, notice
from nightschool.experiments.labelling import Judged, Queued, review_queue
from nightschool.outcomes.noise import TOLERANCE, GraderNoise
from nightschool.outcomes.tiers import DIMENSIONS, THRESHOLDS, Tier

__all__ = ["show"]

Styles = Mapping[str, ArmStyle]


def show(site: Site) -> None:
    """Draw the page."""
    chosen = choose_experiment(site)
    if chosen is None:
        return
    experiment, styles = chosen.experiment, chosen.styles
    if experiment.manifest.gameable_by:
        shortcuts = ", ".join(experiment.manifest.gameable_by)
        notice(f"Gameable: {shortcuts} passes Standard without doing the work.", kind="warning")
    results = judged_of(
        site.ask("judged", experiment_id=experiment.id), site.ask("labels", experiment_id=experiment.id)
    )
    if not results:
        st.caption("No result of this experiment is graded yet.")
    else:
        _dimensions(site, experiment, styles)
        _tiers(experiment, results, styles)
        queue = _verdicts(experiment, results, styles)
        show_queue(site, queue)
    show_graders(site)


def _dimensions(site: Site, experiment: Experiment, styles: Styles) -> None:
    st.subheader("Dimensions", anchor=False)
    scores = dimension_scores(site.report(experiment))
    if not scores:
        st.caption("An arm's means are given when every expected trial of it has ended.")
        return
    show_plot(
        dimension_chart(scores, styles, simulated=experiment.simulated),
        key="dimensions",
        alt="Mean score of each arm in each dimension with its interval",
        numbers=numbers_of(scores),
        caption="Mean over documents and its interval. A dimension that the suite cannot have is not shown;"
        " consistency is taken over the repeats of a document.",
    )
    with st.expander("As a table"):
        st.html(score_table(scores, styles))


def _tiers(experiment: Experiment, results: Sequence[Judged], styles: Styles) -> None:
    st.subheader("Tiers", anchor=False)
    left, right = st.columns(2, gap="large")
    mean = {str(tier): THRESHOLDS[tier] for tier in (Tier.STANDARD, Tier.LENIENT)}
    with left:
        _curve(experiment, results, styles, tier=Tier.STANDARD, marks=mean, asked="the weighted mean")
    with right:
        strict = {str(Tier.STRICT): THRESHOLDS[Tier.STRICT]}
        _curve(experiment, results, styles, tier=Tier.STRICT, marks=strict, asked="the least score")


def _curve(
    experiment: Experiment,
    results: Sequence[Judged],
    styles: Styles,
    *,
    tier: Tier,
    marks: Mapping[str, float],
    asked: str,
) -> None:
    manifest = experiment.manifest
    found = curves(results, tier, manifest.weights, manifest.arms)
    show_plot(
        curve_chart(found, marks, styles, asked=asked, simulated=experiment.simulated),
        key=f"curve_{tier}",
        alt=f"Share of results that pass over thresholds for {asked}, a line for each arm",
        numbers=numbers_of(
            {"arm": curve.arm, "threshold": at, "share": share}
            for curve in found
            for at, share in curve.points
        ),
        caption=f"Were the threshold for {asked} another. Read off kept scores; nothing is run again.",
    )


def _verdicts(experiment: Experiment, results: Sequence[Judged], styles: Styles) -> list[Queued]:
    st.subheader("How sure the verdicts are", anchor=False)
    manifest = experiment.manifest
    tier, noise = _read_as(experiment)
    queue = review_queue(results, tier=tier, noise=noise, weights=manifest.weights)
    st.html(standing_table(queue, manifest.arms, styles))
    left, right = st.columns(2, gap="large")
    with left:
        counts = standing_counts(queue, manifest.arms)
        show_plot(
            standing_chart(counts, simulated=experiment.simulated),
            key="standing",
            alt="Verdicts of each arm: pass, inside the noise band, fail",
            numbers=numbers_of(counts),
            caption=f"Inside the band: a fresh grading would say otherwise with more than {TOLERANCE:.0%}.",
        )
    with right:
        points = margins(queue, manifest.arms)
        show_plot(
            margin_chart(points, styles, simulated=experiment.simulated),
            key="margins",
            alt="Distance of every result from the threshold, a row for each arm",
            numbers=numbers_of(points),
            caption="A dot is a result; the stronger its colour, the less sure its verdict.",
        )
    return queue


def _read_as(experiment: Experiment) -> tuple[Tier, GraderNoise]:
    """Let tier and scatter be chosen; what was declared stands first."""
    manifest = experiment.manifest
    tiers = [str(tier) for tier in Tier]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        tier = st.segmented_control(
            "Tier",
            tiers,
            default=manifest.tier,
            required=True,
            format_func=str.title,
            key="tier",
            bind="query-params",
        )
        sd = st.number_input(
            "Grader SD",
            min_value=0.0,
            max_value=0.5,
            value=None,
            step=0.01,
            format="%.2f",
            placeholder=_declared(manifest.grader_sd),
            key="grader_sd",
            bind="query-params",
            width=220,
            help="Read the verdicts as if a grader that scatters so had given each score.",
        )
    declared = dict.fromkeys(DIMENSIONS, 0.0) | manifest.grader_sd
    known = declared if sd is None else dict.fromkeys(DIMENSIONS, float(sd))
    if sd is None and not manifest.grader_sd:
        st.caption(
            "Nobody has measured how this suite's grader scatters: its verdicts are read as if it did not."
        )
    return Tier(tier or manifest.tier), GraderNoise(sd=known)


def _declared(deviations: Mapping[str, float]) -> str:
    if not deviations:
        return "not measured"
    return "0 (decided by code)" if not any(deviations.values()) else "as declared"
