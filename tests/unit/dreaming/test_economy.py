from __future__ import annotations

from nightschool.dreaming.economy import economy_of, loops_of, repeats_of
from tests.unit.dreaming.episodes import call, episode


def test_the_same_reading_again_is_needless() -> None:
    repeats = repeats_of([episode("a", call("get_user"), call("get_user"))])

    assert (1, 1, 0) == (repeats.reads, repeats.needless_reads, repeats.writes)
    assert (("get_user", 1),) == repeats.by_tool


def test_reading_again_after_a_change_is_a_check() -> None:
    repeats = repeats_of([episode("a", call("get_user"), call("update_user"), call("get_user"))])

    assert (0, 1) == (repeats.needless_reads, repeats.after_change)


def test_a_change_that_failed_changed_nothing() -> None:
    calls = (call("get_user"), call("update_user", error="not allowed"), call("get_user"))

    assert 1 == repeats_of([episode("a", *calls)]).needless_reads


def test_waiting_for_another_result_is_not_needless() -> None:
    calls = [call("get_status", result=result) for result in ("pending", "pending", "done")]

    assert (0, 2) == (
        repeats_of([episode("a", *calls)]).needless_reads,
        repeats_of([episode("a", *calls)]).polling,
    )


def test_reading_again_after_an_error_is_another_try() -> None:
    repeats = repeats_of([episode("a", call("get_user", error="timed out"), call("get_user"))])

    assert (0, 1) == (repeats.needless_reads, repeats.read_retries)


def test_a_write_again_is_a_retry_or_a_double_effect() -> None:
    retried = repeats_of([episode("a", call("book_seat", error="sold out"), call("book_seat"))])
    doubled = repeats_of([episode("a", call("book_seat"), call("book_seat"))])

    assert (1, 0, 0) == (retried.write_retries, retried.double_writes, retried.needless_reads)
    assert (0, 1, 0) == (doubled.write_retries, doubled.double_writes, doubled.needless_reads)


def test_sessions_are_counted_apart() -> None:
    assert 0 == repeats_of([episode("a", call("get_user")), episode("b", call("get_user"))]).reads


def test_three_rounds_of_the_same_calls_are_a_loop() -> None:
    calls = [call("search_seat"), call("think")] * 3
    (loop,) = loops_of(episode("a", *calls))

    assert (("search_seat", "think"), 3) == (loop.tools, loop.rounds)
    assert [] == loops_of(episode("b", *calls[:4]))


def test_calls_are_compared_between_endings() -> None:
    economy = economy_of(
        [
            episode("a", call("get_user"), passed=True),
            episode("b", call("get_user"), call("get_seat"), passed=False),
        ]
    )

    assert (1.0, 2.0) == (economy.calls_per_success, economy.calls_per_failure)
