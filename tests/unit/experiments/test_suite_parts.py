"""What suites are made of: samples from a declaration, positions from any answer, quotes from a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import Malformed
from nightschool.experiments.suite_parts import Quotable, listed_samples, positions_of, sections_of

DOCUMENT = "# Title\n\n## 1 Fees\n\nThe fee is “ten”\neuros.\n\n### 1.1 Tax\n\nNone.\n"


def facts(name: str) -> Mapping[str, Any]:
    return {"level": name[0]}


def test_samples_are_those_that_are_listed_with_what_is_known_of_them() -> None:
    found = listed_samples({"samples": ["a1", 2]}, facts, example="a1")
    assert [("a1", {"level": "a"}), ("2", {"level": "2"})] == [(each.id, each.facts) for each in found]


@pytest.mark.parametrize("samples", [None, [], "a1", [["a1"]], [None], {"a": 1}])
def test_anything_but_a_list_of_names_is_refused_with_an_example(samples: object) -> None:
    with pytest.raises(Malformed, match="a list of ids such as a1"):
        listed_samples({"samples": samples}, facts, example="a1")


def test_a_sample_that_is_listed_twice_is_refused_by_name() -> None:
    with pytest.raises(Malformed, match="names a1 more than once"):
        listed_samples({"samples": ["a1", "b", "a1"]}, facts, example="a1")


@given(st.dictionaries(st.just("positions"), st.recursive(st.none() | st.integers() | st.text(), st.lists)))
def test_whatever_is_handed_in_has_positions_or_none(answer: dict[str, Any]) -> None:
    assert all(isinstance(each, dict) for each in positions_of(answer))


def test_sections_are_split_at_numbered_headings() -> None:
    assert {"1": "The fee is “ten”\neuros.", "1.1": "None."} == sections_of(DOCUMENT)


@pytest.mark.parametrize(
    ("section", "quote", "expected"),
    [
        ("1", 'is "ten" euros', True),
        ("1.1", "is ten", False),
        ("9", "None.", False),
        ("1", " ", False),
        ("1", None, False),
        (1, "fee", False),
    ],
)
def test_a_quote_counts_where_it_stands_whatever_its_typography(
    section: object, quote: object, expected: bool
) -> None:
    assert Quotable.of(DOCUMENT).has(section, quote) == expected
