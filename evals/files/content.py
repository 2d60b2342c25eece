"""What a file should hold: made from a brief, rightly or with some decisions taken wrongly, and compared.

Knows nothing about how files are written or who made one. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .brief import CODES, MONTHS, Brief, Record

__all__ = ["COLUMNS", "contents_of", "rows_in", "same"]

COLUMNS: Final[Mapping[str, str]] = {
    "dates": "date",
    "names": "name",
    "cents": "amount",
    "codes": "category",
}
"""The column that a rule is about."""
_NEXT: Final = dict(zip(CODES, [*list(CODES)[1:], next(iter(CODES))], strict=True))


def contents_of(brief: Brief, wrong: frozenset[str] = frozenset()) -> Any:
    """Return what the file holds once it is read, with these decisions taken wrongly."""
    kept = [
        each for each in brief.records if not each.is_void or "void" in wrong or "void" not in brief.rules
    ]
    if "order" in brief.rules and "order" not in wrong:
        kept.sort(key=lambda record: int(record.voucher[1:]))
    obeyed = frozenset(brief.rules) - wrong
    rows = [_row(record, obeyed, is_slip=f"row {record.voucher}" in wrong) for record in kept]
    if not brief.is_tree:
        return rows
    content: dict[str, Any] = {}
    if "total" in brief.rules:
        total = sum(row["amount"] for row in rows)
        content["total"] = round(total + 10 if "total" in wrong else total, 2)
    if "count" in brief.rules:
        content["count"] = len(rows) + ("count" in wrong)
    return {**content, "rows": rows}


def _row(record: Record, obeyed: frozenset[str], *, is_slip: bool) -> dict[str, Any]:
    year, month, day = record.day
    cents = record.cents + 90 if is_slip else record.cents
    return {
        "voucher": record.voucher,
        "date": f"{year}-{month:02}-{day:02}" if "dates" in obeyed else f"{day} {MONTHS[month - 1]} {year}",
        "name": f"{record.surname}, {record.given}"
        if "names" in obeyed
        else f"{record.given} {record.surname}",
        "category": CODES[record.category] if "codes" in obeyed else record.category,
        "amount": cents if "cents" in obeyed else cents / 100,
    }


def rows_in(content: object) -> list[Mapping[str, Any]]:
    """Return the rows of what a file holds, whatever that is."""
    rows = content.get("rows") if isinstance(content, Mapping) else content
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, Sequence) else []


def same(one: object, other: object) -> bool:
    """Return whether two values are one: 2350 and 2350.0 are, 1 and true are not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) < 1e-6
    return one == other
