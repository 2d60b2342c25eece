from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.outcomes.form import BadForm
from nightschool.outcomes.grammar_form import MOST_CHARACTERS, parse_grammar

ROWS = parse_grammar("""
start: row*
row: NAME ":" INT NL
NL: "\\n"
%import common.CNAME -> NAME
%import common.INT
%ignore " "
""")


@pytest.mark.parametrize(
    ("artefact", "problem"),
    [
        ("a: 1\nb; 2\n", "line 2, column 2: expected `:`, found `;`"),
        ("a: b\n", "line 1, column 4: expected INT, found `b`"),
        ("a: 1\nb: 2", "line 2, column 5: expected `\n`, found the end"),
        ("a: 1\n:", "line 2, column 1: expected NAME or the end, found `:`"),
    ],
)
def test_it_says_where_an_artefact_breaks_the_grammar_and_what_was_expected(
    artefact: str, problem: str
) -> None:
    assert (0.0, (problem,)) == ROWS.check(artefact)


@given(st.lists(st.tuples(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.integers(0, 999))), st.data())
def test_what_follows_the_grammar_passes_and_a_planted_break_is_found_where_it_is(
    rows: list[tuple[str, int]], data: st.DataObject
) -> None:
    lines = [f"{name}: {number}\n" for name, number in rows]
    assert (1.0, ()) == ROWS.check("".join(lines))

    at = data.draw(st.integers(0, len(lines)))
    score, (problem,) = ROWS.check("".join([*lines[:at], "?\n", *lines[at:]]))
    assert 0.0 == score
    assert problem.startswith(f"line {at + 1}, column 1: expected ")


@given(st.text(max_size=200))
def test_any_text_gets_the_same_verdict_twice(artefact: str) -> None:
    found = ROWS.check(artefact)

    assert found == ROWS.check(artefact)
    assert (found.score == 1) == (not found.problems)


def test_an_artefact_that_is_too_long_is_not_read() -> None:
    long = "a: 1\n" * MOST_CHARACTERS

    assert (0.0, ("100,000 characters; a form is checked up to 20,000",)) == ROWS.check(long)


def test_deep_nesting_is_parsed_without_recursion() -> None:
    nested = parse_grammar('start: "(" start ")" | "x"')

    assert 1.0 == nested.check("(" * 9_999 + "x" + ")" * 9_999).score
    assert 0.0 == nested.check("(" * 9_999).score


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('start: "b"\n  | b', 2, "'b' used but not defined"),
        ('start: "a"\nb "', 2, "Unexpected"),
        ('start: a | b\na: "x"\nb: "x"', 2, "Reduce/Reduce collision"),
        ('other: "a"', 1, "no rule `start`"),
        ("start: A\nA: /a*/", 2, "zero-width"),
        ("start: A\n\nA: /(/", 3, "Cannot compile"),
        ("start: A\nA: /(a+)+/", 2, "exponential time.* or write the repetition as a rule"),
        ('start: "a"\n%import .own.X', 2, "imports from no file"),
        ('start: "a"\n%import own.X', 2, "imports from a file"),
    ],
)
def test_a_grammar_that_cannot_be_meant_is_refused_with_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(BadForm, match=problem) as caught:
        parse_grammar(text)
    assert line == caught.value.line
