from __future__ import annotations

import json
from typing import Any

import pytest

from nightschool.models.embed import CachedEmbedder, MiniLmEmbedder
from nightschool.models.reader.merging import merged_findings, parse_findings
from nightschool.models.reader.passages import Attention


@pytest.fixture(scope="module")
def attention() -> Attention:
    return Attention(CachedEmbedder(MiniLmEmbedder()))


def finding(path: str, text: str, group: int = 1) -> dict[str, Any]:
    return {"path": path, "group": group, "text": text, "events": [f"sevt_{path}"]}


def test_the_shortest_speaks_for_all_and_quotes_each(attention: Attention) -> None:
    found = [
        finding("a", "Now in this house refunds take 5 days."),
        finding("b", "Refunds in this house take 5 days."),
    ]
    items = merged_findings(found, attention)

    assert [{"findings": ["a", "b"], "text": found[1]["text"], "events": ["sevt_a", "sevt_b"]}] == items


@pytest.mark.parametrize(
    "other",
    [
        finding("b", "Refunds take 3 days."),
        finding("b", "Refunds never take 5 days."),
        finding("b", "Refunds take 5 days.", group=2),
        finding("b", "The seller chooses 5 judges."),
    ],
)
def test_what_differs_in_a_number_a_denial_or_its_group_is_left_alone(
    attention: Attention, other: dict[str, Any]
) -> None:
    assert [] == merged_findings([finding("a", "Refunds take 5 days."), other], attention)


@pytest.mark.parametrize("content", ["", "[]", '{"findings"', '{"other": 1}'])
def test_a_request_about_something_else_has_no_findings(content: str) -> None:
    assert [] == parse_findings({"messages": [{"role": "user", "content": content}]})


def test_findings_are_read_from_blocks_too() -> None:
    asked = json.dumps({"findings": [finding("a", "x")]})
    blocks = [{"type": "text", "text": asked}]

    assert [finding("a", "x")] == parse_findings({"messages": [{"role": "user", "content": blocks}]})
