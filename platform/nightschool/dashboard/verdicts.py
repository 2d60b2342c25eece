"""What may be claimed, on a page."""

from __future__ import annotations

import streamlit as st

from nightschool.dashboard.comparison import verdicts
from nightschool.experiments.report import Report

__all__ = ["show_verdicts"]


def show_verdicts(report: Report) -> None:
    """Show what may be claimed."""
    if cards := verdicts(report.confirmatory):
        st.html(cards)
    else:
        st.caption("One arm alone: there is nothing to compare it with.")
