"""What the dashboard looks at, whether it is well, and what to do when it is not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import streamlit as st

from nightschool import __version__
from nightschool.core.errors import NightschoolError
from nightschool.dashboard.markup import Cell, Column, data_table, facts
from nightschool.dashboard.site import Site
from nightschool.dashboard.wording import ABSENT, count
from nightschool.journal.check import Finding, check
from nightschool.settings import VARIABLES

__all__ = ["show"]

_MEGABYTE: Final = 1024 * 1024
_ON_OFF: Final = {True: "on", False: "off"}


def show(site: Site) -> None:
    """Draw the page."""
    settings = site.source.settings
    st.subheader("Data folder", anchor=False)
    totals = site.ask("totals").row(0, named=True)
    st.html(
        facts(
            [
                ("folder", str(settings.data_dir.absolute())),
                *((name, count(number)) for name, number in totals.items()),
                ("journal", _size(settings.journal_path)),
                ("warehouse", _size(settings.warehouse_path)),
                ("kept for", f"{settings.retention_days} days"),
                ("nightschool", __version__),
            ]
        )
    )
    st.subheader("Is it well?", anchor=False)
    deep = st.toggle("Read the whole journal too (about a second per GB)", key="deep", bind="query-params")
    findings = [*check(settings.journal_path, deep=deep), _warehouse(site)]
    st.html(_findings_table(findings))
    st.caption(
        "The same as `nightschool doctor`; `nightschool verify` also compares every event with its hash."
    )
    st.subheader("Settings", anchor=False)
    st.html(_settings_table(site))
    st.caption(
        "Read from the environment and the command line when the dashboard starts; a key is never shown."
        " Only this machine is let in unless `--server.address` opens it. "
        + _writes(answers=settings.answers)
    )


def _writes(*, answers: bool) -> str:
    """Say what the dashboard adds to the log."""
    words = "words to agents that ask" if answers else "with `--answers`, words to agents that ask"
    return f"The dashboard changes nothing that was recorded; it adds people's labels, and {words}."


def _size(path: Path) -> str:
    return f"{path.stat().st_size / _MEGABYTE:,.1f} MB" if path.exists() else "none yet"


def _warehouse(site: Site) -> Finding:
    """Whether the warehouse answers, and is not far behind."""
    path = site.source.settings.warehouse_path
    if not path.exists():
        hint = "none yet; the journal answers. A run makes it, or: nightschool sync"
        return Finding(name="warehouse", ok=True, message=hint)
    try:
        site.source.reader.query("SELECT 1 AS one")
    except NightschoolError as error:
        return Finding(name="warehouse", ok=False, message=error.message, code=error.code)
    return Finding(name="warehouse", ok=True, message=f"{path} answers")


def _findings_table(findings: Sequence[Finding]) -> str:
    columns = [
        Column(name="Looked at", numeric=False),
        Column(name="Is", numeric=False),
        Column(name="Found", numeric=False, wraps=True),
    ]
    rows = [
        [
            Cell(text=each.name),
            Cell(
                text="well" if each.ok else "wrong", tone="good" if each.ok else "bad", note=each.code or ""
            ),
            Cell(text=each.message),
        ]
        for each in findings
    ]
    return data_table(columns, rows, caption="What was looked at and found")


def _settings_table(site: Site) -> str:
    settings = site.source.settings
    in_force = {
        "NIGHTSCHOOL_DATA": str(settings.data_dir),
        "NIGHTSCHOOL_SUITES": ", ".join(map(str, settings.suite_dirs)),
        "NIGHTSCHOOL_BASE_URL": settings.base_url or "Claude's own",
        "NIGHTSCHOOL_API_KEY": "set" if settings.api_key else "not set",
        "NIGHTSCHOOL_RETENTION_DAYS": str(settings.retention_days),
        "NIGHTSCHOOL_MEMORY_UNUSED_DAYS": str(settings.memory_unused_days),
        "NIGHTSCHOOL_MEMORY_HIDDEN_DAYS": str(settings.memory_hidden_days),
        "NIGHTSCHOOL_MEMORY_COLD_DAYS": str(settings.memory_cold_days),
        "NIGHTSCHOOL_ADOPTION_SUITE": settings.adoption_suite or "none",
        "NIGHTSCHOOL_DREAMING": _ON_OFF[settings.dreaming],
        "NIGHTSCHOOL_REVIEWER": settings.reviewer or "nobody",
        "NIGHTSCHOOL_LOGIN": _ON_OFF[settings.login],
        "NIGHTSCHOOL_ANSWERS": _ON_OFF[settings.answers],
    }
    columns = [
        Column(name="Variable", numeric=False),
        Column(name="In force", numeric=False, wraps=True),
        Column(name="Meaning", numeric=False, wraps=True),
    ]
    rows = [
        [Cell(text=name), Cell(text=in_force.get(name, ABSENT)), Cell(text=meaning)]
        for name, meaning in VARIABLES.items()
    ]
    return data_table(columns, rows, caption="Settings in force")
