"""A newcomer who has read the README finds what a change broke: which arm, on which documents, and why."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.acceptance.cli.command import ROOT, Outcome, here
from tests.acceptance.dashboard.conftest import page_script, texts

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

README = (ROOT / "README.md").read_text(encoding="utf-8")
SAMPLES = "p005-1,p005-2,p005-3,p005-4,p005-5,p005-6,p005-7,p005-8"
RUN = ("run", "contracts", "--arms", "single", "--repeats", "1", "--samples", SAMPLES)


def test_the_readme_says_where_to_look() -> None:
    assert "*Home* in the dashboard sets the two runs beside each" in README
    assert "nightschool gate LAST --against EARLIER --arm ARM" in README


def test_a_planted_regression_is_found_by_what_the_readme_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slip: somebody takes the tool away with which the reviewer reads sections."""
    data, suites = tmp_path / "data", tmp_path / "evals"
    shutil.copytree(ROOT / "evals", suites)

    def run(*arguments: str) -> Outcome:
        return here(*arguments, data=data, NIGHTSCHOOL_SUITES=str(suites))

    assert 0 == run(*RUN).code
    reviewer = suites / "contracts" / "agents" / "reviewer.md"
    reviewer.write_text(reviewer.read_text("utf-8").replace("read_section, ", ""), encoding="utf-8")
    assert 0 == run(*RUN).code

    earlier = re.findall(r"exp_\w+", run("experiments").out)[0]
    gate = run("gate", "LAST", "--against", earlier, "--arm", "single")
    monkeypatch.setenv("NIGHTSCHOOL_DATA", str(data))
    app = AppTest.from_function(page_script, default_timeout=60, kwargs={"page": "home"}).run()
    html = texts(app)

    assert not app.exception
    assert "single regressed" in html
    assert "arm single changed" in html
    assert 1 == gate.code, gate.err
