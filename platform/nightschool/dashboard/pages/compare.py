"""One experiment: what may be claimed, how the arms did, what it cost, and where the difference lies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import streamlit as st

from nightschool.core.clock import SystemClock
from nightschool.dashboard.chooser import choose_experiment
from nightschool.dashboard.experiment import Experiment
from nightschool.dashboard.markup import facts
from nightschool.dashboard.metrics import metric_named
from nightschool.dashboard.palette import ArmStyle
from nightschool.dashboard.site import Site, notice
from nightschool.dashboard.wording import moment, plural, seconds

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
    # scipy takes seconds to import: what needs none of it is drawn first.
    from nightschool.dashboard.results import show_results

    show_results(site, experiment, styles)


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
