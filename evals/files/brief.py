"""One task: records as they came in, rules for what is to be made of them, and the form that is asked for.

    Record ─► "- Voucher V104: 3 March 2026, Anna Birk, travel, 23.50, valid"
    Brief  ─► the task as Markdown, and back: whoever reads the document knows all that there is to know

Knows nothing about files, scores or who does the work. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["CODES", "FORMATS", "MONTHS", "RULES", "TREES", "Brief", "Record", "read_brief", "write_brief"]

MONTHS: Final = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
CODES: Final[Mapping[str, str]] = {
    "travel": "T10",
    "meals": "M20",
    "rooms": "R30",
    "tools": "W40",
    "books": "B50",
    "post": "P60",
}
"""What a category is called in the file."""
TREES: Final = ("json", "yaml", "toml")
"""Formats that hold more than rows."""
FORMATS: Final = (*TREES, "csv", "jsonl")
RULES: Final[Mapping[str, str]] = {
    "dates": "Dates are written YYYY-MM-DD.",
    "names": "Names are written surname first, with a comma: `Muster, Eva`.",
    "cents": "Amounts are whole cents: 23.50 is 2350.",
    "void": "Records that are void are left out.",
    "order": "Rows are sorted by voucher, the lowest number first.",
    "codes": "Categories are given by their code: "
    + ", ".join(f"{name} {code}" for name, code in CODES.items())
    + ".",
    "total": "`total` is the sum of the amounts of all rows.",
    "count": "`count` is the number of rows.",
}
"""A rule's name and words, in the order in which harder tasks take them up."""

_WRITTEN: Final = {
    "csv": " with a header line",
    "jsonl": ", one object a line",
    "toml": ", rows as `[[rows]]`",
}
_ROW: Final = re.compile(
    r"^- Voucher (?P<voucher>V\d+): (?P<day>\d+) (?P<month>\w+) (?P<year>\d{4}), (?P<given>\w+) "
    r"(?P<surname>\w+), (?P<category>\w+), (?P<euros>\d+)\.(?P<cents>\d\d), (?P<state>valid|void)$",
    re.MULTILINE,
)
_PATH: Final = re.compile(r"^Write the file `(?P<path>[\w.-]+)`", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One expense, as it came in."""

    voucher: str
    day: tuple[int, int, int]
    """Year, month, day."""
    given: str
    surname: str
    category: str
    cents: int
    is_void: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """A task."""

    path: str
    """The file that is asked for; its ending says the format."""
    records: tuple[Record, ...]
    rules: tuple[str, ...]

    @property
    def format(self) -> str:
        """The format of the file."""
        return self.path.rpartition(".")[2]

    @property
    def is_tree(self) -> bool:
        """Whether the file holds more than rows."""
        return self.format in TREES

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of what the file holds once it is read."""
        row = {
            "type": "object",
            "properties": {
                "voucher": {"type": "string", "pattern": "^V[0-9]+$"},
                "date": {"type": "string"},
                "name": {"type": "string"},
                "category": {"type": "string"},
                "amount": {"type": "number"},
            },
            "required": ["voucher", "date", "name", "category", "amount"],
            "additionalProperties": False,
        }
        rows = {"type": "array", "items": row, "minItems": 1}
        if not self.is_tree:
            return rows
        more = {name: {"type": "number"} for name in ("total", "count") if name in self.rules}
        return {
            "type": "object",
            "properties": {**more, "rows": rows},
            "required": [*more, "rows"],
            "additionalProperties": False,
        }


def write_brief(brief: Brief, title: str) -> str:
    """Return the task as an author reads it."""
    rows = "\n".join(_line(record) for record in brief.records)
    rules = "\n".join(f"- `{name}`: {RULES[name]}" for name in brief.rules)
    schema = json.dumps(brief.schema, indent=1)
    kind = f"{brief.format.upper()}{_WRITTEN.get(brief.format, '')}"
    task = f"Write the file `{brief.path}` ({kind}) from the records, by the rules, in the form below."
    form = "What the file holds, once it is read, fits this schema; a number in CSV is a number."
    parts = [
        f"# {title}\n",
        f"## 1 Task\n\n{task} Hand in that one file.\n",
        f"## 2 Records\n\n{rows}\n",
        f"## 3 Rules\n\n{rules}\n",
        f"## 4 Form\n\n{form}\n\n```json\n{schema}\n```\n",
    ]
    return "\n".join(parts)


def read_brief(document: str) -> Brief:
    """Return the task that a document states. Raises ValueError if it states none."""
    path = _PATH.search(document)
    if path is None:
        raise ValueError("the document asks for no file")
    rules = [name for name in RULES if f"\n- `{name}`: " in document]
    return Brief(path=path["path"], records=tuple(_records(document)), rules=tuple(rules))


def _records(document: str) -> Sequence[Record]:
    return [
        Record(
            voucher=row["voucher"],
            day=(int(row["year"]), MONTHS.index(row["month"]) + 1, int(row["day"])),
            given=row["given"],
            surname=row["surname"],
            category=row["category"],
            cents=100 * int(row["euros"]) + int(row["cents"]),
            is_void=row["state"] == "void",
        )
        for row in _ROW.finditer(document)
    ]


def _line(record: Record) -> str:
    year, month, day = record.day
    amount = f"{record.cents // 100}.{record.cents % 100:02}"
    state = "void" if record.is_void else "valid"
    return (
        f"- Voucher {record.voucher}: {day} {MONTHS[month - 1]} {year}, {record.given} {record.surname}, "
        f"{record.category}, {amount}, {state}"
    )
