"""Texts with slots and alternatives."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.contracts.templates import parse, render, slot_names
from nightschool.core.errors import Malformed


def say(text: str, seed: int = 0, **words: str) -> str:
    return render(parse(text), random.Random(seed), lambda name, form: words[name] + form)


def test_plain_text_stays_as_it_is() -> None:
    assert say("The Customer pays.") == "The Customer pays."


def test_a_slot_is_filled_and_its_form_is_passed_on() -> None:
    assert say("on {limit:of} notice", limit="30 days") == "on 30 daysof notice"


def test_every_alternative_is_taken_sooner_or_later() -> None:
    assert {say("[a|b {x}|]c", seed, x="X") for seed in range(40)} == {"ac", "b Xc", "c"}


def test_alternatives_can_be_nested() -> None:
    assert {say("[a[1|2]|b]", seed) for seed in range(40)} == {"a1", "a2", "b"}


def test_slots_inside_alternatives_are_known() -> None:
    assert slot_names(parse("{a}[b {c:of}|[{d}|e]]")) == {"a", "c", "d"}


@pytest.mark.parametrize("text", ["[a|b", "a] b", "{a", "a} b", "[a|[b]", "a [b|{c] d"])
def test_an_unbalanced_text_is_refused_by_name(text: str) -> None:
    with pytest.raises(Malformed, match="character"):
        parse(text)


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="{}[]"), max_size=40), st.integers())
def test_text_without_marks_is_never_changed(text: str, seed: int) -> None:
    """A bar outside brackets is an ordinary character."""
    assert say(text, seed) == text
