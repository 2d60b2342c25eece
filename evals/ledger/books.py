"""A year's books as a Markdown report, with errors planted in some checks and innocent anomalies in others.

    truth (sample, seed)  ─►  figures  ─►  sections, with or without the planted error

Which checks are broken is decided first, from sample and seed; names, amounts and order follow from the epoch
as well. Knows nothing about scoring.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from nightschool.core.errors import NotFound
from nightschool.experiments.suite_parts import Drawn

__all__ = ["CHECKS", "ROWS", "draw_books", "level_of", "rows_of"]

CHECKS: Final = tuple(f"P{number:02}" for number in range(1, 11))
ROWS: Final[Mapping[str, int]] = {"easy": 8, "medium": 24, "hard": 60}
"""Rows of each journal, by level."""

_ID: Final = re.compile(r"(?P<level>easy|medium|hard)-[1-9]\d*")
_MAY_BE_MISSING: Final = ("P08", "P09")
_NAMES: Final = (
    "Alder",
    "Birch",
    "Cedar",
    "Dogwood",
    "Elm",
    "Fir",
    "Hazel",
    "Juniper",
    "Larch",
    "Maple",
    "Oak",
)
_SUPPLIERS: Final = (
    "Northgate Rent",
    "Quick Print",
    "Vale Energy",
    "Harbour Freight",
    "Stone Repairs",
    "Bright Software",
)
_INITIALS: Final = ("AB", "CD", "EF", "GH")
_WORDS_PER_PAGE: Final = 450


def level_of(sample_id: str) -> str:
    """Return a sample's level of difficulty.

    Raises:
        NotFound: the id has no valid form.
    """
    found = _ID.fullmatch(sample_id)
    if found is None:
        raise NotFound(f"suite `ledger` has no sample `{sample_id}`; ids look like easy-1, medium-3, hard-2")
    return found["level"]


def rows_of(sample_id: str) -> int:
    """Return how many rows each journal of a sample has. Raises as `level_of`."""
    return ROWS[level_of(sample_id)]


def draw_books(sample_id: str, epoch: int, seed: int) -> Drawn:
    """Draw a year's books; gold: the position of every check and the section to read it in.

    Raises as `level_of`.
    """
    rows = rows_of(sample_id)
    truth, world = random.Random(f"{sample_id}|{seed}"), random.Random(f"{sample_id}|{seed}|{epoch}")
    broken = set(truth.sample(CHECKS, truth.randint(3, 5)))
    missing = {check for check in _MAY_BE_MISSING if check in broken and truth.random() < 0.6}
    books = _Books(world, broken, rows)
    parts = [(check, *books.section(check)) for check in CHECKS if check not in missing]
    body = [_numbered(number, title, text) for number, (_, title, text) in enumerate(parts, 1)]
    document = "\n".join([f"# Annual report of {books.company}\n", *body])
    sections = {check: str(number) for number, (check, _, _) in enumerate(parts, 1)}
    gold = [_gold(check, check in broken, sections.get(check)) for check in CHECKS]
    words = len(document.split())
    facts = {
        "pages": max(1, round(words / _WORDS_PER_PAGE)),
        "level": level_of(sample_id),
        "rows": rows,
        "planted": len(broken),
    }
    return Drawn(document=document, gold=gold, facts=facts)


def _gold(check: str, is_broken: bool, section: str | None) -> dict[str, Any]:  # noqa: FBT001  # a truth, not a mode
    position = "compliant" if not is_broken else "missing" if section is None else "violation"
    return {"policy": check, "required": True, "position": position, "sections": [section] if section else []}


def _numbered(number: int, title: str, text: str) -> str:
    return f"## {number} {title}\n\n{text}\n"


@dataclass(slots=True)
class _Books:
    """One company's year, being written."""

    world: random.Random
    broken: set[str]
    rows: int
    company: str = ""
    cash: int = 0

    def __post_init__(self) -> None:
        self.company = f"{self.world.choice(_NAMES)} & {self.world.choice(_NAMES)} Ltd"
        self.cash = self._amount(20_000, 90_000)

    def section(self, check: str) -> tuple[str, str]:
        """Return the title and text of the section that a check is about."""
        write: Mapping[str, Callable[[], tuple[str, str]]] = {
            "P01": self._balance,
            "P02": self._revenue,
            "P03": self._cash_flow,
            "P04": self._sales,
            "P05": self._payments,
            "P06": self._approvals,
            "P07": self._depreciation,
            "P08": self._related,
            "P09": self._going_concern,
            "P10": self._tax,
        }
        return write[check]()

    def _amount(self, low: int, high: int) -> int:
        return self.world.randrange(low, high)

    def _off(self, check: str) -> int:
        """Return by how much a total is off: a planted error, or one unit of rounding, which is in order."""
        if check in self.broken:
            return self.world.choice((-1, 1)) * self._amount(150, 950)
        return self.world.choice((0, 0, 1, -1))

    def _balance(self) -> tuple[str, str]:
        equipment, receivables = self._amount(80_000, 300_000), self._amount(20_000, 120_000)
        total = self.cash + equipment + receivables
        debts = self._amount(30_000, total // 2)
        other = total - debts + self._off("P01")
        lines = [
            f"Cash: {self.cash:,}",
            f"Equipment: {equipment:,}",
            f"Receivables: {receivables:,}",
            f"Total assets: {total:,}",
            f"Liabilities: {debts:,}",
            f"Equity: {other:,}",
            f"Total liabilities and equity: {debts + other:,}",
        ]
        return "Balance sheet", _listed(lines)

    def _revenue(self) -> tuple[str, str]:
        parts = [self._amount(20_000, 200_000) for _ in range(max(3, self.rows // 4))]
        stated = sum(parts) + self._off("P02")
        lines = [f"Segment {index}: {part:,}" for index, part in enumerate(parts, 1)]
        return "Revenue by segment", _listed([*lines, f"Revenue in the income statement: {stated:,}"])

    def _cash_flow(self) -> tuple[str, str]:
        flows = [self._amount(-30_000, 40_000) for _ in range(3)]
        opening = self.cash - sum(flows) + self._off("P03")
        names = ("operations", "investment", "financing")
        lines = [f"Cash flow from {name}: {flow:,}" for name, flow in zip(names, flows, strict=True)]
        closing = f"Cash in the balance sheet: {self.cash:,}"
        return "Cash flow statement", _listed([f"Opening cash: {opening:,}", *lines, closing])

    def _sales(self) -> tuple[str, str]:
        days = [f"2025-{self._amount(1, 13):02}-{self._amount(1, 29):02}" for _ in range(self.rows)]
        rows = [self._sale(number, day, day) for number, day in enumerate(days, 1)]
        innocent = (f"2025-12-{self._amount(20, 31)}", f"2026-01-0{self._amount(2, 9)}")
        rows.append(self._sale(self.rows + 1, *innocent))
        if "P04" in self.broken:
            late = f"2026-01-{self._amount(10, 28)}"
            rows.append(self._sale(self.rows + 2, late, late))
        self.world.shuffle(rows)
        return "Sales journal", _listed(rows)

    def _sale(self, number: int, delivered: str, invoiced: str) -> str:
        amount = self._amount(400, 9_000)
        return f"S{number:03}: delivered {delivered}, invoiced {invoiced}, {amount:,}, booked in 2025"

    def _payments(self) -> tuple[str, str]:
        rows = []
        for number in range(1, self.rows + 1):
            supplier = self.world.choice(_SUPPLIERS)
            rows.append(f"{supplier}, invoice I{1000 + number}, {self._amount(100, 9_000):,}")
        rent = self._amount(1_000, 4_000)
        rows += [f"Northgate Rent, invoice R{number}, {rent:,}" for number in (11, 12)]
        if "P05" in self.broken:
            rows.append(self.world.choice(rows[: self.rows]))
        self.world.shuffle(rows)
        return "Payments journal, invoices paid", _listed(rows)

    def _approvals(self) -> tuple[str, str]:
        rows = []
        for number in range(1, self.rows + 1):
            amount, first = self._amount(2_000, 30_000), self.world.choice(_INITIALS)
            second = self.world.choice([each for each in _INITIALS if each != first])
            by = f"{first} and {second}" if amount > 10_000 else first
            rows.append(f"Payment {number}: {amount:,}, approved by {by}")
        rows.append(f"Payment {self.rows + 1}: {self._amount(9_800, 10_000):,}, approved by AB")
        if "P06" in self.broken:
            rows.append(f"Payment {self.rows + 2}: {self._amount(10_100, 30_000):,}, approved by CD")
        self.world.shuffle(rows)
        return "Payments journal, approval of payments", _listed(rows)

    def _depreciation(self) -> tuple[str, str]:
        rate = self._amount(30, 60) if "P07" in self.broken else self._amount(8, 26)
        return "Depreciation", f"Equipment is written off by {rate} percent of its cost in a year."

    def _related(self) -> tuple[str, str]:
        if "P08" in self.broken:
            return (
                "Related parties",
                "Transactions with related parties took place and are not disclosed here.",
            )
        return "Related parties", "There were no transactions with related parties in the year."

    def _going_concern(self) -> tuple[str, str]:
        months = self._amount(2, 8) if "P09" in self.broken else self._amount(12, 25)
        text = "The management finds that the company is able to continue as a going concern"
        return "Going concern", f"{text} for {months} months from the date of this report."

    def _tax(self) -> tuple[str, str]:
        sales, purchases = self._amount(30_000, 90_000), self._amount(5_000, 29_000)
        due = sales - purchases + self._off("P10")
        lines = [f"Tax on sales: {sales:,}", f"Tax on purchases: {purchases:,}", f"Tax due: {due:,}"]
        return "Value added tax return", _listed(lines)


def _listed(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
