"""Every embedder keeps one contract; the real model is held to it as well."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from nightschool.core.errors import ConfigurationMissing, StoreCorrupt, StoreUnwritable
from nightschool.models import embed
from nightschool.models.embed import (
    DIMENSIONS,
    CachedEmbedder,
    Embedder,
    HashEmbedder,
    MiniLmEmbedder,
    Vectors,
)

TEXTS = [
    "The Supplier shall give ninety days' notice.",
    "",
    "x",
    "Either party may terminate. " * 100,
    "Ünïcödé — 条項",
    "The Supplier shall give ninety days' notice.",
]


@pytest.fixture(scope="module")
def minilm() -> MiniLmEmbedder:
    return MiniLmEmbedder(batch_size=2)


@pytest.fixture(params=["minilm", "hash", "cached"])
def embedder(request: pytest.FixtureRequest, minilm: MiniLmEmbedder) -> Embedder:
    made: dict[str, Embedder] = {
        "minilm": minilm,
        "hash": HashEmbedder(),
        "cached": CachedEmbedder(HashEmbedder()),
    }
    return made[request.param]


def test_one_unit_row_per_text(embedder: Embedder) -> None:
    rows = embedder.embed(TEXTS)
    assert ((len(TEXTS), DIMENSIONS), np.float32) == (rows.shape, rows.dtype)
    assert [1.0] * len(TEXTS) == pytest.approx(np.linalg.norm(rows, axis=1).tolist(), abs=1e-5)


def test_no_texts_no_rows(embedder: Embedder) -> None:
    assert (0, DIMENSIONS) == embedder.embed([]).shape


def test_the_same_text_has_the_same_row(embedder: Embedder) -> None:
    rows = embedder.embed(TEXTS)
    assert rows[0].tolist() == pytest.approx(rows[5].tolist(), abs=1e-5)
    assert rows[0].tolist() == pytest.approx(embedder.embed(TEXTS[:1])[0].tolist(), abs=2e-2)


def test_alike_texts_are_closer_than_unlike_ones(embedder: Embedder) -> None:
    cap, same, other = embedder.embed(
        [
            "The liability of the Supplier is limited to the annual fees.",
            "The liability of the Supplier is capped at the annual fees.",
            "Notices go by registered post to the address above.",
        ]
    )
    assert cap @ same > cap @ other + 0.2


def test_the_model_knows_a_paraphrase(minilm: MiniLmEmbedder) -> None:
    """What hashed words cannot do: likeness without a shared word."""
    asked, paraphrase, other = minilm.embed(
        ["Whoever leaves must warn the other early.", "Notice of termination period", "Governing law"]
    )
    assert asked @ paraphrase > asked @ other


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed, "_MODEL", embed._PackagedFile(package="no_such_pkg", path="m.onnx", sha256=""))
    with pytest.raises(ConfigurationMissing, match="no-such-pkg"):
        MiniLmEmbedder().embed(["x"])


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = embed._PackagedFile(package=embed._MODEL.package, path=embed._MODEL.path, sha256="0" * 64)
    monkeypatch.setattr(embed, "_MODEL", changed)
    with pytest.raises(StoreCorrupt, match="SHA-256"):
        MiniLmEmbedder().embed(["x"])


class Counting:
    name = "counting"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return HashEmbedder().embed(texts)


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, folder=tmp_path)
    first = cached.embed(["a", "b", "a"])
    cached.save()
    again = CachedEmbedder(inner, folder=tmp_path).embed(["a", "b", "a"])
    assert ["a", "b"] == inner.asked
    assert first.tolist() == again.tolist()


def test_a_damaged_cache_is_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "counting.npz").write_bytes(b"PK not really")
    cached = CachedEmbedder(Counting(), folder=tmp_path)
    assert (1, DIMENSIONS) == cached.embed(["a"]).shape


def test_a_cache_folder_that_is_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    cached = CachedEmbedder(Counting(), folder=tmp_path / "file")
    cached.embed(["a"])
    with pytest.raises(StoreUnwritable, match="cannot be written"):
        cached.save()
