from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.dreaming.episode import EPISODES, Result, in_order
from tests.unit.dreaming.episodes import call, episode, labels


@pytest.mark.parametrize(
    ("judged", "result", "confirmed"),
    [
        ({}, Result.UNKNOWN, False),
        ({"true_check": True}, Result.SUCCESS, True),
        ({"true_check": False, "user": True}, Result.FAILURE, True),
        ({"true_check": False, "grader": True}, Result.DISPUTED, True),
        ({"grader": True}, Result.SUCCESS, False),
        ({"grader": True, "user": True}, Result.SUCCESS, True),
        ({"self": True, "grader": True}, Result.SUCCESS, False),
    ],
)
def test_labels_are_weighed_by_source(judged: dict[str, bool], result: Result, *, confirmed: bool) -> None:
    made = episode("a", judged=labels(**judged))

    assert (result, confirmed) == (made.result, made.is_confirmed)


def test_a_run_that_the_environment_ended_is_told_apart() -> None:
    assert episode("a", call("get_x", error="HTTP 503"), passed=False).is_environmental
    assert not episode("a", call("get_x", error="HTTP 503"), call("get_x"), passed=True).is_environmental


def test_an_episode_survives_json() -> None:
    episodes = (episode("a", call("get_x", error="HTTP 503"), passed=False, at="2026-01-01T00:00:00"),)

    assert episodes == EPISODES.validate_json(EPISODES.dump_json(episodes))


@given(st.permutations(range(6)))
def test_order_is_that_of_events_not_of_reading(order: list[int]) -> None:
    made = [episode(f"s{n}", at=f"2026-01-0{6 - n}") for n in range(6)]

    assert in_order(made) == in_order([made[place] for place in order])
    assert "sesn_s5" == in_order(made)[0].session_id


def test_a_session_read_twice_is_one() -> None:
    assert 1 == len(in_order([episode("a"), episode("a")]))
