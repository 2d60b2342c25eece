"""A fresh journal, and events to put in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import IdSource
from nightschool.events.agent import AgentMessage
from nightschool.events.base import TextBlock
from nightschool.journal.journal import Journal

Say = Callable[[str], AgentMessage]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the journal lies."""
    return tmp_path / "data" / "journal.sqlite"


@pytest.fixture
def journal(path: Path, clock: FrozenClock) -> Iterator[Journal]:
    """An empty journal."""
    opened = Journal.open(path, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def say(ids: IdSource) -> Say:
    """Make an event with a text of the test's."""

    def message(text: str) -> AgentMessage:
        return AgentMessage(id=ids.new("event"), content=(TextBlock(text=text),))

    return message
