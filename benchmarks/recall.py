"""How long recall takes among 100,000 memories, beside brute-force numpy; prints a Markdown table.

    .venv/bin/python benchmarks/recall.py [MEMORIES]

Texts are made from a few hundred words by a seeded generator, embedded by the packaged model up to 2,000
and spread from there by seeded noise: embedding 100,000 texts would take half an hour and change nothing
about the search.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from nightschool.memory.index import MemoryIndex, Vectors
from nightschool.memory.memory import Attributes, Memory
from nightschool.memory.recall import Query, Recaller
from nightschool.models.embed import MiniLmEmbedder

QUERIES = 60
EMBEDDED = 2_000
NOISE = 0.35
TOP = 5
NOW = datetime(2026, 11, 30, tzinfo=UTC)
TOPICS = [
    *("refund", "booking", "order", "parcel", "invoice", "seat", "flight", "customer", "contract", "clause"),
    *("notice", "price", "index", "liability", "audit", "export", "backup", "account", "password", "upgrade"),
]
SYLLABLES = ["ba", "do", "ki", "lu", "me", "no", "pa", "ri", "so", "tu", "va", "we", "xi", "ya", "zo"]
WORDS = [*TOPICS, *("".join(random.Random(number).choices(SYLLABLES, k=4)) for number in range(3_000))]


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rng, noise = random.Random(7), np.random.default_rng(7)
    texts = [" ".join(rng.choices(WORDS, k=12)) + f" case {rng.randrange(10_000)}" for _ in range(count)]
    embedder = MiniLmEmbedder()
    seeds = embedder.embed(texts[:EMBEDDED])
    rows = seeds[np.arange(count) % EMBEDDED] + noise.standard_normal((count, seeds.shape[1])).astype(
        np.float32
    ) * (NOISE / np.sqrt(seeds.shape[1]))
    rows = np.ascontiguousarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)
    started = time.perf_counter()
    index = MemoryIndex.build(texts, rows)
    built = time.perf_counter() - started
    asked = [" ".join(rng.choices(WORDS, k=8)) for _ in range(QUERIES)]
    vectors = embedder.embed(asked)
    embedding = _milliseconds([lambda text=text: embedder.embed([text]) for text in asked])
    ours = _milliseconds([lambda v=vector: index.nearest(v, TOP) for vector in vectors])
    lexical = _milliseconds([lambda text=text: index.lexical(text) for text in asked])
    brute = _milliseconds([lambda v=vector: np.argsort(-(rows @ v))[:TOP] for vector in vectors])
    recaller = Recaller.over(
        {f"/m/{place:06}": _memory(f"/m/{place:06}", text) for place, text in enumerate(texts)},
        _Given(rows, vectors),
    )
    whole = _milliseconds([lambda text=text: recaller.recall(Query(text=text), now=NOW) for text in asked])
    partial = _milliseconds([lambda v=vector: np.argpartition(rows @ v, -TOP)[-TOP:] for vector in vectors])
    found = statistics.mean(
        len({*index.nearest(v, TOP)[0].tolist()} & {*np.argsort(-(rows @ v))[:TOP].tolist()}) / TOP
        for v in vectors
    )
    print(f"{count:,} memories, top {TOP}, {QUERIES} queries; index built in {built:.1f} s\n")
    print("| what | median ms | 95th percentile ms | processor, median ms | processor, 95th |")
    print("|---|---|---|---|---|")
    for name, times in (
        ("recall by vector (ours)", ours),
        ("recall by words (ours)", lexical),
        ("the whole recall but embedding: gate, factors, choice", whole),
        ("brute-force numpy, full sort", brute),
        ("brute-force numpy, argpartition", partial),
        ("embedding the task", embedding),
    ):
        cells = [f"{value:.1f}" for each in times for value in (np.median(each), np.percentile(each, 95))]
        print(f"| {name} | {' | '.join(cells)} |")
    print(f"\nof the true top {TOP}, ours finds {found:.1%}")


class _Given:
    """Vectors that are known already, so that only the search is measured."""

    def __init__(self, rows: Vectors, asked: Vectors) -> None:
        self._rows, self._asked = rows, iter([*asked, *asked])

    def embed(self, texts: Sequence[str], /) -> Vectors:
        return self._rows if len(texts) > 1 else np.stack([next(self._asked)])


def _memory(path: str, text: str) -> Memory:
    return Memory(path=path, text=text, attributes=Attributes(), sha256="")


def _milliseconds(jobs: list) -> tuple[list[float], list[float]]:  # type: ignore[type-arg]
    """Return times by the clock and of the processor, all threads; the first five warm up."""
    clock, processor = [], []
    for job in jobs:
        started, spent = time.perf_counter(), time.process_time()
        job()
        clock.append((time.perf_counter() - started) * 1000)
        processor.append((time.process_time() - spent) * 1000)
    return clock[5:], processor[5:]


if __name__ == "__main__":
    main()
