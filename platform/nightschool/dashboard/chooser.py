"""What every page begins with: the experiment it shows, or what to do when there is none."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import streamlit as st

from nightschool.dashboard.elements import simulated_badge, watch
from nightschool.dashboard.experiment import Experiment
from nightschool.dashboard.palette import ArmStyle
from nightschool.dashboard.site import Site, chosen, notice

__all__ = ["Chosen", "choose_experiment", "empty"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """An experiment, and how each arm of the folder looks."""

    experiment: Experiment
    styles: Mapping[str, ArmStyle]


def empty(site: Site, title: str, hint: str, command: str) -> None:
    """Say that there is nothing to show yet and what to run; the page fills by itself."""
    st.subheader(title, anchor=False)
    st.markdown(hint)
    st.code(command, language=None)
    watch(site)


def choose_experiment(
    site: Site, *, nothing: str = "No experiment yet", among: Collection[str] | None = None
) -> Chosen | None:
    """Let an experiment be chosen, by the URL's ``?experiment=`` or from the list; None when there is none.

    Args:
        site: the folder to look in.
        nothing: the heading when there is no experiment.
        among: the ids of those that the page can show; all of them unless given.
    """
    experiments = site.experiments()
    if not experiments:
        empty(site, nothing, "Compare three ways of routing work on 24 contracts, offline:", "make demo")
        return None
    by_id = {each.id: each for each in experiments if among is None or each.id in among}
    if st.query_params.get("experiment") in {each.id for each in experiments} - by_id.keys():
        del st.query_params["experiment"]
        notice("The experiment in the address has nothing that this page shows; this is another one.")
    wanted = chosen("experiment", list(by_id), label="Experiment", written=lambda each: by_id[each].label)
    experiment = by_id[wanted]
    simulated_badge(simulated=experiment.simulated)
    return Chosen(experiment=experiment, styles=site.styles(experiments))
