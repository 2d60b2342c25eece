"""What every page is given: the data folder to ask, the other pages to lead to, and one way to show trouble.

Answers are kept by the state of the data folder they were given for, so that none is ever stale.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NoReturn

import polars as pl
import streamlit as st

from nightschool.core.errors import NightschoolError
from nightschool.dashboard.experiment import Experiment, experiment_of
from nightschool.dashboard.markup import escaped
from nightschool.dashboard.palette import ArmStyle, arm_styles
from nightschool.dashboard.source import Source, Version, folder_identity, open_source
from nightschool.settings import Settings

if TYPE_CHECKING:  # these import scipy, which takes seconds: too long for pages that need no statistics
    from nightschool.dashboard.changes import Change
    from nightschool.experiments.report import Report
    from nightschool.experiments.statistics import FrontPlace

__all__ = ["Site", "chosen", "chosen_if_any", "notice", "on_page"]

_AWAIT_SECONDS: Final = 2.0
_KEPT_ANSWERS: Final = 64
"""A page asks about eight questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One run of one page."""

    source: Source
    version: Version
    pages: Mapping[str, Any] = field(default_factory=dict)
    """Streamlit's pages by name."""

    def ask(self, name: str, **parameters: object) -> pl.DataFrame:
        """Return the answer to a question of ``questions.sql``, as of the start of this run."""
        return _answer(folder_identity(self.source.settings), self.version, name, parameters, self.source)

    def answer(self, sql: str, *, most: int, timeout_seconds: float) -> pl.DataFrame:
        """Return the first ``most`` rows of the answer to any reading question.

        Raises:
            InvalidInput: not one reading statement, an error in it, or it took too long.
        """
        folder = folder_identity(self.source.settings)
        return _any_answer(folder, self.version, sql, most, timeout_seconds, self.source)

    def experiments(self) -> list[Experiment]:
        """Return all experiments, newest first; those this version cannot read are left out."""
        found = (experiment_of(row) for row in self.ask("experiments").iter_rows(named=True))
        return [experiment for experiment in found if experiment is not None]

    def styles(self, experiments: Sequence[Experiment]) -> dict[str, ArmStyle]:
        """Return each arm's look, the same in every experiment of the folder."""
        return arm_styles(name for each in reversed(experiments) for name in each.manifest.arms)

    def report(self, experiment: Experiment) -> Report:
        """Return what an experiment found, as the command line would print it now."""
        key = (experiment.id, experiment.manifest_hash, experiment.recorded, experiment.errored)
        results = self.ask("results", experiment_id=experiment.id)
        return _report(folder_identity(self.source.settings), key, results.height, experiment, results)

    def front(self, experiment: Experiment) -> tuple[tuple[str, ...], tuple[FrontPlace, ...]]:
        """Return what is weighed against each other in an experiment, and each arm's place on the front."""
        results = self.ask("results", experiment_id=experiment.id)
        key = (experiment.id, experiment.manifest_hash, results.height)
        return _front(folder_identity(self.source.settings), key, experiment, results)

    def changes(self, newer: Experiment, older: Experiment) -> list[Change]:
        """Return how each arm did against its former self in an older experiment."""
        sides = [(each, self.ask("results", experiment_id=each.id)) for each in (newer, older)]
        key = tuple((each.id, each.manifest_hash, results.height) for each, results in sides)
        return _changes(folder_identity(self.source.settings), key, sides)

    def last_change(self, experiment_id: str) -> datetime | None:
        """Return when something last happened in an experiment's own log."""
        at: datetime | None = self.ask("last_change", experiment_id=experiment_id).item()
        return at

    def refreshed(self) -> Site:
        """Return the site as of now; for a fragment that runs again by itself."""
        return Site(source=self.source, version=self.source.version(), pages=self.pages)

    def open_session(self, session_id: str) -> NoReturn:
        """Leave for a session's page."""
        st.switch_page(self.pages["session"], query_params={"session": session_id})


@st.cache_data(show_spinner=False, max_entries=_KEPT_ANSWERS)
def _answer(
    folder: tuple[str, int],  # noqa: ARG001 - part of the key
    version: Version,  # noqa: ARG001 - part of the key
    name: str,
    parameters: dict[str, object],
    _source: Source,
) -> pl.DataFrame:
    return _source.ask(name, **parameters)


@st.cache_data(show_spinner="Asking …", max_entries=8)
def _any_answer(
    folder: tuple[str, int],  # noqa: ARG001 - part of the key
    version: Version,  # noqa: ARG001 - part of the key
    sql: str,
    most: int,
    timeout_seconds: float,
    _source: Source,
) -> pl.DataFrame:
    return _source.reader.query(sql, timeout_seconds=timeout_seconds, most=most)


@st.cache_data(show_spinner="Resampling …", max_entries=32)
def _report(
    folder: tuple[str, int],  # noqa: ARG001 - part of the key
    state: tuple[str, str, int, int],  # noqa: ARG001 - part of the key
    begun: int,  # noqa: ARG001 - part of the key
    _experiment: Experiment,
    _results: pl.DataFrame,
) -> Report:
    """Resampling takes a moment: done once for each state of the experiment's trials."""
    from nightschool.experiments.measures import from_frame
    from nightschool.experiments.report import build_report

    return build_report(_experiment.id, _experiment.manifest, from_frame(_results))


@st.cache_data(show_spinner=False, max_entries=32)
def _front(
    folder: tuple[str, int],  # noqa: ARG001 - part of the key
    state: tuple[str, str, int],  # noqa: ARG001 - part of the key
    _experiment: Experiment,
    _results: pl.DataFrame,
) -> tuple[tuple[str, ...], tuple[FrontPlace, ...]]:
    from nightschool.dashboard.changes import Side
    from nightschool.experiments.analysis import weigh
    from nightschool.experiments.measures import from_frame

    side = Side(manifest=_experiment.manifest, trials=from_frame(_results))
    return weigh(side.manifest, {arm: side.tally(arm) for arm in side.manifest.arms})


@st.cache_data(show_spinner=False, max_entries=32)
def _changes(
    folder: tuple[str, int],  # noqa: ARG001 - part of the key
    state: tuple[tuple[str, str, int], ...],  # noqa: ARG001 - part of the key
    _sides: Sequence[tuple[Experiment, pl.DataFrame]],
) -> list[Change]:
    from nightschool.dashboard.changes import Side, changes
    from nightschool.experiments.measures import from_frame

    newer, older = (Side(manifest=each.manifest, trials=from_frame(results)) for each, results in _sides)
    return changes(newer, older)


@st.cache_resource(show_spinner=False, max_entries=4)
def _opened(folder: tuple[str, int], _settings: Settings) -> Source | None:  # noqa: ARG001 - the key
    return open_source(_settings)


def on_page(show: Callable[[Site], None], settings: Settings, pages: Mapping[str, Any]) -> None:
    """Draw a page over the data folder, or say what to do when there is nothing or something is wrong."""
    try:
        source = _opened(folder_identity(settings), settings)
        if source is None:
            _opened.clear()
            _nothing_yet(settings)
            return
        show(Site(source=source, version=source.version(), pages=pages))
    except NightschoolError as error:
        notice(error.message, kind="error")


def _nothing_yet(settings: Settings) -> None:
    st.subheader("Nothing is recorded here yet")
    notice(f"The data folder is {settings.data_dir.absolute()}. Another one is shown with NIGHTSCHOOL_DATA.")
    st.markdown("Compare three ways of routing work on 24 contracts, offline, in about a minute:")
    st.code("make demo", language=None)
    st.markdown("Or bring transcripts of your own:")
    st.code("nightschool import tau-bench FILE", language=None)
    _await_first(settings)


@st.fragment(run_every=_AWAIT_SECONDS)
def _await_first(settings: Settings) -> None:
    st.caption("The first results appear here by themselves.")
    if settings.journal_path.exists() or settings.warehouse_path.exists():
        st.rerun()


def notice(text: str, *, kind: str = "info") -> None:
    """Show a remark as plain text, whatever is in it. ``kind``: info, warning or error."""
    st.html(f'<div class="ns-notice is-{escaped(kind)}" role="status" dir="auto">{escaped(text)}</div>')


def chosen(
    name: str, options: Sequence[str], *, label: str, written: Callable[[str], str] = str, **widget: Any
) -> str:
    """Return one of the options, chosen in a list, by the URL's ``?name=``, or on another page before.

    The choice is written into the URL, so that the address bar always names what is shown.
    """
    key, last = f"choice_{name}", f"last_{name}"
    wanted = st.query_params.get(name)
    if wanted is not None and wanted not in options:
        notice(f"There is no {name} {wanted} in this data folder.", kind="warning")
        wanted = None
    is_new = wanted is not None and wanted != st.session_state.get(last)
    if is_new or st.session_state.get(key) not in options:
        remembered = wanted or st.session_state.get(last)
        st.session_state[key] = remembered if remembered in options else options[0]
    choice: str = st.selectbox(label, options, format_func=written, key=key, **widget)
    st.session_state[last] = choice
    st.query_params[name] = choice
    return choice


def chosen_if_any(name: str, options: Sequence[str], *, label: str, **widget: Any) -> str | None:
    """Return one of the options or none, chosen in a list or by the URL's ``?name=``; the URL keeps it."""
    key, wanted = f"choice_{name}", st.query_params.get(name)
    if key not in st.session_state or st.session_state[key] not in options:
        st.session_state[key] = wanted if wanted in options else None
    choice: str | None = st.selectbox(label, options, index=None, key=key, **widget)
    if choice is not None:
        st.query_params[name] = choice
    elif wanted is not None:
        del st.query_params[name]
    return choice
