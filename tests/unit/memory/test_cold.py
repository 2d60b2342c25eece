from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from nightschool.core.errors import StoreCorrupt, StoreUnwritable
from nightschool.memory.cold import ColdText, ColdTexts, cold_texts_beside
from nightschool.memory.memory import Attributes, sha256_of
from nightschool.memory.store import MemoryStore

pytestmark = pytest.mark.integration


def _text(said: str) -> ColdText:
    return ColdText(
        sha256=sha256_of(said),
        text=said,
        path="/a",
        store_id="memstore_1",
        moved_at=datetime(2026, 2, 1, tzinfo=UTC),
    )


@pytest.fixture
def cold(tmp_path: Path) -> ColdTexts:
    return cold_texts_beside(tmp_path / "journal.sqlite")


def test_what_was_put_there_is_read_back_and_by_others_too(cold: ColdTexts) -> None:
    with cold.held():
        cold.replace([_text("one"), _text("two")])

    assert {each.sha256: each for each in (_text("one"), _text("two"))} == cold.rows()
    assert {"one", "two"} == set(pl.read_parquet(cold.path)["text"])


def test_with_the_last_text_the_file_goes(cold: ColdTexts) -> None:
    with cold.held():
        cold.replace([_text("one")])
        cold.replace([])

    assert {} == cold.rows() and not cold.path.exists()


def test_a_file_that_a_crash_left_half_written_does_not_count_and_goes(cold: ColdTexts) -> None:
    with cold.held():
        cold.replace([_text("one")])
        part = cold.path.with_suffix(".part")
        part.write_text("a secret")

        assert [_text("one")] == list(cold.rows().values())
    with cold.held():
        assert not part.exists()


def test_a_damaged_file_is_named(cold: ColdTexts) -> None:
    cold.path.parent.mkdir(parents=True)
    cold.path.write_text("no parquet")
    with pytest.raises(StoreCorrupt, match=r"texts\.parquet, which holds texts of cold memories"):
        cold.rows()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "cold").write_text("in the way")
    with (
        pytest.raises(StoreUnwritable, match="memories cannot be written"),
        cold_texts_beside(tmp_path / "journal.sqlite").held(),
    ):
        pytest.fail("it cannot be held")


def test_a_cold_text_is_read_like_any_other_and_redacted_like_any_other(store: MemoryStore) -> None:
    sha256 = store.write("/a", "one", Attributes()).sha256
    before = store.hash()
    with store.texts.cold.held():
        store.texts.cold.replace([_text("one"), _text("two")])
    store.texts.remove_live(sha256)

    assert ("one", "one", before) == (store.memory("/a").text, store.texts.get(sha256), store.hash())
    store.redact(sha256)
    assert store.memory("/a").is_redacted and store.texts.get(sha256) is None
    assert [_text("two")] == list(store.texts.cold.rows().values())
    assert b"one" not in store.texts.cold.path.read_bytes()


def test_what_is_known_changes_under_a_text_that_is_gone(store: MemoryStore) -> None:
    sha256 = store.write("/a", "one", Attributes()).sha256
    store.redact(sha256)
    store.annotate("/a", Attributes(reason="why"), expected_sha256=sha256)

    assert ("why", True, 2) == (
        store.memory("/a").attributes.reason,
        store.memory("/a").is_redacted,
        store.memory("/a").version,
    )
