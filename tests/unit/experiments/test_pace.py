from __future__ import annotations

import anyio
import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import ModelRefusedRequest, ModelUnavailable
from nightschool.experiments.pace import Pace

pytestmark = pytest.mark.anyio


@pytest.fixture
def pace() -> Pace:
    return Pace(8, FrozenClock())


async def test_a_server_that_pushes_back_halves_the_width_down_to_one(pace: Pace) -> None:
    widths = []
    for _ in range(5):
        pace.failed(ModelUnavailable("busy"), None)
        widths.append(pace.width)
    assert [4, 2, 1, 1, 1] == widths


async def test_an_error_of_the_trial_itself_changes_nothing(pace: Pace) -> None:
    pace.failed(ModelRefusedRequest("wrong"), None)
    assert 8 == pace.width


async def test_success_widens_it_again_and_never_beyond_what_was_asked_for(pace: Pace) -> None:
    pace.failed(ModelUnavailable("busy"), None)
    before = pace.width
    for _ in range(5):
        pace.went_well()
    assert before + 1 == pace.width
    for _ in range(500):
        pace.went_well()
    assert 8 == pace.width


async def test_no_more_trials_begin_than_the_width_allows(pace: Pace) -> None:
    for _ in range(3):
        pace.failed(ModelUnavailable("busy"), None)
    await pace.begin("a")
    with anyio.move_on_after(0.01) as waited:
        await pace.begin("b")
    assert (True, 1) == (waited.cancelled_caught, pace.under_way)
    pace.end("a")
    await pace.begin("c")
    assert 1 == pace.under_way


async def test_a_server_that_asks_for_a_pause_gets_it(pace: Pace) -> None:
    pace.failed(ModelUnavailable("busy"), 60.0)
    with anyio.move_on_after(0.01) as waited:
        await pace.begin("a")
    assert waited.cancelled_caught
