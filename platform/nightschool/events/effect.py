"""What came out when it was measured whether memory helps. Appended to the log of such reports."""

from __future__ import annotations

from typing import Literal

from nightschool.events.base import EventBase, JsonObject

__all__ = ["MemoryEffectMeasured"]


class MemoryEffectMeasured(EventBase):
    """A memory experiment ended: agents with and without memory on work that nothing was learnt from."""

    type: Literal["memory.effect_measured"] = "memory.effect_measured"
    experiment_id: str
    suite: str
    brain: str
    rules: str
    seed: int
    repeats: int
    """Draws of each contract of the test."""
    train_sessions: int
    """Sessions learnt from."""
    test_samples: int
    """Contracts of the test, none of which was learnt from."""
    memories: int
    """Memories that the dreamt store lets sessions recall."""
    store_hash: str
    effects: tuple[JsonObject, ...]
    """Each arm against no memory: success (0 to 1), gain with 95 % interval, verdict, n, gained, harmed."""
    rivals: tuple[JsonObject, ...]
    """The dreamt store against what could explain its gain, in the same form."""
    curve_shares: tuple[float, ...]
    """Shares of the sessions learnt from, where the learning curve was measured."""
    curve_samples: int
    """Contracts of the test on which it was measured."""
    curves: tuple[tuple[float, ...], ...]
    """Success at each of these shares, for each order in which the sessions came."""
    retention: JsonObject
    """Backward transfer, forgetting and forward transfer over the families learnt from."""
