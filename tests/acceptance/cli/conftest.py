"""A data folder in which things have been run, shared by the tests that only look."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.acceptance.cli.command import Outcome, here, process

_CONTRACTS = ("run", "contracts", "--samples", "p005-1,p005-2", "--repeats", "1")
_LETTERS = ("run", "letters", "--arms", "single,blind", "--repeats", "1", "--seed", "7")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The folder, and what the commands said that wrote it."""

    data: Path
    contracts: Outcome
    """Two contracts, three arms, one repeat, run by a process of its own."""
    letters: Outcome
    """Eight letters, an arm that can read them and one that cannot."""


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Two finished experiments, the later one of letters. Tests read it and change nothing."""
    data = tmp_path_factory.mktemp("written") / "data"
    return Written(data=data, contracts=process(*_CONTRACTS, data=data), letters=here(*_LETTERS, data=data))
