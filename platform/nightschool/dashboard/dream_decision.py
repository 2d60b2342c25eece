"""What can be done about a dream now, in words and with the commands that do it.

Pure; knows nothing about pages. The dashboard shows commands and runs none: adoption changes what sessions
recall.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Command", "Decision", "Standing", "command_line", "decision"]

_USUAL = Path("data")
"""The data folder of commands that name none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a dream stands, and where its store does."""

    dream_id: str
    store: str
    status: str
    input_store_id: str
    output_store_id: str | None
    head: str | None
    """The version that sessions recall from; None where that is not known."""
    objections: Sequence[str] = ()
    """What speaks against adopting it."""
    tried_in: str | None = None
    """The experiment that tried its store on a suite; None when it was not tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One thing that can be done."""

    what: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What has been decided, and what can be done."""

    text: str
    commands: Sequence[Command] = ()


def decision(standing: Standing, data_dir: Path) -> Decision:
    """Return what can be done about a dream with the commands that do it, for this data folder."""
    again = Command(what="dream again", line=command_line(data_dir, "dream", *_for(standing)))
    match standing.status:
        case "completed" | "held":
            return _undecided(standing, data_dir, again)
        case "completed_no_change":
            return Decision(text="It changed nothing: there is nothing to adopt. The gates say why.")
        case "adopted":
            return _adopted(standing, data_dir)
        case "failed":
            return Decision(
                text="It ended without a result; doing it again goes on from there.", commands=[again]
            )
        case "running":
            return Decision(
                text="It has no result yet. If it was stopped, doing it again finishes it.", commands=[again]
            )
        case _:
            told = standing.status.replace("_", " ")
            return Decision(
                text=f"It was {told}; its store is kept and nobody recalls from it.", commands=[again]
            )


def _for(standing: Standing) -> Sequence[str]:
    return ("--store", standing.store)


def _undecided(standing: Standing, data_dir: Path, again: Command) -> Decision:
    reject = Command(
        what="reject",
        line=command_line(data_dir, "dream", "reject", standing.dream_id, "--reason", "why not"),
    )
    if standing.head not in {None, standing.input_store_id, standing.output_store_id}:
        return Decision(
            text="Nobody has decided, and meanwhile sessions recall from another version than the one it"
            " read: it can no longer be adopted.",
            commands=[again, reject],
        )
    words = ["dream", "adopt", standing.dream_id, *(["--approve"] if standing.objections else [])]
    adopt = Command(
        what="adopt in spite of it" if standing.objections else "adopt", line=command_line(data_dir, *words)
    )
    text = "Something speaks against it; look first." if standing.objections else "Nothing speaks against it."
    words, what = ["dream", "try", standing.dream_id], "try it on a suite before"
    if standing.tried_in is not None:
        words, what = ["compare", standing.tried_in], "look closer at the trial"
    trial = Command(what=what, line=command_line(data_dir, *words))
    return Decision(text=f"Nobody has decided yet. {text}", commands=[adopt, reject, trial])


def _adopted(standing: Standing, data_dir: Path) -> Decision:
    if standing.head is not None and standing.head != standing.output_store_id:
        return Decision(text="It was adopted; by now sessions recall from a later version.")
    back = Command(what="roll back", line=command_line(data_dir, "dream", "rollback", *_for(standing)))
    return Decision(text="It is adopted: sessions recall from its store.", commands=[back])


def command_line(data_dir: Path, *words: str) -> str:
    """Return a command for a data folder, to be copied and run."""
    place = () if data_dir == _USUAL else ("--data", str(data_dir))
    return shlex.join(["nightschool", *place, *words])
