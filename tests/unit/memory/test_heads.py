from __future__ import annotations

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import InvalidInput, VersionConflict
from nightschool.journal.journal import Journal
from nightschool.memory.heads import Heads

pytestmark = pytest.mark.integration


def test_a_name_moves_forward_and_back(journal: Journal, clock: FrozenClock) -> None:
    heads = Heads(journal=journal, clock=clock)
    first = heads.get("default")
    moved = heads.move(first, "memstore_2")

    assert "memstore_2" == heads.get("default").store_id
    assert first.store_id == heads.move_back(moved).store_id
    with pytest.raises(InvalidInput, match="nothing to go back to"):
        heads.move_back(heads.get("default"))


def test_two_who_move_a_name_at_once_do_not_both_succeed(journal: Journal, clock: FrozenClock) -> None:
    heads = Heads(journal=journal, clock=clock)
    seen = heads.get("default")
    heads.move(seen, "memstore_2")
    with pytest.raises(VersionConflict):
        heads.move(seen, "memstore_3")
