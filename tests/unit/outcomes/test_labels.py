from __future__ import annotations

import math
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import InvalidInput
from nightschool.outcomes.labels import Agreed, Label, agreed, agreement_with_people

LABELS = st.builds(
    Label,
    decision=st.sampled_from(["accept", "reject"]),
    score=st.none() | st.floats(0, 1),
    given_by=st.sampled_from(["ann", "bob", "cy"]),
)


def label(
    given_by: str, decision: Literal["accept", "reject"] = "accept", score: float | None = None
) -> Label:
    return Label(decision=decision, score=score, given_by=given_by)


def said(*, acceptable: bool | None, score: float | None = None) -> Agreed:
    return Agreed(acceptable=acceptable, score=score, people=("ann",))


@given(st.lists(LABELS, min_size=1))
def test_each_person_counts_once_with_the_last_word(labels: list[Label]) -> None:
    last = {each.given_by: each for each in labels}
    found = agreed(labels)

    assert found is not None
    assert set(last) == set(found.people)
    assert agreed(last.values()) == found


def test_the_majority_decides_and_a_tie_decides_nothing() -> None:
    two_to_one = agreed([label("ann"), label("bob"), label("cy", "reject")])
    tie = agreed([label("ann"), label("bob", "reject")])

    assert two_to_one is not None
    assert tie is not None
    assert (True, False) == (two_to_one.acceptable, two_to_one.is_disputed)
    assert (None, True) == (tie.acceptable, tie.is_disputed)


def test_scores_are_averaged_over_those_who_gave_one() -> None:
    found = agreed([label("ann", score=0.4), label("bob"), label("cy", score=0.6)])

    assert found is not None
    assert pytest.approx(0.5) == found.score


def test_without_labels_nobody_says_anything() -> None:
    assert agreed([]) is None


@pytest.mark.parametrize("score", [-0.1, 1.1, math.nan])
def test_a_score_that_is_none_is_refused(score: float) -> None:
    with pytest.raises(InvalidInput, match="not a number from 0 to 1"):
        label("ann", score=score)


def test_a_label_of_nobody_is_refused() -> None:
    with pytest.raises(InvalidInput, match="name the person"):
        label(" ")


def test_verdicts_are_held_against_people() -> None:
    found = agreement_with_people(
        [
            (True, 0.9, said(acceptable=True, score=0.8)),
            (True, 0.8, said(acceptable=False, score=0.5)),
            (False, 0.4, said(acceptable=False)),
            (False, 0.5, said(acceptable=None)),
        ]
    )

    assert found is not None
    assert found.false_accepts is not None
    assert found.false_rejects is not None
    assert found.mean_error is not None
    assert 3 == found.results
    assert (0.5, 2) == (found.false_accepts.value, found.false_accepts.n)
    assert (0.0, 1) == (found.false_rejects.value, found.false_rejects.n)
    assert pytest.approx(0.2) == found.mean_error.value
    assert pytest.approx(0.4) == found.kappa


def test_disputed_labels_alone_say_nothing_of_verdicts() -> None:
    assert agreement_with_people([(True, 0.9, said(acceptable=None))]) is None
