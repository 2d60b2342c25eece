"""A process that appends and says so: run by the crash tests, killed by them at any moment.

    python writer_process.py JOURNAL NAME COUNT [SHARED ...]

Appends COUNT times to the session NAME (one to three events each time), and each time to every SHARED session
as well. After each acknowledged append it writes the event ids to standard output: that much was promised.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from nightschool.core.clock import SystemClock
from nightschool.core.ids import derived_id
from nightschool.events.agent import AgentMessage
from nightschool.events.base import TextBlock
from nightschool.journal.journal import Journal


def batches(name: str, count: int, shared: list[str]) -> Iterator[tuple[str, list[AgentMessage]]]:
    """Yield the appends of the process of that name, the same in every run."""
    for number in range(count):
        yield name, [message(name, number, part) for part in range(1 + number % 3)]
        for session_id in shared:
            yield session_id, [message(f"{session_id} by {name}", number, 0)]


def message(name: str, number: int, part: int) -> AgentMessage:
    """Return an event whose id and text follow from its place; every seventh is long."""
    text = f"{name} {number}.{part} " + "x" * (20_000 if number % 7 == 6 else 300)
    return AgentMessage(id=derived_id("event", name, number, part), content=(TextBlock(text=text),))


def main() -> None:
    """Append until done or killed."""
    path, name, count, *shared = sys.argv[1:]
    journal = Journal.open(Path(path), clock=SystemClock())
    for session_id, events in batches(name, int(count), shared):
        journal.append(session_id, events, epoch=1)
        os.write(1, "".join(f"{session_id} {event.id}\n" for event in events).encode())
    journal.close()


if __name__ == "__main__":
    main()
