from __future__ import annotations

import pytest

from nightschool.sandbox.document_tools import ListSections, ReadSection
from nightschool.sandbox.documents import parse_document
from nightschool.sandbox.submission import SubmitFindings

DOCUMENT = parse_document("# Deal\n## 1 Term\nThree years.\n## 2 Price\nTen euros a month.\n")

pytestmark = pytest.mark.anyio


async def test_the_outline_names_number_title_and_length() -> None:
    result = await ListSections(DOCUMENT).execute({})

    assert "1 | Term | 2 words\n2 | Price | 4 words" == result.text


async def test_a_section_is_read_under_its_heading() -> None:
    result = await ReadSection(DOCUMENT).execute({"number": "2."})

    assert "## 2 Price\n\nTen euros a month." == result.text


async def test_a_section_outside_the_grant_is_refused_visibly() -> None:
    result = await ReadSection(DOCUMENT, frozenset({"1"})).execute({"number": "2"})

    assert result.is_error
    assert "outside this task's grant" in result.text


async def test_an_unknown_section_is_an_error_the_agent_can_mend() -> None:
    result = await ReadSection(DOCUMENT).execute({"number": "9"})

    assert result.is_error
    assert "list_sections" in result.text


async def test_findings_that_fit_the_schema_are_accepted() -> None:
    position = {"policy": "P01", "position": "missing", "section": None, "quote": None, "confidence": 0.5}

    result = await SubmitFindings(DOCUMENT).execute({"positions": [position]})

    assert "accepted 1 positions" == result.text


async def test_findings_that_break_the_schema_come_back_with_the_field() -> None:
    position = {"policy": "P01", "position": "perhaps", "section": None, "quote": None, "confidence": 2}

    result = await SubmitFindings(DOCUMENT).execute({"positions": [position]})

    assert result.is_error
    assert "positions.0.position" in result.text
