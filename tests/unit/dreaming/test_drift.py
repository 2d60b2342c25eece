from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import InvalidInput
from nightschool.dreaming.adopt import Adoption
from nightschool.dreaming.drift import DriftLimits, avoidance, drift_checks, shift
from nightschool.dreaming.pipeline import Dreamer
from nightschool.memory.memory import Attributes, Memory, State
from nightschool.models.embed import HashEmbedder
from tests.unit.dreaming.sessions import Sessions

LIMITS = DriftLimits()
EMBEDDER = HashEmbedder()
REFUNDS = [f"Refunds of order {number} take five days." for number in range(6)]
ROCKETS = [f"Engines number {number} burn kerosene slowly." for number in range(6)]
SKIPS = [f"Always skip check {number} of the customer." for number in range(4)]


def _store(texts: list[str], state: State = State.ACTIVE) -> dict[str, Memory]:
    attributes = replace(Attributes(), state=state)
    return {
        f"/{place}": Memory(path=f"/{place}", text=text, attributes=attributes, sha256=text)
        for place, text in enumerate(texts)
    }


def test_only_orders_to_do_less_count_and_only_those_that_would_be_recalled() -> None:
    assert 0.4 == avoidance(_store([*REFUNDS, *SKIPS]))
    assert 0.0 == avoidance(_store(["The customer may avoid fees.", *REFUNDS]))
    assert 0.0 == avoidance(_store(SKIPS, State.ARCHIVED))


def test_a_store_that_mostly_says_to_skip_is_over_its_limit_even_when_it_is_the_first() -> None:
    (reason,) = drift_checks({}, _store([*REFUNDS, *SKIPS]), LIMITS, None)

    assert reason.startswith("40% of the memories advise to avoid, skip, bypass")
    assert "the limit is 30%" in reason
    assert [] == drift_checks({}, _store([*REFUNDS, *REFUNDS, *SKIPS]), LIMITS, None)


def test_a_store_that_turns_to_something_else_is_over_its_limit() -> None:
    (reason,) = drift_checks(_store(REFUNDS), _store(ROCKETS), LIMITS, EMBEDDER)

    assert "what the store is about moved by" in reason
    assert [] == drift_checks(_store(REFUNDS), _store([*REFUNDS, ROCKETS[0]]), LIMITS, EMBEDDER)
    assert [] == drift_checks(_store(REFUNDS), _store(ROCKETS), LIMITS, None)


def test_a_small_store_is_not_judged_as_a_whole() -> None:
    assert [] == drift_checks(_store(REFUNDS[:4]), _store(ROCKETS), LIMITS, EMBEDDER)
    assert [] == drift_checks({}, _store(SKIPS), LIMITS, EMBEDDER)


@given(st.lists(st.sampled_from([*REFUNDS, *ROCKETS]), min_size=1), st.randoms(use_true_random=False))
def test_the_order_of_memories_moves_nothing(texts: list[str], random: object) -> None:
    mixed = list(texts)
    random.shuffle(mixed)  # type: ignore[attr-defined]

    assert 0.0 == shift(_store(texts), _store(mixed), EMBEDDER)


@given(st.lists(st.sampled_from(REFUNDS), min_size=1), st.lists(st.sampled_from(ROCKETS), min_size=1))
def test_a_shift_is_the_same_both_ways_and_never_below_nothing(old: list[str], new: list[str]) -> None:
    there, back = (shift(_store(one), _store(other), EMBEDDER) for one, other in ((old, new), (new, old)))

    assert there == pytest.approx(back)
    assert -1e-6 <= there <= 2


@pytest.mark.integration
def test_a_dream_over_a_limit_is_held_with_the_reason_until_somebody_approves(
    sessions: Sessions, dreamer: Dreamer, adoption: Adoption
) -> None:
    for number in range(2):
        sessions.add(f"s{number}", passed=True, source="user", comment="Always skip the second check.", on=1)
    made = dreamer.dream()
    strict = replace(adoption, limits=DriftLimits(max_avoidance=0.1, min_memories=1))

    with pytest.raises(InvalidInput, match=r"is held: .*100% of the memories advise to avoid, skip"):
        strict.adopt(made.dream_id)
    assert made.completed.output_store_id == strict.adopt(made.dream_id, approved=True).store_id
