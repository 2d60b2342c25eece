"""What the work cost: by day, by arm, by kind of token, and for each result that passes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import polars as pl
import streamlit as st

from nightschool.dashboard.chooser import choose_experiment
from nightschool.dashboard.cost_charts import spend_chart, token_chart
from nightschool.dashboard.markup import Cell, Column, data_table, facts
from nightschool.dashboard.plots import show_plot
from nightschool.dashboard.site import Site
from nightschool.dashboard.wording import count, money, seconds, short_id, thousands

__all__ = ["show"]

_MOST: Final = 200
_MEASURES: Final = {"cost_usd": "US$ at list price", "tokens": "tokens", "seconds": "seconds of work"}


def show(site: Site) -> None:
    """Draw the page."""
    found = choose_experiment(site, nothing="Nothing was spent yet")
    if found is None:
        return
    arms = site.ask("spend_by_arm", most=_MOST)
    order = pl.Enum(found.experiment.manifest.arms)
    own = arms.filter(pl.col("experiment_id") == found.experiment.id).sort(pl.col("arm").cast(order))
    st.subheader("This experiment", anchor=False)
    if own.is_empty():
        st.caption("No trial has a result yet.")
    else:
        _experiment(site, own, found.styles, found.experiment.id, simulated=found.experiment.simulated)
    _over_time(site)
    with st.expander(f"Every experiment ({arms['experiment_id'].n_unique()})"):
        st.html(_arm_table(arms, {}, with_experiment=True))


def _experiment(
    site: Site, own: pl.DataFrame, styles: Mapping[str, Any], experiment_id: str, *, simulated: bool
) -> None:
    sums = own.select("passed", "cost_usd", "tokens", "seconds", "trials").sum().row(0, named=True)
    passed, cost = sums["passed"], sums["cost_usd"]
    st.html(
        facts(
            [
                ("cost at list price", money(cost)),
                ("tokens", thousands(sums["tokens"])),
                ("time of all trials together", seconds(sums["seconds"])),
                ("results", count(sums["trials"])),
                ("cost of a result that passes Standard", money(cost / passed if passed else None)),
            ]
        )
    )
    st.html(_arm_table(own, styles))
    classes = site.ask("spend_by_token_class", experiment_id=experiment_id)
    show_plot(
        token_chart(classes, simulated=simulated),
        key=f"tokens_{experiment_id}",
        alt="Tokens of each arm by kind",
        numbers=classes,
        caption="Tokens of all trials of an arm, by how they are priced. n = "
        + ", ".join(f"{count(row['trials'])} ({row['arm']})" for row in own.iter_rows(named=True))
        + " trials.",
    )


def _over_time(site: Site) -> None:
    st.subheader("Day by day", anchor=False)
    days = site.ask("spend_by_day")
    measure = st.segmented_control(
        "Measure",
        list(_MEASURES),
        default="tokens",
        required=True,
        format_func=_MEASURES.__getitem__,
        key="measure",
        bind="query-params",
        label_visibility="collapsed",
    )
    items = sum(days["items"])
    show_plot(
        spend_chart(days, measure, _MEASURES[measure]),
        key=f"days_{measure}",
        alt=f"{_MEASURES[measure]} by day and brain",
        numbers=days,
        caption=f"n = {count(items)} trials, and sessions outside of them, by the day (UTC) on"
        " which they ended; those without times are left out. Sessions outside of trials have no price.",
    )


def _arm_table(arms: pl.DataFrame, styles: Mapping[str, Any], *, with_experiment: bool = False) -> str:
    columns = [Column(name="Arm", numeric=False), Column(name="Results", unit="trials")]
    if with_experiment:
        columns.insert(1, Column(name="Experiment", numeric=False))
        columns.insert(2, Column(name="Brain", numeric=False))
    columns += [
        Column(name="Cost", unit="US$ at list price"),
        Column(name="Tokens"),
        Column(name="Time", unit="all trials"),
        Column(name="Cost", unit="per result"),
        Column(name="Cost", unit="per Standard pass"),
    ]
    rows = [_arm_row(row, styles, with_experiment=with_experiment) for row in arms.iter_rows(named=True)]
    return data_table(columns, rows, caption="What each arm cost")


def _arm_row(row: Mapping[str, Any], styles: Mapping[str, Any], *, with_experiment: bool) -> list[Cell]:
    style, cost = styles.get(row["arm"]), row["cost_usd"]
    cells = [Cell(text=row["arm"], colour=style.colour if style else ""), Cell(text=count(row["trials"]))]
    if with_experiment:
        cells.insert(1, Cell(text=short_id(row["experiment_id"]), title=row["experiment_id"]))
        cells.insert(2, Cell(text=row["brain"] or "", tone="warn" if row["simulated"] else ""))
    return [
        *cells,
        Cell(text=money(cost)),
        Cell(text=thousands(row["tokens"])),
        Cell(text=seconds(row["seconds"])),
        Cell(text=money(None if cost is None else cost / row["trials"])),
        Cell(text=money(cost / row["passed"] if cost is not None and row["passed"] else None)),
    ]
