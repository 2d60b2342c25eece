"""Compare and set."""

from __future__ import annotations

from threading import Thread
from typing import Any

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import InvalidInput, VersionConflict
from nightschool.journal.journal import Journal
from nightschool.journal.versions import Versions


@pytest.fixture
def versions(journal: Journal, clock: FrozenClock) -> Versions:
    """An empty scope."""
    return Versions(journal=journal, clock=clock, scope="memory")


def test_a_value_is_read_with_its_version(versions: Versions, clock: FrozenClock) -> None:
    first = versions.put("head", {"n": 1}, expected=0)
    second = versions.put("head", {"n": 2}, expected=first.version)

    assert second == versions.get("head")
    assert (1, 2, {"n": 2}, clock.now()) == (first.version, second.version, second.value, second.changed_at)


def test_a_change_on_top_of_an_old_version_is_refused(versions: Versions) -> None:
    versions.put("head", "a", expected=0)
    versions.put("head", "b", expected=1)

    with pytest.raises(
        VersionConflict, match=r"memory/head was to be changed from version 1, but is version 2"
    ) as late:
        versions.put("head", "c", expected=1)

    assert {"expected": 1, "present": 2} == late.value.details
    present = versions.get("head")
    assert present is not None
    assert "b" == present.value


def test_a_new_value_must_be_expected_to_be_new(versions: Versions) -> None:
    with pytest.raises(VersionConflict, match="is not there by now"):
        versions.put("head", 1, expected=3)
    versions.put("head", 1, expected=0)
    with pytest.raises(VersionConflict):
        versions.put("head", 1, expected=0)


def test_version_numbers_go_on_over_a_deletion(versions: Versions) -> None:
    """Else a reader from before the deletion could overwrite what came after it."""
    versions.put("head", 1, expected=0)
    versions.delete("head", expected=1)

    assert versions.get("head") is None
    assert [] == versions.list()
    assert 3 == versions.put("head", 2, expected=0).version


def test_nothing_is_deleted_unseen(versions: Versions) -> None:
    versions.put("head", 1, expected=0)

    with pytest.raises(VersionConflict):
        versions.delete("head", expected=2)


def test_values_are_listed_by_name_within_their_scope(
    versions: Versions, journal: Journal, clock: FrozenClock
) -> None:
    Versions(journal=journal, clock=clock, scope="other").put("a/0", 0, expected=0)
    for name in ("b/1", "a/2", "a/1"):
        versions.put(name, name, expected=0)

    assert ["a/1", "a/2", "b/1"] == [found.name for found in versions.list()]
    assert ["a/1", "a/2"] == [found.name for found in versions.list(prefix="a/")]


@pytest.mark.parametrize("value", [None, 0, "", [], {"a": [1, None]}])
def test_any_json_value_comes_back_as_it_went_in(versions: Versions, value: Any) -> None:
    versions.put("x", value, expected=0)

    found = versions.get("x")
    assert found is not None
    assert value == found.value


def test_a_value_that_is_not_json_is_refused(versions: Versions) -> None:
    with pytest.raises(InvalidInput, match="memory/x: the value is not JSON"):
        versions.put("x", {1, 2}, expected=0)


def test_no_increment_of_many_threads_is_lost(versions: Versions) -> None:
    versions.put("count", 0, expected=0)

    def increment() -> None:
        done = 0
        while done < 10:
            seen = versions.get("count")
            assert seen is not None
            try:
                versions.put("count", seen.value + 1, expected=seen.version)
            except VersionConflict:
                continue
            done += 1

    threads = [Thread(target=increment) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)

    total = versions.get("count")
    assert total is not None
    assert (50, 51) == (total.value, total.version)


def test_many_values_are_written_in_one_step(versions: Versions) -> None:
    versions.put("a", 1, expected=0)
    versions.put_all({"a": 2, "b": 3})
    versions.put_all({})

    assert [("a", 2, 2), ("b", 1, 3)] == [(each.name, each.version, each.value) for each in versions.list()]
    with pytest.raises(InvalidInput):
        versions.put_all({"c": float("nan")})
