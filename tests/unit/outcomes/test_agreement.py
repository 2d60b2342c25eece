from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import InvalidInput
from nightschool.outcomes.agreement import cohen_kappa, krippendorff_alpha

PUBLISHED = [
    # Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), part C: four observers, twelve units.
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, None, 3, None],
]


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("interval", 0.849)])
def test_alpha_is_the_published_one(level: str, alpha: float) -> None:
    assert pytest.approx(alpha, abs=0.0005) == krippendorff_alpha(PUBLISHED, level=level)  # type: ignore[arg-type]


def test_kappa_is_the_textbook_one() -> None:
    """Fifty proposals: 20 accepted by both, 15 rejected by both, 5 by the first alone, 10 by the second."""
    first = [True] * 20 + [True] * 5 + [False] * 10 + [False] * 15
    second = [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15

    assert pytest.approx(0.4) == cohen_kappa(first, second)


@given(st.lists(st.integers(0, 3), min_size=2))
def test_who_agrees_fully_has_one_or_nothing_to_agree_on(ratings: list[int]) -> None:
    expected = 1 if len(set(ratings)) > 1 else None

    assert expected == cohen_kappa(ratings, ratings)
    alpha = krippendorff_alpha([[each, each] for each in ratings])
    assert alpha is None if expected is None else pytest.approx(1) == alpha


def test_alpha_of_what_nobody_rated_twice_is_not_defined() -> None:
    assert krippendorff_alpha([[1.0], [2.0, None]]) is None


def test_kappa_of_unequal_ratings_is_refused() -> None:
    with pytest.raises(InvalidInput, match="same things"):
        cohen_kappa([1], [1, 2])
