from __future__ import annotations

from nightschool.orchestration.references import definitions, definitions_used, referenced_sections
from nightschool.sandbox.documents import parse_document

DOCUMENT = parse_document(
    """# Deal
## 1 Definitions
“Charges” means the Fees and the Expenses.
"Fees" means ten euros a month.
"Expenses" means travel.
"Unused" means nothing.
## 2 Cap
The cap is twice the Charges, subject to Sections 3.1 and 4 and to Schedule B.
## 3 Other
### 3.1 Floor
None.
## 4 More
None.
## Schedule B Amounts
One euro.
"""
)


def test_terms_are_found_in_straight_and_curly_quotes() -> None:
    assert ["Charges", "Fees", "Expenses", "Unused"] == list(definitions(DOCUMENT))


def test_definitions_that_a_definition_uses_come_along() -> None:
    cap = DOCUMENT.by_number["2"]

    assert ["Charges", "Fees", "Expenses"] == list(definitions_used(definitions(DOCUMENT), [cap]))


def test_a_list_of_sections_and_a_schedule_are_followed() -> None:
    cited = referenced_sections(DOCUMENT, [DOCUMENT.by_number["2"]])

    assert ["3.1", "4", "Schedule B"] == [section.number for section in cited]


def test_a_reference_inside_the_group_is_not_an_input() -> None:
    group = [DOCUMENT.by_number[number] for number in ("2", "3.1", "4", "Schedule B")]

    assert [] == referenced_sections(DOCUMENT, group)
