from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from nightschool.memory.index import MemoryIndex, Vectors
from nightschool.memory.memory import Attributes, Evidence, Memory, State, sha256_of
from nightschool.memory.recall import Query, Recaller, RecallRules

NOW = datetime(2026, 6, 1, tzinfo=UTC)
PLAIN = RecallRules(bounded=False)


class Directions:
    """Embeds a text as the direction its first word names: `x45` lies at 45 degrees to `x0`."""

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """Return unit vectors in a plane."""
        angles = np.radians([float(text.split()[0][1:]) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def _memory(path: str, text: str, *, wins: int = 5, days: int = 0, **given: object) -> Memory:
    at = (NOW - timedelta(days=days)).isoformat()
    evidence = tuple(Evidence(session_id=f"s{n}", event_id="e", passed=True, at=at) for n in range(wins))
    attributes = replace(Attributes(evidence=evidence, valid_at=at), **given)  # type: ignore[arg-type]
    return Memory(path=path, text=text, attributes=attributes, sha256=sha256_of(text))


def _recalled(*memories: Memory, rules: RecallRules | None = None, query: Query | None = None) -> list[str]:
    recaller = Recaller.over({each.path: each for each in memories}, Directions(), rules)
    found = recaller.recall(query or Query(text="x0 task with quite a few more words"), now=NOW)
    return [each.memory.path for each in found.chosen]


def test_nothing_is_recalled_when_nothing_is_near() -> None:
    far = _memory("/far", "x80 far away", wins=50)

    assert [] == _recalled(far)
    assert ["/far"] == _recalled(far, rules=PLAIN)


def test_a_strong_old_memory_goes_before_a_weak_new_one_unless_the_rule_is_plain() -> None:
    strong, weak = _memory("/strong", "x35 strong", days=60), _memory("/weak", "x63 weak")

    assert ["/strong", "/weak"] == _recalled(strong, weak)
    assert ["/weak", "/strong"] == _recalled(strong, weak, rules=PLAIN)


def test_cancelling_does_not_recall_booking() -> None:
    book, cancel = _memory("/book", "x1 book", action="book"), _memory("/cancel", "x20 c", action="cancel")
    query = Query(text="x0 please cancel the whole booking now")

    assert ["/cancel"] == _recalled(book, cancel, query=query)


def test_hidden_foreign_and_expired_memories_are_not_recalled() -> None:
    hidden = [_memory(f"/{state}", "x0 a", state=state) for state in State if state is not State.ACTIVE]
    foreign = _memory("/tenant", "x0 b", tenant="red")
    expired = _memory("/expired", "x0 c", expires_at=NOW.isoformat())
    other = _memory("/other", "x0 d", task_type="air/book")
    query = Query(text="x0 task with quite a few more words", task_type="air/cancel")

    assert [] == _recalled(*hidden, foreign, expired, other, query=query)


def test_the_number_grows_with_the_task_and_the_token_cap_holds() -> None:
    many = [_memory(f"/{n}", f"x{n} memory number {n} " + "word " * 30) for n in range(20)]
    small, large = Query(text="x0 do it", complexity=1), Query(text="x0 do it", complexity=4)

    assert (5, 8) == (len(_recalled(*many, query=small)), len(_recalled(*many, query=large)))
    capped = RecallRules(max_tokens=100)
    assert 2 == len(_recalled(*many, rules=capped, query=large))


def test_the_same_thing_is_told_once_but_another_number_is_another_thing() -> None:
    first, same = _memory("/a", "x0 refund soon"), _memory("/b", "x0 refund soonish")
    other = _memory("/c", "x0 refund 3 days")

    assert 1 == len(_recalled(first, same))
    assert "/c" in _recalled(first, other)


def test_every_candidate_is_logged_with_its_factors() -> None:
    near, far = _memory("/near", "x0 near"), _memory("/far", "x89 far")
    recaller = Recaller.over({each.path: each for each in (near, far)}, Directions())
    facts = [each.as_facts() for each in recaller.recall(Query(text="x0 task"), now=NOW).considered]

    assert ["", "not near enough"] == [each["left_out"] for each in facts]
    assert {"likeness", "lexical", "confidence", "recency", "score"} <= set(facts[0])


def test_shared_words_lift_a_memory_a_little() -> None:
    one, other = _memory("/one", "x10 zebra 1"), _memory("/other", "x10 giraffe 2")
    found = _recalled(one, other, query=Query(text="x0 giraffe keepers and their many tasks"))

    assert ["/other", "/one"] == found


@pytest.mark.parametrize("count", [10, 6_000])
def test_the_quick_search_finds_what_the_exact_one_finds(count: int) -> None:
    noise = np.random.default_rng(3)
    rows = noise.standard_normal((count, 384)).astype(np.float32)
    rows[:, :40] *= 6
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    index = MemoryIndex.build([f"text {n}" for n in range(count)], rows)
    query = rows[3] + 0.05 * noise.standard_normal(384).astype(np.float32)
    exact = np.argsort(-index.likeness(query))[:5]

    assert exact.tolist() == index.nearest(query, 5)[0].tolist()


def test_an_empty_store_recalls_nothing() -> None:
    assert [] == _recalled()
