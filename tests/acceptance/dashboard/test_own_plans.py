"""Plans that are in no experiment: listed on Runs, drawn as a trial's is, reached from their sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.cli.command import here
from tests.acceptance.dashboard.conftest import Show, texts

PLAN: Final = """\
goal: "One *report* of two <b>regions</b>"
tasks:
  - {id: north, prompt: Sum up the north}
  - {id: south, prompt: Sum up the south}
  - {id: report, prompt: Write the report, depends_on: [north, south]}
"""


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with one plan that `plan run` carried out, and the session in which it is logged."""
    folder = tmp_path_factory.mktemp("planned")
    file = folder / "report.yaml"
    file.write_text(PLAN, encoding="utf-8")
    done = here("plan", "run", str(file), data=folder / "data")
    assert 0 == done.code, done.err
    return folder / "data", done.out.split("stored as session ")[1].split()[0]


def test_a_plan_in_no_experiment_is_listed(show: Show, planned: tuple[Path, str]) -> None:
    folder, session_id = planned

    app = show("runs", folder)

    row = app.dataframe[0].value.iloc[0]
    assert ("done", 3, 3) == (row["Status"], row["Tasks completed"], row["Tasks"])
    assert session_id == row["Session"]


def test_it_is_drawn_with_its_agents_and_its_critical_path(show: Show, planned: tuple[Path, str]) -> None:
    folder, session_id = planned

    app = show("runs", folder, plan=session_id)

    assert [r"One \*report\* of two \<b\>regions\</b\>"] == [each.value for each in app.subheader]
    assert 2 == len(app.get("plotly_chart"))
    assert 4 == len(app.dataframe[0].value)
    assert any("Critical path: 2 tasks" in caption.value for caption in app.caption)
    assert any("simulated" in text.value for text in app.markdown)
    assert "3 of 3 tasks" in texts(app)


@pytest.mark.parametrize("which", [0, 1])
def test_its_sessions_lead_to_it(show: Show, planned: tuple[Path, str], which: int) -> None:
    folder, session_id = planned
    sessions = show("runs", folder, plan=session_id).dataframe[0].value["session"]

    app = show("session", folder, session=sessions[which])

    assert "Its plan" in [link.proto.label for link in app.get("page_link")]


def test_a_session_without_a_plan_is_told(show: Show, planned: tuple[Path, str]) -> None:
    folder, _ = planned

    app = show("runs", folder, plan="sesn_nothing")

    assert "Session sesn_nothing holds no plan that is in no experiment." in texts(app)
    app.button[0].click().run()
    assert "plan" not in app.query_params
