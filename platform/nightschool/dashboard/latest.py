"""The latest results and what changed since, on the page Home."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from nightschool.dashboard.change_cards import change_cards
from nightschool.dashboard.changes import declared_differences, is_comparable
from nightschool.dashboard.comparison import has_means
from nightschool.dashboard.elements import link_to, simulated_badge
from nightschool.dashboard.experiment import Experiment
from nightschool.dashboard.site import Site, notice
from nightschool.dashboard.verdicts import show_verdicts
from nightschool.dashboard.wording import moment

__all__ = ["show_changes", "show_latest"]


def show_latest(site: Site, latest: Sequence[Experiment]) -> None:
    """Show the verdicts of these experiments."""
    st.subheader("Latest results", anchor=False)
    if not latest:
        st.caption("No experiment is finished yet.")
    for each in latest:
        with st.container(border=True):
            link_to(site, each)
            simulated_badge(simulated=each.simulated)
            report = site.report(each)
            if has_means(report):
                show_verdicts(report)
            else:
                st.caption("No arm has a mean: too few trials have a result.")


def show_changes(site: Site, complete: Sequence[Experiment]) -> None:
    """Set the newest experiment beside the one before it that met the same documents."""
    st.subheader("What changed", anchor=False)
    newest = complete[0] if complete else None
    before = newest and next(
        (each for each in complete[1:] if is_comparable(newest.manifest, each.manifest)), None
    )
    if newest is None or before is None:
        st.caption("Run the same suite again, with the same seed, to see here what became better or worse.")
        return
    differences = declared_differences(newest.manifest, before.manifest)
    st.caption(
        f"{newest.id} against {before.id} ({moment(before.created_at)}), each arm against its former self"
        " on the same documents."
    )
    st.html(change_cards(site.changes(newest, before), newest.manifest.primary_metric))
    notice(
        "Declared differently: "
        + ("; ".join(differences) or "nothing; code and prompts have the same hashes")
    )
    st.page_link(
        site.pages["compare"],
        label="Document by document",
        icon=":material/difference:",
        query_params={"experiment": newest.id, "against": before.id},
    )
