from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import Malformed
from nightschool.sandbox.documents import parse_document

MARKDOWN = """# Supply Agreement

## 1 Definitions
"Term" means three years.

## 2 Liability

### 2.1 Cap
The cap is 12 months of fees.

### 2.2 Carve-outs
None.
"""


def test_markdown_headings_become_numbered_sections() -> None:
    document = parse_document(MARKDOWN)

    assert ["1", "2", "2.1", "2.2"] == [section.number for section in document.sections]
    assert "Supply Agreement" == document.title


def test_a_section_excludes_the_text_of_its_children() -> None:
    section = parse_document(MARKDOWN).find("2")

    assert section is not None
    assert "" == section.text


def test_plain_text_with_numbered_lines_is_read_too() -> None:
    text = "AGREEMENT\n\n1. Definitions\nWords mean things.\n\n7.2 Limitation of liability\nThe cap is low.\n"

    document = parse_document(text, name="deal.txt")

    assert [("1", "Definitions"), ("7.2", "Limitation of liability")] == [
        (section.number, section.title) for section in document.sections
    ]


def test_a_long_numbered_clause_is_text_and_not_a_heading() -> None:
    clause = (
        "1.1 The Supplier shall deliver the goods on the date agreed and bear every cost of late delivery."
    )

    document = parse_document(f"1 Delivery\n{clause}\n")

    assert [clause] == [section.text for section in document.sections]


def test_headings_without_numbers_get_them() -> None:
    document = parse_document("# Terms\n\nHello.\n\n## Payment\n\nNow.\n")

    assert [("1", "Terms"), ("2", "Payment")] == [(s.number, s.title) for s in document.sections]


def test_a_number_used_twice_is_refused_with_both_lines() -> None:
    with pytest.raises(Malformed, match=r"deal\.md, line 3: section 1 was already given on line 1"):
        parse_document("## 1 A\nx\n## 1 B\ny\n", name="deal.md")


@pytest.mark.parametrize("text", ["", "just words without any structure"])
def test_a_document_without_headings_is_refused(text: str) -> None:
    with pytest.raises(Malformed, match="no section headings found"):
        parse_document(text)


@given(st.lists(st.text(alphabet="abc xyz.,", max_size=60).map(str.strip), min_size=1, max_size=8))
def test_every_text_comes_back_from_its_section(texts: list[str]) -> None:
    source = "\n".join(f"## {n} Title\n{text}\n" for n, text in enumerate(texts, 1))

    assert texts == [section.text for section in parse_document(source).sections]
