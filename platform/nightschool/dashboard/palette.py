"""The colours and marks of the dashboard: one for each arm, one for each role.

One palette serves light and dark: every colour keeps a contrast of 3:1 with both backgrounds, and colours
that stand beside one another stay apart for colour-blind eyes; arms have a mark of their own besides.
Knows nothing about charts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

__all__ = [
    "ACCENT",
    "ARM_COLOURS",
    "KIND_COLOURS",
    "MUTED",
    "ROLE_COLOURS",
    "WARNING",
    "ArmStyle",
    "arm_styles",
    "role_colour",
]

ARM_COLOURS: Final = ("#1F83C6", "#D55E00", "#009E73", "#8F4FD6", "#B8324F", "#5F7183", "#A88200", "#B673A8")
"""In the order in which arms first appear in the data folder."""
_SYMBOLS: Final = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")

ROLE_COLOURS: Final[Mapping[str, str]] = {
    "reviewer": "#1F83C6",
    "lead": "#7A6FC4",
    "orchestrator": "#7A6FC4",
    "subagent": "#2A97A3",
    "task": "#2A97A3",
    "grader": "#A88200",
}
"""What a session does in its trial; lead and orchestrator are the same part in two ways of routing."""

MUTED: Final = "#7F8896"
"""Axes, zero lines, whatever is only context."""
KIND_COLOURS: Final = ("#5F7183", "#A88200", "#7A6FC4", "#2A97A3", "#B673A8")
"""Kinds of something that is no arm: brains, tokens."""
ACCENT: Final = "#1F83C6"
"""Where there is one series and it is no arm's."""
WARNING: Final = "#C4622D"
"""Errors and simulated numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmStyle:
    """How an arm looks in every chart."""

    colour: str
    symbol: str


def arm_styles(names: Iterable[str]) -> dict[str, ArmStyle]:
    """Return each arm's look; ``names`` come in order of first appearance, repeats are ignored.

    Past the last colour they begin again with the marks shifted, so that no two arms look alike before
    the 64th.
    """
    styles = {}
    for number, name in enumerate(dict.fromkeys(names)):
        round_, place = divmod(number, len(ARM_COLOURS))
        styles[name] = ArmStyle(colour=ARM_COLOURS[place], symbol=_SYMBOLS[(place + round_) % len(_SYMBOLS)])
    return styles


def role_colour(role: str | None) -> str:
    """Return the colour of a session's part in its trial."""
    return ROLE_COLOURS.get(role or "", MUTED)
