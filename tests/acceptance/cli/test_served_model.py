"""A `claude-...` model behind `--base-url`: the official SDK over a real socket, on good and bad days."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.cli.command import Outcome, complaint, here
from tests.acceptance.cli.served import MODEL, Refusal, Server, serving

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

_OVERLOADED = Refusal(status=529, kind="overloaded_error", headers={"retry-after-ms": "5"})
_KEY = "sk-ant-secret"


@pytest.fixture
def server() -> Iterator[Server]:
    """A server of a model of its own."""
    with serving() as running:
        yield running


def _run(server: Server, data: Path, *, arms: str = "single") -> Outcome:
    arguments = ("--samples", "letter-1", "--repeats", "1", "--arms", arms, "--brain", MODEL)
    return here("--base-url", server.url, "run", "letters", *arguments, data=data, ANTHROPIC_API_KEY=_KEY)


def _trials(data: Path) -> list[tuple[str, str, int]]:
    question = "SELECT arm, status, attempt FROM v1_trials ORDER BY arm"
    rows = json.loads(here("sql", question, "--format", "json", data=data).out)
    return [(row["arm"], row["status"], row["attempt"]) for row in rows]


def test_every_arm_works_with_a_model_behind_a_server(server: Server, tmp_path: Path) -> None:
    outcome = _run(server, tmp_path, arms="single,subagents,orchestrated")

    assert 0 == outcome.code, outcome.err
    assert f"brain {MODEL}" in outcome.out
    assert [("orchestrated", "completed", 1), ("single", "completed", 1), ("subagents", "completed", 1)] == (
        _trials(tmp_path)
    )
    assert {f"Bearer {_KEY}".encode()} == {headers[b"authorization"] for headers in server.requests}


def test_a_rate_limit_is_waited_out_as_long_as_the_server_says(server: Server, tmp_path: Path) -> None:
    server.refusals = [Refusal(status=429, kind="rate_limit_error", headers={"retry-after": "1"})]
    outcome = _run(server, tmp_path)

    assert 0 == outcome.code, outcome.err
    assert [("single", "completed", 1)] == _trials(tmp_path)
    assert 1.0 <= server.times[1] - server.times[0] < 5.0


@pytest.mark.parametrize("arm", ["single", "subagents", "orchestrated"])
def test_an_overloaded_server_leaves_trials_undone_and_a_resume_does_them(
    arm: str, server: Server, tmp_path: Path
) -> None:
    server.always = _OVERLOADED
    outcome = _run(server, tmp_path, arms=arm)
    again = outcome.err.strip().splitlines()[-1].partition("nightschool ")[2].split()

    assert 1 == outcome.code
    assert f"1 errored: Model '{MODEL}' is not available now (529: said no)" in outcome.err
    assert "failed for reasons outside; try them again: nightschool --base-url" in outcome.err
    assert [(arm, "errored", 3)] == _trials(tmp_path)

    server.always = None
    assert 0 == here(*again, data=tmp_path, ANTHROPIC_API_KEY=_KEY).code
    assert [(arm, "completed", 4)] == _trials(tmp_path)


@pytest.mark.parametrize("arm", ["single", "orchestrated"])
def test_a_refused_key_stops_the_run_at_once(arm: str, server: Server, tmp_path: Path) -> None:
    server.always = Refusal(status=401, kind="authentication_error")
    outcome = _run(server, tmp_path, arms=arm)

    assert 5 == outcome.code
    assert "did not accept the API key (401: said no)" in complaint(outcome)
    assert "ANTHROPIC_API_KEY or NIGHTSCHOOL_API_KEY" in complaint(outcome)
    assert _KEY not in outcome.out + outcome.err
    assert [(arm, "started", 1)] == _trials(tmp_path)


def test_a_model_that_the_server_does_not_know_is_named(server: Server, tmp_path: Path) -> None:
    arguments = ("--samples", "letter-1", "--repeats", "1", "--arms", "single", "--brain", "claude-other")
    outcome = here("--base-url", server.url, "run", "letters", *arguments, data=tmp_path)

    assert 1 == outcome.code
    assert "1 errored: Model 'claude-other' refused the request (404: model: claude-other)" in outcome.err


def test_a_server_that_is_not_there_is_said(tmp_path: Path) -> None:
    contract = tmp_path / "contract.md"
    contract.write_text("# A\n\n## 1 Payment\n\nWithin 30 days.\n")
    outcome = here(
        "--base-url", "http://127.0.0.1:9", "review", str(contract), "--brain", MODEL, data=tmp_path / "data"
    )

    assert 1 == outcome.code
    assert f"The server of model '{MODEL}' could not be reached" in complaint(outcome)
