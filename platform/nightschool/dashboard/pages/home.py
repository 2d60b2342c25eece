"""Where one begins: what was found last, what changed since the time before, and what needs a look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from nightschool.core.clock import SystemClock
from nightschool.dashboard.change_cards import change_cards
from nightschool.dashboard.changes import declared_differences, is_comparable
from nightschool.dashboard.chooser import empty
from nightschool.dashboard.comparison import has_means
from nightschool.dashboard.elements import show_verdicts, simulated_badge, watch
from nightschool.dashboard.experiment import Experiment
from nightschool.dashboard.markup import facts
from nightschool.dashboard.overview import looks
from nightschool.dashboard.site import Site, notice
from nightschool.dashboard.wording import count, moment

__all__ = ["show"]

_LATEST: Final = 3
_LOOKED_AT: Final = 50
"""So many experiments, the newest, are searched for what needs a look."""
_MOST_LOOKS: Final = 6


def show(site: Site) -> None:
    """Draw the page."""
    experiments = site.experiments()
    if not experiments:
        hint = "Compare three ways of routing work on 24 contracts, offline, in one to two minutes:"
        empty(site, "No experiment yet", hint, "make demo")
        return
    totals = site.ask("totals").row(0, named=True)
    st.html(facts([(name, count(number)) for name, number in totals.items()]))
    left, right = st.columns([3, 2], gap="large")
    complete = [each for each in experiments if each.is_complete]
    with right:
        _needs_a_look(site, experiments)
    with left:
        _latest(site, complete[:_LATEST])
        _what_changed(site, complete)
    watch(site)


def _latest(site: Site, latest: Sequence[Experiment]) -> None:
    st.subheader("Latest results", anchor=False)
    if not latest:
        st.caption("No experiment is finished yet.")
    for each in latest:
        with st.container(border=True):
            _link(site, each)
            simulated_badge(simulated=each.simulated)
            report = site.report(each)
            if has_means(report):
                show_verdicts(report)
            else:
                st.caption("No arm has a mean: too few trials have a result.")


def _link(site: Site, each: Experiment) -> None:
    st.page_link(
        site.pages["compare"],
        label=each.label,
        icon=":material/balance:",
        query_params={"experiment": each.id},
    )


def _what_changed(site: Site, complete: Sequence[Experiment]) -> None:
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


def _needs_a_look(site: Site, experiments: Sequence[Experiment]) -> None:
    st.subheader("Needs a look", anchor=False)
    under_way = [each for each in experiments[:_LOOKED_AT] if not each.is_complete]
    last = {each.id: site.last_change(each.id) for each in under_way}
    found = looks(experiments[:_LOOKED_AT], last, SystemClock().now())
    if not found:
        st.caption("Nothing: every experiment is finished, and every trial has a result.")
    for look in found[:_MOST_LOOKS]:
        with st.container(border=True, gap="small"):
            _link(site, look.experiment)
            notice(look.reason, kind="warning" if look.is_serious else "info")
            if look.command:
                st.code(look.command, language=None)
    if len(found) > _MOST_LOOKS:
        st.caption(f"{len(found) - _MOST_LOOKS} more; the Runs page shows each experiment's trials.")
