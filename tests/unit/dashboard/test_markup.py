"""What a log holds never becomes markup, and long texts are folded."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.dashboard.markup import Cell, Column, data_table, escaped, facts, folded

ATTACK = '<script>alert("x")</script><img src=x onerror=alert(1)>'


class Tags(HTMLParser):
    """Collects the tags and the text of a piece of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    tags.close()
    return tags


@given(st.text())
def test_escaped_text_has_no_tags(text: str) -> None:
    assert [] == parsed(escaped(text)).tags


@pytest.mark.parametrize(
    "html",
    [
        data_table(
            [Column(name=ATTACK, unit=ATTACK, hint=ATTACK)],
            [[Cell(text=ATTACK, note=ATTACK)]],
            caption=ATTACK,
        ),
        facts([(ATTACK, ATTACK)]),
        folded(ATTACK),
        folded(ATTACK * 20),
    ],
)
def test_no_text_becomes_an_element(html: str) -> None:
    found = parsed(html)

    assert not {"script", "img"} & set(found.tags)
    assert 'alert("x")' in found.text


def test_control_characters_are_shown_as_signs() -> None:
    assert "␛[31mred␛[0m␇␡" == escaped("\x1b[31mred\x1b[0m\x07\x7f")


def test_line_breaks_and_tabs_stay() -> None:
    assert "a\n\tb" == escaped("a\n\tb")


def test_a_short_text_is_shown_whole() -> None:
    assert "details" not in folded("Review the whole contract.")


def test_a_long_text_is_folded_with_its_length() -> None:
    found = parsed(folded("word " * 200))

    assert "details" in found.tags
    assert "1,000 characters" in found.text


def test_a_text_of_many_lines_is_folded_however_short() -> None:
    assert "details" in parsed(folded("a\n" * 9)).tags


def test_a_huge_text_is_cut_and_says_so() -> None:
    html = folded("x" * 5_000_000)

    assert len(html) < 25_000
    assert "4,980,000 more characters" in html


def test_an_empty_text_takes_no_room() -> None:
    assert "" == folded(" \n ")


def test_a_table_heads_its_rows_and_sets_numbers_to_the_right() -> None:
    columns = [Column(name="Arm", numeric=False), Column(name="Recall", unit="0–1")]

    html = data_table(columns, [[Cell(text="single", colour="#1F83C6"), Cell(text="0.71")]], caption="Arms")

    assert (
        '<th scope="row" class="ns-text">'
        '<span class="ns-swatch" style="background:#1F83C6"></span>single</th>' in html
    )
    assert '<td class="ns-num">0.71</td>' in html
    assert "<small>0–1</small>" in html


def test_a_row_must_fit_its_columns() -> None:
    with pytest.raises(ValueError, match="shorter"):
        data_table([Column(name="a"), Column(name="b")], [[Cell(text="1")]], caption="")
