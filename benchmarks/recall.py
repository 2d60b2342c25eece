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

import numpy as np

from nightschool.memory.index import MemoryIndex
from nightschool.models.embed import MiniLmEmbedder

QUERIES = 60
EMBEDDED = 2_000
NOISE = 0.35
TOP = 5
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
    partial = _milliseconds([lambda v=vector: np.argpartition(rows @ v, -TOP)[-TOP:] for vector in vectors])
    found = statistics.mean(
        len({*index.nearest(v, TOP)[0].tolist()} & {*np.argsort(-(rows @ v))[:TOP].tolist()}) / TOP
        for v in vectors
    )
    print(f"{count:,} memories, top {TOP}, {QUERIES} queries; index built in {built:.1f} s\n")
    print("| what | median ms | 95th percentile ms |\n|---|---|---|")
    for name, times in (
        ("recall by vector (ours)", ours),
        ("recall by words (ours)", lexical),
        ("brute-force numpy, full sort", brute),
        ("brute-force numpy, argpartition", partial),
        ("embedding the task", embedding),
    ):
        print(f"| {name} | {statistics.median(times):.1f} | {np.percentile(times, 95):.1f} |")
    print(f"\nof the true top {TOP}, ours finds {found:.1%}")


def _milliseconds(jobs: list) -> list[float]:  # type: ignore[type-arg]
    times = []
    for job in jobs:
        started = time.perf_counter()
        job()
        times.append((time.perf_counter() - started) * 1000)
    return times[5:]


if __name__ == "__main__":
    main()
