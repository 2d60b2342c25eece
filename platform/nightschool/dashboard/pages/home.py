"""Where one begins: what was found last, what changed since the time before, and what needs a look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from nightschool.core.clock import SystemClock
from nightschool.dashboard.chooser import empty
from nightschool.dashboard.elements import link_to, watch
from nightschool.dashboard.experiment import Experiment
from nightschool.dashboard.markup import facts
from nightschool.dashboard.overview import looks
from nightschool.dashboard.site import Site, notice
from nightschool.dashboard.wording import count, plural

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
        # scipy takes seconds to import: what needs none of it is drawn first.
        from nightschool.dashboard.latest import show_changes, show_latest

        show_latest(site, complete[:_LATEST])
        show_changes(site, complete)
    watch(site)


def _needs_a_look(site: Site, experiments: Sequence[Experiment]) -> None:
    st.subheader("Needs a look", anchor=False)
    asking = site.source.reader.waiting_permissions().height
    if asking:
        with st.container(border=True, gap="small"):
            st.page_link(site.pages["live"], label="Permission requests", icon=":material/front_hand:")
            notice(f"{plural(asking, 'tool call')} waiting for a person's word", kind="warning")
    under_way = [each for each in experiments[:_LOOKED_AT] if not each.is_complete]
    last = {each.id: site.last_change(each.id) for each in under_way}
    found = looks(experiments[:_LOOKED_AT], last, SystemClock().now())
    if not found and not asking:
        st.caption("Nothing: every experiment is finished, and every trial has a result.")
    for look in found[:_MOST_LOOKS]:
        with st.container(border=True, gap="small"):
            link_to(site, look.experiment)
            notice(look.reason, kind="warning" if look.is_serious else "info")
            if look.command:
                st.code(look.command, language=None)
    if len(found) > _MOST_LOOKS:
        st.caption(f"{len(found) - _MOST_LOOKS} more; the Runs page shows each experiment's trials.")
