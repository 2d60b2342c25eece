"""A run, a dashboard, an analyst and a sync at once, each a process: no error, no stall in the run.

`--log-cli-level=INFO` shows how long appends took.
"""

from __future__ import annotations

import json
import logging
import statistics
from pathlib import Path

import pytest

from tests.integration.log.nursery import Nursery
from tests.integration.log.sound import Folder, assert_warehouse_is_journal, catch_up, everything

pytestmark = [pytest.mark.integration, pytest.mark.crash]

PARTS = ("run", "dashboard", "analyst", "sync")
STALL_SECONDS = 2.0
_log = logging.getLogger(__name__)


def _together(folder: Folder, seconds: float) -> None:
    with Nursery(folder) as nursery:
        for part in PARTS:
            nursery.start(part, seconds)
        for part in PARTS:
            assert 0 == nursery.wait(part), f"{part}: {nursery.error(part)}"


def _counts(folder: Folder) -> dict[str, int]:
    files = ("pages", "held", "synced")
    return {name: len((folder.path / name).read_text().splitlines()) for name in files}


def _check(folder: Folder, seconds: float) -> None:
    entries = everything(folder)
    catch_up(folder)
    assert_warehouse_is_journal(folder, entries)
    waits = json.loads((folder.path / "waits").read_text())
    p99 = statistics.quantiles(waits, n=100)[98]
    counts = _counts(folder)
    _log.info(
        "%d events, append p99 %.1f ms, longest %.1f ms, %s",
        len(entries),
        p99 * 1e3,
        max(waits) * 1e3,
        counts,
    )
    assert max(waits) < STALL_SECONDS, f"an append took {max(waits):.2f} s (p99 {p99 * 1000:.1f} ms)"
    assert len(waits) == len(entries), "one event an append, none lost"
    assert counts["pages"] >= seconds / 10
    assert counts["held"] >= 1


def test_five_seconds_together(tmp_path: Path) -> None:
    _together(Folder(tmp_path), 5)
    _check(Folder(tmp_path), 5)


@pytest.mark.nightly
@pytest.mark.timeout(300)
def test_a_minute_together(tmp_path: Path) -> None:
    _together(Folder(tmp_path), 60)
    _check(Folder(tmp_path), 60)
