"""A plot on a page, with the ways to take it away: a picture by its toolbar, its numbers as CSV.

Knows nothing about what is drawn.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import polars as pl
import streamlit as st

from nightschool.dashboard.download import csv_of

__all__ = ["show_plot"]

_FORMATS: Final = ("svg", "png")
_PNG_SCALE: Final = 2
"""A picture for slides stays sharp when it is enlarged."""


def show_plot(
    figure: Any, *, key: str, alt: str, numbers: pl.DataFrame, caption: str = "", **chart: Any
) -> Any:
    """Show a figure, how to read it, and what can be taken away; return what Streamlit's chart returns.

    Args:
        figure: a plotly figure.
        key: names the plot on its page, and the files made of it.
        alt: what it shows, for screen readers.
        numbers: what is drawn, for the CSV file.
        caption: how to read it.
        chart: further arguments of Streamlit's chart, such as ``on_select``.
    """
    event = st.plotly_chart(figure, key=key, config=_toolbar(key), alt=alt, **chart)
    with st.container(horizontal=True, wrap=False, key=f"foot_{key}"):
        st.caption(caption, width="stretch")
        _take_away(key, numbers)
    return event


def _toolbar(key: str) -> dict[str, Any]:
    """One button, which saves the picture."""
    chosen = st.session_state.get(f"{key}_picture") or _FORMATS[0]
    picture: dict[str, Any] = {"format": chosen, "filename": f"nightschool-{key}"}
    if chosen == "png":
        picture["scale"] = _PNG_SCALE
    return {"displaylogo": False, "modeBarButtons": [["toImage"]], "toImageButtonOptions": picture}


def _take_away(key: str, numbers: pl.DataFrame) -> None:
    with st.popover("", type="tertiary", icon=":material/download:", help="Take this plot away"):
        st.download_button(
            "Numbers (CSV)",
            partial(csv_of, numbers),
            file_name=f"nightschool-{key}.csv",
            mime="text/csv",
            key=f"{key}_csv",
            on_click="ignore",
            icon=":material/table:",
        )
        st.segmented_control(
            "Picture",
            _FORMATS,
            default=_FORMATS[0],
            required=True,
            format_func=str.upper,
            key=f"{key}_picture",
            help="What the camera in the plot's upper right corner saves.",
        )
