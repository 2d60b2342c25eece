"""Disks that are full, cannot be written, or fail."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from nightschool.core.clock import SystemClock
from nightschool.core.errors import NightschoolError, StoreFull, StoreUnwritable
from nightschool.journal.check import check
from nightschool.journal.journal import Journal
from nightschool.journal.verify import verify
from tests.integration.journal.writer_process import message

pytestmark = pytest.mark.integration


def _mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"mounting is not permitted here: {done.stderr.strip()}")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder))
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _fill(journal: Journal) -> tuple[list[str], NightschoolError]:
    acknowledged: list[str] = []
    for number in range(10_000):
        event = message("sesn_a", number, 0)
        try:
            journal.append("sesn_a", [event], epoch=1)
        except NightschoolError as error:
            return acknowledged, error
        acknowledged.append(event.id)
    raise AssertionError("the disk never filled up")


def test_a_full_disk_stops_writing_clearly_and_keeps_what_was_acknowledged(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"\0" * 1024 * 1024)
    path = small_disk / "journal.sqlite"
    journal = Journal.open(path, clock=SystemClock())

    acknowledged, error = _fill(journal)

    assert StoreFull is type(error)
    assert f"{path}: the disk is full. Everything acknowledged is kept." in error.message
    assert acknowledged == [entry.event_id for entry in journal.read("sesn_a")]
    found = {finding.name: finding.code for finding in check(path)}
    assert "store_full" == found["journal free space"]

    ballast.unlink()
    journal.append("sesn_a", [message("sesn_a", len(acknowledged), 1)], epoch=1)
    assert len(acknowledged) + 1 == len(journal.read("sesn_a"))
    assert verify(journal).is_sound
    journal.close()


def test_a_journal_on_a_full_disk_can_be_read_after_opening_again(small_disk: Path) -> None:
    path = small_disk / "journal.sqlite"
    journal = Journal.open(path, clock=SystemClock())
    acknowledged, _ = _fill(journal)
    journal.close()

    reader = Journal.open(path, clock=SystemClock(), read_only=True)

    assert acknowledged == [entry.event_id for entry in reader.read("sesn_a")]
    reader.close()


def test_a_read_only_disk_can_be_read_and_says_why_it_cannot_be_written(small_disk: Path) -> None:
    path = small_disk / "journal.sqlite"
    journal = Journal.open(path, clock=SystemClock())
    journal.append("sesn_a", [message("sesn_a", 1, 0)], epoch=1)
    journal.close()
    _mount("-o", "remount,ro", str(small_disk))

    reader = Journal.open(path, clock=SystemClock(), read_only=True)
    assert 1 == len(reader.read("sesn_a"))
    reader.close()
    with pytest.raises(StoreUnwritable, match=r"journal\.sqlite.*--data or NIGHTSCHOOL_DATA"):
        Journal.open(path, clock=SystemClock())
    found = {finding.name: finding.ok for finding in check(path)}
    assert (False, False, True) == (
        found["journal folder"],
        found["journal file"],
        found["journal integrity"],
    )


READ_AS_NOBODY = """
import os, sys
from pathlib import Path
from nightschool.core.clock import SystemClock
from nightschool.core.errors import NightschoolError
from nightschool.journal.journal import Journal
os.setgid(65534); os.setuid(65534)
path = Path(sys.argv[1])
journal = Journal.open(path, clock=SystemClock(), read_only=True)
print("read", len(journal.tail(0, 10)))
try:
    Journal.open(path, clock=SystemClock())
except NightschoolError as error:
    print(error.code)
"""


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that everybody may look into and only root may change."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody without rights")
    folder = Path(subprocess.check_output(["mktemp", "--directory"], text=True).strip())
    folder.chmod(0o755)
    yield folder
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()


@pytest.mark.parametrize("owner_works", [True, False])
def test_somebody_who_may_not_write_can_read(public_folder: Path, *, owner_works: bool) -> None:
    path = public_folder / "journal.sqlite"
    journal = Journal.open(path, clock=SystemClock())
    journal.append("sesn_a", [message("sesn_a", 1, 0)], epoch=1)
    if not owner_works:
        journal.close()

    out = subprocess.check_output([sys.executable, "-c", READ_AS_NOBODY, str(path)], text=True)

    journal.close()
    assert ["read 1", "store_unwritable"] == out.splitlines()
