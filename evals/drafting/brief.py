"""One year's accounts and facts, the template of a report, and the report that follows from them.

    accounts ─► sums, profit, tax, cash        facts ─► what is disclosed, and what need not be
    Brief    ─► the task as Markdown, and back: whoever reads the document knows all that there is to know

Knows nothing about scores or who writes. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

__all__ = [
    "DISCLOSURES",
    "NONE",
    "PATH",
    "SUMS",
    "Brief",
    "Fact",
    "amount",
    "read_brief",
    "report",
    "write_brief",
]

PATH: Final = "report.md"
NONE: Final = "None."
SUMS: Final[Mapping[str, str]] = {
    "Total assets": "the sum of all assets",
    "Total liabilities": "the sum of all liabilities",
    "Equity": "total assets less total liabilities",
    "Total liabilities and equity": "total liabilities and equity together",
    "Profit before tax": "revenue less expenses",
    "Tax due": "a quarter of the profit before tax, rounded down to whole euros; nothing on a loss",
    "Profit after tax": "profit before tax less tax due",
    "Closing cash": "opening cash plus the year's change in cash",
}
"""What is not in the accounts and has to be worked out."""
DISCLOSURES: Final[Mapping[str, str]] = {
    "Related parties": "dealings with directors above 1,000",
    "Contingencies": "claims in court that are open at the year's end",
    "Events after the year": "losses between 1 January 2026 and the date of the report",
}
"""Section to what belongs into it."""

_ACCOUNT: Final = re.compile(r"^- (?P<name>[A-Z][\w ]+): (?P<amount>-?[\d,]+)$", re.MULTILINE)
_COMPANY: Final = re.compile(r"^# Accounts of (?P<name>.+)$", re.MULTILINE)
_SECTION: Final = re.compile(
    r"^## \d (?P<title>[\w ]+)\n\n(?P<text>.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL
)
_FACTS: Final[Mapping[str, tuple[re.Pattern[str], ...]]] = {
    "Related parties": (
        re.compile(r"^- .* lent (?P<who>[\w ]+), a director, (?P<amount>[\d,]+)\.$"),
        re.compile(r"^- .* sold furniture to (?P<who>[\w ]+), a director, for (?P<amount>[\d,]+)\.$"),
    ),
    "Contingencies": (
        re.compile(r"^- (?P<who>[\w ]+) claims (?P<amount>[\d,]+) in court; the outcome is open\.$"),
        re.compile(r"^- A claim of (?P<who>[\w ]+) over (?P<amount>[\d,]+) was settled and paid in June\.$"),
    ),
    "Events after the year": (
        re.compile(
            r"^- On \d+ January 2026 a fire at (?P<who>[\w ]+) destroyed stock of (?P<amount>[\d,]+)\.$"
        ),
        re.compile(r"^- On \d+ May 2025 a fire at (?P<who>[\w ]+) destroyed stock of (?P<amount>[\d,]+)\.$"),
    ),
}
"""Section to how a fact is put that belongs into it, and one that does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that happened, and whether it is to be disclosed."""

    section: str
    who: str
    amount: int
    is_disclosed: bool
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """A task."""

    company: str
    assets: Mapping[str, int]
    liabilities: Mapping[str, int]
    result: Mapping[str, int]
    """Revenue and expenses."""
    cash: Mapping[str, int]
    """Opening cash and the year's change."""
    facts: tuple[Fact, ...]

    @property
    def sums(self) -> Mapping[str, int]:
        """What is worked out, by name."""
        assets, liabilities = sum(self.assets.values()), sum(self.liabilities.values())
        profit = self.result["Revenue"] - self.result["Expenses"]
        tax = max(0, profit // 4)
        cash = sum(self.cash.values())
        found = (assets, liabilities, assets - liabilities, assets, profit, tax, profit - tax, cash)
        return dict(zip(SUMS, found, strict=True))

    def disclosed(self, section: str) -> tuple[Fact, ...]:
        """Return what belongs into a section."""
        return tuple(fact for fact in self.facts if fact.section == section and fact.is_disclosed)


def amount(number: int) -> str:
    """Return an amount as it is written."""
    return f"{number:,}"


def report(company: str, lines: Mapping[str, str], disclosures: Mapping[str, str]) -> str:
    """Return the report with these values in its lines and these texts in its disclosures."""
    parts = [f"# Annual report of {company}"]
    for title, names in _plan(lines).items():
        parts.append(f"## {title}\n\n" + "\n".join(f"{name}: {lines[name]}" for name in names))
    parts += [f"## {title}\n\n{disclosures[title]}" for title in DISCLOSURES]
    return "\n\n".join(parts) + "\n"


def _plan(lines: Mapping[str, str]) -> Mapping[str, list[str]]:
    """Return which line stands under which heading, in order."""
    titles = ("Balance sheet", "Income statement", "Cash")
    plan: dict[str, list[str]] = {title: [] for title in titles}
    title = titles[0]
    for name in lines:
        title = {"Revenue": titles[1], "Opening cash": titles[2]}.get(name, title)
        plan[title].append(name)
    return plan


def write_brief(brief: Brief) -> str:
    """Return the task as an author reads it."""
    lines = dict.fromkeys((*brief.assets, "Total assets", *brief.liabilities, "Total liabilities", "Equity"))
    lines |= dict.fromkeys(("Total liabilities and equity", "Revenue", "Expenses", "Profit before tax"))
    lines |= dict.fromkeys(("Tax due", "Profit after tax", "Opening cash", "Change in cash", "Closing cash"))
    blanks = {name: "{{" + name.lower() + "}}" for name in lines}
    texts = {title: "{{" + title.lower() + "}}" for title in DISCLOSURES}
    accounts = {
        "Assets": brief.assets,
        "Liabilities": brief.liabilities,
        "Result": brief.result,
        "Cash": brief.cash,
    }
    told = "\n\n".join(
        f"{name}:\n\n" + "\n".join(f"- {account}: {amount(value)}" for account, value in held.items())
        for name, held in accounts.items()
    )
    sums = "\n".join(f"- {name} is {words}." for name, words in SUMS.items())
    kinds = "\n".join(f"- {name}: {words}." for name, words in DISCLOSURES.items())
    facts = "\n".join(fact.words for fact in brief.facts)
    template = report("{{company}}", blanks, texts).replace("\n", "\n    ")
    task = (
        "the template below with every blank filled, for the year 2025. Keep headings and lines as they are."
    )
    rule = f"A disclosure names party and amount of each fact that belongs there, and else says `{NONE}`"
    parts = [
        f"# Accounts of {brief.company}",
        f"## 1 Task\n\nWrite the file `{PATH}`: {task} The report is dated 28 February 2026.",
        f"## 2 Accounts\n\n{told}",
        f"## 3 Facts\n\n{facts}",
        f"## 4 Rules\n\nAmounts are written with commas, such as 12,300.\n\n{sums}\n\n{rule}:\n\n{kinds}",
        f"## 5 Template\n\n    {template.strip()}",
    ]
    return "\n\n".join(parts) + "\n"


def read_brief(document: str) -> Brief:
    """Return the task that a document states. Raises ValueError if it states none."""
    company = _COMPANY.search(document)
    sections = {found["title"]: found["text"] for found in _SECTION.finditer(document)}
    if company is None or not {"Accounts", "Facts"} <= sections.keys():
        raise ValueError("the document holds no accounts")
    groups = re.split(r"^(Assets|Liabilities|Result|Cash):$", sections["Accounts"], flags=re.MULTILINE)
    held = {
        name: {each["name"]: int(each["amount"].replace(",", "")) for each in _ACCOUNT.finditer(text)}
        for name, text in zip(groups[1::2], groups[2::2], strict=True)
    }
    return Brief(
        company=company["name"],
        assets=held["Assets"],
        liabilities=held["Liabilities"],
        result=held["Result"],
        cash=held["Cash"],
        facts=tuple(_facts(sections["Facts"])),
    )


def _facts(text: str) -> Iterator[Fact]:
    for words in text.strip().splitlines():
        for section, (disclosed, innocent) in _FACTS.items():
            found = disclosed.match(words) or innocent.match(words)
            if found is not None:
                yield Fact(
                    section=section,
                    who=found["who"],
                    amount=int(found["amount"].replace(",", "")),
                    is_disclosed=disclosed.match(words) is not None,
                    words=words,
                )
