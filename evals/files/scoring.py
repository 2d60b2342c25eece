"""True checks of one file against what it should hold. Kept apart from whoever graded it while it was made.

Pure: the same gold, answer and document give the same score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator

from nightschool.experiments.suite_parts import Score, file_in

from .brief import read_brief
from .content import rows_in, same
from .files import Unreadable, read_file

__all__ = ["score_file"]

_COLUMNS: Final = ("voucher", "date", "name", "category", "amount")


def score_file(gold: Mapping[str, Any], answer: Mapping[str, Any], document: str) -> Score:
    """Score what was handed in.

    Args:
        gold: `path` and `content`, as `draw_task` returns them.
        answer: `{"files": [{"path": ..., "content": ...}]}`; whatever else it holds does not count.
        document: the task, for the schema that it states.
    """
    brief = read_brief(document)
    is_named, text = file_in(answer, gold["path"])
    try:
        content, is_read = read_file(brief.format, text or ""), bool(text)
    except Unreadable:
        content, is_read = None, False
    fits = is_read and Draft202012Validator(brief.schema).is_valid(content)
    right, given = rows_in(gold["content"]), rows_in(content)
    rows = {str(row.get("voucher")): row for row in reversed(given)}
    wanted = [row["voucher"] for row in right]
    extra = len(given) - len(rows.keys() & set(wanted))
    is_whole = is_named and fits and same_content(gold["content"], content)
    return Score(
        accuracy=_accuracy(gold["content"], content, rows, extra),
        completeness=len(rows.keys() & set(wanted)) / len(wanted),
        format=(is_named + is_read + fits) / 3,
        metrics={
            "success": float(is_whole),
            "fits_schema": float(fits),
            "extra_rows": float(extra),
            "missing_rows": float(len(set(wanted) - rows.keys())),
        },
    )


def same_content(one: Any, other: Any) -> bool:
    """Return whether two contents are one, the order of rows included; 1 and 1.0 are the same number."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_content(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_content, one, other))
    return same(one, other)


def _accuracy(right: Any, content: Any, rows: Mapping[str, Mapping[str, Any]], extra: int) -> float:
    """Return the share of values that are right; the order counts as a row, a row too many as a wrong one."""
    wanted = rows_in(right)
    checks = [
        same(row[column], rows.get(row["voucher"], {}).get(column)) for row in wanted for column in _COLUMNS
    ]
    checks += [False] * (extra * len(_COLUMNS))
    order = [row["voucher"] for row in wanted if row["voucher"] in rows]
    given = [
        voucher for voucher in map(str, (row.get("voucher") for row in rows_in(content))) if voucher in order
    ]
    checks += [bool(order) and given == order] * len(_COLUMNS)
    if isinstance(right, Mapping):
        told = content if isinstance(content, Mapping) else {}
        checks += [same(value, told.get(name)) for name, value in right.items() if name != "rows"]
    return sum(checks) / len(checks)
