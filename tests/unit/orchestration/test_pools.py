from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nightschool.orchestration.pools import Pool, idle_too_long, wanted_size

POOL = Pool(static=2, dynamic=3, ttl_seconds=10)


def test_a_pool_is_never_below_its_warm_members_nor_above_its_load_and_limits() -> None:
    sizes = [wanted_size(POOL, at_work=0, waiting=waiting, limit=20) for waiting in (0, 1, 4, 9)]

    assert [2, 2, 4, 5] == sizes
    assert 3 == wanted_size(POOL, at_work=1, waiting=9, limit=3)


def test_who_is_idle_for_its_time_is_released_and_the_warm_ones_stay() -> None:
    due, later = idle_too_long(POOL, idle_since={1: 0.0, 2: 3.0, 3: 8.0}, size=4, now=11.0)

    assert [1] == due
    assert 2.0 == later


def test_a_pool_of_warm_members_releases_nobody() -> None:
    assert ([], None) == idle_too_long(POOL, idle_since={1: 0.0, 2: 0.0}, size=2, now=99.0)


@given(st.integers(0, 5), st.integers(0, 30), st.integers(0, 30), st.integers(0, 40), st.integers(1, 25))
def test_the_width_is_never_passed(static: int, dynamic: int, at_work: int, waiting: int, limit: int) -> None:
    size = wanted_size(Pool(static=static, dynamic=dynamic), at_work=at_work, waiting=waiting, limit=limit)

    assert size <= min(limit, static + dynamic)
