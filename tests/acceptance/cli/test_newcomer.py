"""A newcomer who has read the README finds what a change broke: which arm, on which documents, and why."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.acceptance.cli.command import ROOT, Outcome, here
from tests.acceptance.dashboard.conftest import page_script, texts

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

README = (ROOT / "README.md").read_text(encoding="utf-8")
DEMO = ("make", "-o", ".venv/.installed", "demo")
"""`make demo` after installing: the copy borrows the environment that the tests run in."""
NEWCOMERS_SECONDS = 600
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


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_from_a_fresh_clone_the_readmes_words_lead_to_the_regression(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is typed and what is edited is taken out of the README; ten minutes must do, installing aside."""
    clone, began = tmp_path / "nightschool", time.monotonic()
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    (clone / ".venv").symlink_to(sys.prefix)
    said = (clone / "README.md").read_text(encoding="utf-8")
    found = re.search(r"take `(\w+)`\s+away from the agent in `(\S+)`, and\s+```\n(.*?)```", said, re.DOTALL)
    assert found
    tool, agent, typed = found.groups()

    _type(clone, DEMO)
    _take_away(clone / agent, tool)
    commands = [shlex.split(line, comments=True) for line in typed.splitlines()]
    assert ["run", "experiments", "gate", "open"] == [command[1] for command in commands]
    _type(clone, commands[0])
    earlier = re.findall(r"exp_\w+", _type(clone, commands[1]).stdout)[0]
    gate = _type(clone, [earlier if word == "exp_..." else word for word in commands[2]], code=1)
    assert "regression" in gate.stdout
    monkeypatch.setenv("NIGHTSCHOOL_DATA", str(clone / "data"))
    app = AppTest.from_function(page_script, default_timeout=60, kwargs={"page": "home"}).run()

    assert not app.exception
    assert "single regressed" in texts(app)
    assert time.monotonic() - began < NEWCOMERS_SECONDS


def _take_away(agent: Path, tool: str) -> None:
    text = agent.read_text(encoding="utf-8")
    assert f"{tool}, " in text
    agent.write_text(text.replace(f"{tool}, ", "", 1), encoding="utf-8")


def _type(clone: Path, command: Sequence[str], *, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a command in the clone, with the clone's code and nothing set that a newcomer has not set."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("NIGHTSCHOOL_")}
    ours["PYTHONPATH"] = str(clone / "platform")
    done = subprocess.run(command, cwd=clone, env=ours, capture_output=True, text=True, check=False)
    assert code == done.returncode, done.stderr
    return done
