"""Any question to the log, in SQL: editor, views, saved questions, the answer as table, chart and file.

Questions are read-only: they cannot write, attach, read files or load extensions (`warehouse.reader`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

import polars as pl
import streamlit as st

from nightschool.core.errors import InvalidInput
from nightschool.dashboard.download import csv_of, parquet_of
from nightschool.dashboard.markup import Cell, Column, data_table
from nightschool.dashboard.plots import show_plot
from nightschool.dashboard.questions import own_questions, saved_questions
from nightschool.dashboard.result_chart import (
    KINDS,
    MOST_POINTS,
    Choice,
    drawable,
    first_choice,
    result_chart,
)
from nightschool.dashboard.site import Site, notice
from nightschool.dashboard.wording import count, plural
from nightschool.warehouse.reference import ViewPage, describe_views

__all__ = ["show"]

_MOST_ROWS: Final = 50_000
_SECONDS: Final = 30.0
_HEIGHT: Final = 190
_TABLE_PIXELS: Final = 380


def show(site: Site) -> None:
    """Draw the page."""
    questions = {**saved_questions(), **own_questions(site.source.settings.data_dir / "questions")}
    _choose(questions)
    editor, views = st.columns([3, 2], gap="large")
    with editor:
        text = _editor(questions)
    with views:
        _browse()
    if text.strip():
        _answer(site, text)


def _choose(questions: Mapping[str, str]) -> None:
    """Put the first question into the editor unless the address brings one."""
    if "sql" not in st.session_state:
        st.session_state["sql"] = st.query_params.get("q") or next(iter(questions.values()))


def _editor(questions: Mapping[str, str]) -> str:
    def take() -> None:
        if name := st.session_state["saved"]:
            st.session_state["sql"] = questions[name]

    st.selectbox(
        "Saved questions",
        list(questions),
        index=None,
        placeholder="Take a saved question …",
        key="saved",
        on_change=take,
        help="Put .sql files into the folder `questions` of the data folder, and they are listed here.",
    )
    text: str = st.text_area("SQL", key="sql", height=_HEIGHT, help="Ctrl+Enter asks.")
    with st.container(horizontal=True):
        st.button("Ask", type="primary", icon=":material/play_arrow:")
        st.download_button(
            "Keep this question (.sql)", text, file_name="question.sql", type="tertiary", on_click="ignore"
        )
    st.query_params["q"] = text
    return text


@st.cache_data(show_spinner=False)
def _views() -> list[ViewPage]:
    return describe_views()


def _browse() -> None:
    pages = {page.name: page for page in _views()}
    name = st.selectbox("Views", list(pages), key="view", bind="query-params")
    page = pages[name]
    st.caption(f"One row is {page.grain} Key: {page.key}")
    columns = [
        Column(name="Column", unit="type", numeric=False),
        Column(name="Meaning", numeric=False, wraps=True),
    ]
    rows = [[Cell(text=c.name, note=_kind(c.kind)), Cell(text=c.meaning)] for c in page.columns]
    with st.container(height=_HEIGHT + 40, border=False):
        st.html(data_table(columns, rows, caption=f"Columns of {name}"))


def _kind(kind: str) -> str:
    return kind.lower().replace("timestamp with time zone", "timestamptz")


def _answer(site: Site, text: str) -> None:
    try:
        answer = site.answer(text, most=_MOST_ROWS, timeout_seconds=_SECONDS)
    except InvalidInput as error:
        notice(error.message, kind="error")
        return
    cut = (
        f" The answer has more: only the first {count(_MOST_ROWS)} are here."
        if answer.height == _MOST_ROWS
        else ""
    )
    table, chart = st.tabs([f"Answer ({plural(answer.height, 'row')})", "Chart"])
    with table:
        st.dataframe(
            answer,
            hide_index=True,
            height=_TABLE_PIXELS if answer.height > 9 else "auto",
            placeholder="null",
            key="answer",
            alt="The answer as a table",
        )
        _files(answer)
        st.caption(f"As of the last committed event.{cut} A question may take {_SECONDS:.0f} seconds.")
    with chart:
        _chart(site, answer)


def _files(answer: pl.DataFrame) -> None:
    with st.container(horizontal=True):
        for label, ending, made in (("CSV", "csv", csv_of), ("Parquet", "parquet", parquet_of)):
            st.download_button(
                label,
                partial(made, answer),
                file_name=f"answer.{ending}",
                on_click="ignore",
                icon=":material/download:",
                key=f"answer_{ending}",
            )


def _chart(site: Site, answer: pl.DataFrame) -> None:
    first = first_choice(answer)
    if first is None or answer.is_empty():
        st.caption("A chart needs an answer with a number in it and another column.")
        return
    choice = _chosen(answer, first)
    cut = f" Only the first {count(MOST_POINTS)} rows are drawn." if answer.height > MOST_POINTS else ""
    show_plot(
        result_chart(answer, choice, site.styles(site.experiments())),
        key="answer_chart",
        alt=f"{choice.y} by {choice.x}",
        numbers=answer,
        caption=f"{choice.y} by {choice.x}, as answered; nothing is added up here.{cut}",
    )


def _chosen(answer: pl.DataFrame, first: Choice) -> Choice:
    flat, numbers = drawable(answer)
    kind, along, up, by = st.columns(4)
    with kind:
        drawn = st.selectbox("Kind", KINDS, index=KINDS.index(first.kind), key="kind", bind="query-params")
    with along:
        x = st.selectbox("Along", flat, index=flat.index(first.x), key="along", bind="query-params")
    with up:
        y = st.selectbox("Up", numbers, index=numbers.index(first.y), key="up", bind="query-params")
    with by:
        series = st.selectbox(
            "Colour by", flat, index=None, placeholder="nothing", key="by", bind="query-params"
        )
    return Choice(kind=drawn, x=x, y=y, series=series)
