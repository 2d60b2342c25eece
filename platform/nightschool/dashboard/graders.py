"""The part of the page *Outcomes* about graders: how far one can be trusted, from its calibration."""

from __future__ import annotations

import json

import polars as pl
import streamlit as st

from nightschool.dashboard.download import numbers_of
from nightschool.dashboard.elements import simulated_badge
from nightschool.dashboard.markup import facts
from nightschool.dashboard.outcome_charts import error_chart
from nightschool.dashboard.outcomes import calibration_table, kind_errors
from nightschool.dashboard.plots import show_plot
from nightschool.dashboard.site import Site
from nightschool.dashboard.wording import count, decimal, moment
from nightschool.events.calibration import GraderCalibrated
from nightschool.events.union import parse_event
from nightschool.experiments.calibrations import LOG_ID, graded_of
from nightschool.outcomes.calibration import calibrate

__all__ = ["show_graders"]

_MOST = 50


def show_graders(site: Site) -> None:
    """Draw the part."""
    st.subheader("Graders", anchor=False)
    known = site.ask("calibrations", log=LOG_ID, most=_MOST)
    if known.is_empty():
        st.markdown("No grader has been put to the test here. Have one grade answers of known worth:")
        st.code("nightschool grader report --brain MODEL", language=None)
        return
    names = dict(zip(known["event_id"], _names(known), strict=True))
    chosen = st.selectbox(
        "Calibration",
        list(names),
        format_func=lambda each: names[each],
        key="calibration",
        bind="query-params",
    )
    body = site.ask("calibration", log=LOG_ID, event_id=chosen).item()
    event = parse_event(json.loads(body) if isinstance(body, str) else body)
    if isinstance(event, GraderCalibrated):
        _calibration(event)


def _names(known: pl.DataFrame) -> list[str]:
    return [f"{row['grader']} · {moment(row['at'])}" for row in known.iter_rows(named=True)]


def _calibration(event: GraderCalibrated) -> None:
    graded = graded_of(event.answers)
    found = calibrate(graded, threshold=event.threshold)
    simulated_badge(simulated=event.simulated)
    by_people = sum(bool(each.labelled_by) for each in graded)
    st.html(
        facts(
            [
                ("grader", event.grader),
                ("answers", count(found.answers)),
                ("labelled by people", count(by_people)),
                ("gradings", count(found.gradings)),
                ("accepted from", decimal(event.threshold)),
            ]
        )
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.html(calibration_table(found))
    with right:
        errors = kind_errors(found)
        show_plot(
            error_chart(errors, simulated=event.simulated),
            key="errors",
            alt="How far the grader is off on answers of each kind",
            numbers=numbers_of(errors),
            caption="Right of the line: the kind is favoured. Wrong, vague, over-long and self-praising"
            " answers are not acceptable, whatever they look like.",
        )
