"""Suites, arms and agents that people write by hand: a mistake is said with file, line and field."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.acceptance.cli.command import LETTERS, Outcome, complaint, here

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

_ARM = "title: A\ndescription: a\nrouting: single\nagents: {reviewer: agents/reviewer.md}\n"
_AGENT = "---\nname: reviewer\ntools: [list_sections, read_section, submit_findings]\n---\n"


def _run_with(file: str, content: str | bytes, folder: Path) -> Outcome:
    suites = folder / "suites"
    shutil.copytree(LETTERS, suites / "letters")
    (suites / "letters" / file).write_bytes(content.encode() if isinstance(content, str) else content)
    arguments = ("run", "letters", "--arms", "single", "--samples", "letter-1", "--repeats", "1")
    return here(*arguments, data=folder / "data", NIGHTSCHOOL_SUITES=str(suites))


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("suite.yaml", "title: [open\n", "suite.yaml, line 2: expected ',' or ']'"),
        ("suite.yaml", "- letters\n", "suite.yaml: expected `field: value` lines"),
        ("suite.yaml", "title: Letters\n", "suite.yaml, line 1: field `primary_metric`: Field required"),
        (
            "suite.yaml",
            "primary_metric: recall\nprimary_metric: f1\n",
            "line 2: field `primary_metric` is given",
        ),
        (
            "suite.yaml",
            "name: notes\nprimary_metric: recall\n",
            "line 1: field `name`: `notes` does not match",
        ),
        (
            "suite.yaml",
            "primary_metric: recall\nmodule: no.py\n",
            "suite.yaml, line 2: field `module`: no file",
        ),
        (
            "suite.yaml",
            "primary_metric: recall\nrubric: no.md\n",
            "suite.yaml, line 2: field `rubric`: no file",
        ),
        ("suite.yaml", b"\xff\xfe\x00", "suite.yaml: not UTF-8 text"),
        ("suite.py", "import os\ndef samples(:\n", "suite.py, line 2: the suite's module cannot be loaded"),
        ("suite.py", "import os\nprice = 1 / 0\n", "suite.py, line 2: the suite's module cannot be loaded"),
        ("suite.py", "def draw(): ...\n", "suite.py: missing function samples, playbook_text, score"),
        (
            "arms/single.yaml",
            _ARM + "colour: red\n",
            "single.yaml, line 5: field `colour`: unknown field; known",
        ),
        ("arms/single.yaml", _ARM.replace("single", "ring"), "single.yaml, line 3: field `routing`: Input"),
        (
            "arms/single.yaml",
            _ARM.replace("reviewer.md", "x.md"),
            "line 4: field `agents.reviewer`: no agent",
        ),
        (
            "arms/single.yaml",
            _ARM.replace("reviewer:", "lead:"),
            "line 4: field `agents`: routing single needs",
        ),
        ("arms/single.yaml", _ARM + "settings: {x: 1}\n", "line 5: field `settings.x`: unknown setting"),
        (
            "arms/single.yaml",
            _ARM + "settings:\n  max_tasks: -1\n",
            "line 6: field `settings.max_tasks`: must be",
        ),
        (
            "arms/single.yaml",
            _ARM + "max_iterations: many\n",
            "line 5: field `max_iterations`: Input should be",
        ),
        ("agents/reviewer.md", "Review.\n", "reviewer.md, line 1: an agent file starts with front matter"),
        ("agents/reviewer.md", "---\nname: [\n---\nGo.\n", "reviewer.md, line 2: "),
        ("agents/reviewer.md", _AGENT.replace("name", "nome") + "Go.\n", "reviewer.md, line 2: field `nome`"),
        (
            "agents/reviewer.md",
            _AGENT.replace("[", "").replace("]", "") + "Go.\n",
            "line 3: field `tools`: must",
        ),
        ("agents/reviewer.md", _AGENT.replace("submit", "admit") + "Go.\n", "asks for tool `admit_findings`"),
        ("agents/reviewer.md", _AGENT, "reviewer.md: an agent needs a `name` and a body"),
        ("agents/reviewer.md", b"---\nname: \xff\n---\nGo.\n", "reviewer.md: not UTF-8 text"),
    ],
)
def test_a_mistake_in_a_declaration_is_said_with_its_place(
    file: str, content: str | bytes, said: str, tmp_path: Path
) -> None:
    outcome = _run_with(file, content, tmp_path)

    assert 5 == outcome.code
    assert said in complaint(outcome)
    assert "no experiment" in here("experiments", data=tmp_path / "data").err


@pytest.mark.parametrize(
    ("words", "broken", "line"),
    [
        ("world.sample(_FILLER, 2)", "world.sample(_FILLER, 9)", "parts += "),
        ("recall = len(flagged & gold) / len(gold)", "recall = 1 / 0", "recall = "),
    ],
    ids=["draw", "score"],
)
def test_code_of_a_suite_that_fails_is_said_with_its_place(
    words: str, broken: str, line: str, tmp_path: Path
) -> None:
    text = (LETTERS / "suite.py").read_text()
    number = next(i for i, each in enumerate(text.splitlines(), 1) if each.strip().startswith(line))
    outcome = _run_with("suite.py", text.replace(words, broken), tmp_path)

    assert 5 == outcome.code
    assert f"suite.py, line {number}: the suite cannot be used: " in complaint(outcome)


def test_trials_without_a_result_say_why_and_are_no_success(tmp_path: Path) -> None:
    """What breaks on an agent's answer alone is found when there is one."""
    words = 'positions = answer["positions"]'
    picky = f'{words}\n    assert all(position["confidence"] == 1 for position in positions), "unsure"'
    outcome = _run_with("suite.py", (LETTERS / "suite.py").read_text().replace(words, picky), tmp_path)

    assert 1 == outcome.code
    assert "1 errored: AssertionError: unsure" in outcome.err
    assert "Traceback" not in outcome.err
