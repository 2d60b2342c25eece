"""Names that do not exist, and requests that contradict themselves: said at once, with what there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.cli.command import complaint, here
from tests.acceptance.cli.conftest import Written

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "novels"], "no suite `novels`; there are: contracts, "),
        (["run", "../letters"], "no suite `../letters`"),
        (["run", ""], "no suite ``"),
        (
            ["run", "letters", "--arms", "single,swarm"],
            "no arm `swarm`; there are: blind, orchestrated",
        ),
        (["run", "letters", "--samples", "letter-9"], "no sample `letter-9`; it has: letter-1, letter-2"),
        (["run", "letters", "--brain", "gpt-x"], "no model 'gpt-x'. Known: reader, simulated, claude-"),
        (["run", "letters", "--arms", "single,single"], "given more than once: single"),
        (["run", "letters", "--samples", "letter-1,letter-1"], "given more than once: letter-1"),
        (
            ["run", "--resume", "exp_none"],
            "no experiment `exp_none`; list them with: nightschool experiments",
        ),
        (["run", "--resume", "exp_"], "`exp_` fits 2 experiments; give more of the id"),
        (["compare", "exp_none"], "no experiment `exp_none`"),
        (["trace", "sesn_none"], "no session sesn_none"),
        (["review", "nowhere.md"], "no file nowhere.md"),
        (
            ["review", __file__, "--arm", "swarm"],
            "no arm `swarm`; there are: orchestrated",
        ),
        (["review", __file__, "--playbook", "nowhere.md"], "no file nowhere.md"),
        (["import", "tau-bench", "nowhere.json"], "there is no file nowhere.json"),
    ],
)
def test_a_name_that_does_not_exist_is_said_with_those_that_do(
    arguments: list[str], said: str, written: Written
) -> None:
    outcome = here(*arguments, data=written.data)

    assert 5 == outcome.code
    assert said in complaint(outcome)


@pytest.mark.parametrize(
    "command", [("run", "letters"), ("review", __file__, "--arm", "single")], ids=" ".join
)
def test_a_claude_model_without_a_key_says_which_variable_and_that_reader_needs_none(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "contract.md").write_text("# A\n\n## 1 Payment\n\nWithin 30 days.\n")
    arguments = [str(tmp_path / "contract.md") if word == __file__ else word for word in command]
    outcome = here(*arguments, "--brain", "claude-sonnet-4-5", data=tmp_path / "data")

    assert 5 == outcome.code
    assert "'claude-sonnet-4-5' needs an API key" in complaint(outcome)
    assert "ANTHROPIC_API_KEY or NIGHTSCHOOL_API_KEY" in complaint(outcome)
    assert "'reader' runs here and needs none" in complaint(outcome)


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://127.0.0.1", "http://"])
def test_a_base_url_that_is_none_is_refused(url: str, tmp_path: Path) -> None:
    outcome = here("--base-url", url, "run", "letters", data=tmp_path)

    assert 5 == outcome.code
    assert f"'{url}' is not an http(s) URL" in complaint(outcome)


def test_nothing_is_declared_by_a_run_that_was_refused(tmp_path: Path) -> None:
    assert 5 == here("run", "letters", "--brain", "claude-sonnet-4-5", data=tmp_path).code

    assert "no experiment" in here("experiments", data=tmp_path).err
