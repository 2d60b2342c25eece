"""The parts of the comparison that go into detail: another experiment, each document, each threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from nightschool.dashboard.change_cards import change_cards
from nightschool.dashboard.changes import Side, declared_differences, is_comparable
from nightschool.dashboard.documents import (
    DocumentDifference,
    document_chart,
    document_differences,
    tier_chart,
)
from nightschool.dashboard.download import numbers_of
from nightschool.dashboard.experiment import Experiment
from nightschool.dashboard.metrics import metric_named
from nightschool.dashboard.palette import ArmStyle
from nightschool.dashboard.plots import show_plot
from nightschool.dashboard.site import Site, chosen_if_any
from nightschool.dashboard.wording import plural
from nightschool.experiments.measures import from_frame, is_lower_better
from nightschool.experiments.report import TIERS, Report
from nightschool.experiments.statistics import pair
from nightschool.outcomes.tiers import THRESHOLDS, Tier

__all__ = ["show_against", "show_documents", "show_tiers"]


def show_against(site: Site, experiment: Experiment) -> None:
    """Set the experiment beside another that met the same documents: what became better or worse."""
    others = {
        each.id: each
        for each in site.experiments()
        if each.id != experiment.id and each.is_complete and is_comparable(experiment.manifest, each.manifest)
    }
    if not others or not experiment.is_complete:
        return
    other = chosen_if_any(
        "against",
        list(others),
        label="Against another experiment",
        format_func=lambda each: f"{others[each].label} · {each}",
        placeholder="set beside another experiment on the same documents …",
    )
    if other is None:
        return
    found = site.changes(experiment, others[other])
    st.html(change_cards(found, experiment.manifest.primary_metric))
    differences = declared_differences(experiment.manifest, others[other].manifest)
    st.caption(
        "Each arm against its former self in the other experiment, paired by document, Holm over the arms."
        f" Declared differently: {'; '.join(differences) or 'nothing'}."
    )
    manifest = experiment.manifest
    higher = not is_lower_better(manifest.primary_metric, manifest.lower_is_better)
    per_document = {change.arm: change.per_document for change in found if change.per_document}
    if not per_document:
        return
    arm = st.pills(
        "Arm",
        list(per_document),
        default=next(iter(per_document)),
        required=True,
        key="against_arm",
        bind="query-params",
    )
    documents = document_differences(per_document[arm], higher_is_better=higher)
    metric = metric_named(manifest.primary_metric)
    show_plot(
        document_chart(documents, metric.axis, simulated=experiment.simulated),
        key=f"against_{other}_{arm}",
        alt=f"Change of {arm} on each document",
        numbers=numbers_of(documents),
        caption=f"{arm}: {metric.label.lower()} here minus there, document by document.",
    )


def show_documents(site: Site, experiment: Experiment, report: Report) -> tuple[str, tuple[str, str]] | None:
    """Show on which documents one arm beats another, and on which it loses.

    Returns:
        The document that was chosen, and the two arms; None when none was.
    """
    st.subheader("Document by document", anchor=False)
    pairs = {f"{c.treatment} − {c.baseline}": c for c in report.confirmatory if c.comparison is not None}
    if not pairs:
        st.caption("Nothing can be compared yet.")
        return None
    name = st.selectbox(
        "Pair", list(pairs), key="pair", bind="query-params", label_visibility="collapsed", width=280
    )
    contrast, manifest = pairs[name], report.manifest
    side = Side(manifest=manifest, trials=from_frame(site.ask("results", experiment_id=experiment.id)))
    ours, theirs = (
        side.tally(arm).values(contrast.metric) for arm in (contrast.treatment, contrast.baseline)
    )
    higher = not is_lower_better(contrast.metric, manifest.lower_is_better)
    found = document_differences(pair(ours, theirs).differences, higher_is_better=higher)
    metric = metric_named(contrast.metric)
    better, worse = sum(each.is_improvement for each in found), sum(each.is_regression for each in found)
    event = show_plot(
        document_chart(found, metric.axis, simulated=report.is_simulated),
        key=f"documents_{contrast.treatment}_{contrast.baseline}",
        alt=f"Difference in {metric.label} on each document",
        numbers=numbers_of(found),
        caption=f"{plural(better, 'document')} better, {worse} worse, repeats averaged."
        " A single document proves nothing; select its dot, or choose it here, to see both arms on it.",
        on_select="rerun",
        selection_mode="points",
    )
    document = _chosen_document(found, event)
    return None if document is None else (document, (contrast.baseline, contrast.treatment))


def _chosen_document(found: Sequence[DocumentDifference], event: Any) -> str | None:
    """Return the document that is chosen by its dot, from the list, or in the URL."""
    documents = [each.document for each in found]
    picked = [documents[point["customdata"][0]] for point in event["selection"]["points"]]
    if picked and picked != st.session_state.get("document_picked"):
        st.session_state["choice_document"] = picked[0]
    st.session_state["document_picked"] = picked
    return chosen_if_any("document", documents, label="Document", placeholder="set both arms side by side …")


def show_tiers(report: Report, styles: Mapping[str, ArmStyle]) -> None:
    """Show how many results would pass, were a tier's threshold another."""
    st.subheader("Were the threshold another", anchor=False)
    tier = st.segmented_control(
        "Tier",
        TIERS,
        default="standard",
        required=True,
        format_func=str.capitalize,
        key="tier",
        bind="query-params",
        label_visibility="collapsed",
    )
    sweeps = {arm.arm: arm.sweeps[tier] for arm in report.arms if tier in arm.sweeps}
    if not sweeps:
        st.caption("No arm is graded completely.")
        return
    compared = "the least of the scores" if tier == "strict" else "the weighted mean of the scores"
    threshold = THRESHOLDS[Tier(tier)]
    rows = [
        {"arm": arm, "threshold": r.threshold, "passed": r.passed, "results": r.results}
        for arm, rates in sweeps.items()
        for r in rates
    ]
    show_plot(
        tier_chart(sweeps, styles, threshold, simulated=report.is_simulated),
        key=f"tier_{tier}",
        alt=f"Share of results that pass {tier} over its threshold",
        numbers=numbers_of(rows),
        caption=f"Kept scores judged anew: {compared} against the threshold; dotted, the one in force"
        f" ({threshold:g}). Nothing is run again.",
    )
