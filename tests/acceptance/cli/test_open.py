"""`nightschool open` and `nightschool fixtures big`."""

from __future__ import annotations

import signal
import socket
import time
import urllib.request
from pathlib import Path

import pytest

from tests.acceptance.cli.command import complaint, here, start
from tests.acceptance.cli.conftest import Written

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]


def test_the_dashboard_opens_at_the_newest_experiment_and_ends_when_asked(written: Written) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = start("open", "LAST", "--no-browser", "--port", str(port), data=written.data)
        try:
            assert process.stdout is not None
            address = next(line for line in process.stdout if "experiment=exp_" in line).strip()
            with urllib.request.urlopen(address, timeout=20) as answer:  # noqa: S310 - an address of our own
                assert 200 == answer.status
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)

    assert f":{port}/" not in address
    free = int(address.split(":")[2].split("/")[0])
    assert not _answers(free)


def _answers(port: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)):
                return False
    return True


def test_an_experiment_that_is_not_there_is_said_and_nothing_is_started(written: Written) -> None:
    outcome = here("open", "exp_none", data=written.data)

    assert 5 == outcome.code
    assert "no experiment `exp_none`" in complaint(outcome)


def test_a_large_data_set_is_made_and_says_that_it_is_simulated(tmp_path: Path) -> None:
    folder = tmp_path / "big"

    made = here("fixtures", "big", str(folder), "--events", "2000")
    asked = here("sql", "SELECT count(*) AS n FROM v1_trials WHERE simulated", "--format", "csv", data=folder)
    again = here("fixtures", "big", str(folder), "--events", "2000")

    assert 0 == made.code, made.err
    assert "2,000 simulated events" in made.out
    assert "n\n20\n" == asked.out
    assert "exists; name a new folder" in complaint(again)
