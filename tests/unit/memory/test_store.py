from __future__ import annotations

from dataclasses import replace

import pytest

from nightschool.core.errors import InvalidInput, NotFound, VersionConflict
from nightschool.memory import store as store_module
from nightschool.memory.memory import MAX_BYTES, Attributes, Evidence, State, sha256_of
from nightschool.memory.store import MemoryStore

pytestmark = pytest.mark.integration
KNOWN = Attributes(evidence=(Evidence(session_id="sesn_1", event_id="sevt_1", passed=True),))


def test_a_memory_is_read_as_it_was_written(store: MemoryStore) -> None:
    store.write("/a", "one", KNOWN)

    assert ("one", KNOWN, 1) == (store.memory("/a").text, store.memory("/a").attributes, 1)


def test_every_version_stays(store: MemoryStore) -> None:
    for text in ("one", "two"):
        store.write("/a", text, KNOWN)
    store.delete("/a")

    assert [("created", "one"), ("modified", "two"), ("deleted", None)] == [
        (each.operation, each.text) for each in store.history("/a")
    ]
    with pytest.raises(NotFound):
        store.memory("/a")


def test_writing_on_top_of_another_text_is_refused(store: MemoryStore) -> None:
    store.write("/a", "one", KNOWN, expected_sha256="")
    with pytest.raises(VersionConflict, match="there is one"):
        store.write("/a", "two", KNOWN, expected_sha256="")
    with pytest.raises(VersionConflict, match="something else"):
        store.write("/a", "two", KNOWN, expected_sha256=sha256_of("zero"))
    with pytest.raises(VersionConflict):
        store.delete("/a", expected_sha256=sha256_of("zero"))

    assert "two" == store.write("/a", "two", KNOWN, expected_sha256=sha256_of("one")).text


def test_a_redacted_text_is_gone_in_every_version_and_store(store: MemoryStore) -> None:
    other = replace(store, store_id="memstore_2")
    other.create("other")
    for each in (store, other):
        each.write("/a", "secret", KNOWN)
    store.write("/a", "harmless", KNOWN)

    assert ["/a"] == store.redact(sha256_of("secret"))
    assert [None, "harmless"] == [each.text for each in store.history("/a")]
    assert other.memory("/a").is_redacted and not other.memory("/a").is_recallable
    assert store.memory("/a").is_recallable


@pytest.mark.parametrize("path", ["a", "/", "/a//b", "/a/../b", "/a\n", "/" + "x" * 1024, "/a" * 21])
def test_a_path_that_cannot_be_is_refused(store: MemoryStore, path: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be a memory's path"):
        store.write(path, "one", KNOWN)


def test_limits_are_kept(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match="split it"):
        store.write("/a", "x" * (MAX_BYTES + 1), KNOWN)
    monkeypatch.setattr(store_module, "MAX_MEMORIES", 1)
    store.write("/a", "one", KNOWN)
    with pytest.raises(InvalidInput, match="most a store may hold"):
        store.write("/b", "two", KNOWN)

    assert "more" == store.write("/a", "more", KNOWN).text


def test_equal_stores_have_equal_hashes(store: MemoryStore) -> None:
    other = replace(store, store_id="memstore_2")
    other.create("other")
    store.write("/a", "one", KNOWN)
    store.write("/b", "two", KNOWN)
    other.write("/b", "two", KNOWN)
    other.write("/a", "one", KNOWN)

    assert store.hash() == other.hash()
    other.write("/a", "one", replace(KNOWN, state=State.ARCHIVED))
    assert store.hash() != other.hash()


def test_an_unknown_store_is_named(store: MemoryStore) -> None:
    with pytest.raises(NotFound, match="memstore_9"):
        replace(store, store_id="memstore_9").write("/a", "one", KNOWN)
