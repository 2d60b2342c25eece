"""What there is to get right in a report, how each may go wrong, and what a careful reader would find.

From the task's own words: nothing here sees the truth that results are scored by. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from nightschool.experiments.suite_parts import file_in
from nightschool.models.simulated_author import Decision

from .brief import DISCLOSURES, NONE, PATH, SUMS, Brief, amount, read_brief, report

__all__ = ["check", "decisions", "faults", "made", "says"]

_LINE: Final = re.compile(r"^(?P<name>[A-Z][\w ]+): (?P<value>.*)$", re.MULTILINE)
_HEADING: Final = re.compile(r"^#{1,2} (?P<title>.+)$", re.MULTILINE)
_NUMBER: Final = re.compile(r"-?\d{1,3}(,\d{3})+|-?\d{1,12}")


def decisions(document: str) -> list[Decision]:
    """Return what there is to get right: the form, each sum, each disclosure, each amount that is copied."""
    brief = read_brief(document)
    copied = (*brief.assets, *brief.liabilities, *brief.result, *brief.cash)
    return [
        *(Decision(name=name, kind="form") for name in ("path", "blank", "heading")),
        *(Decision(name=name, kind="rule") for name in (*SUMS, *DISCLOSURES)),
        *(Decision(name=f"copy of {name}", kind="slip") for name in copied),
    ]


def made(document: str, wrong: frozenset[str]) -> dict[str, Any]:
    """Return the report as it is handed in, with these decisions taken wrongly."""
    brief = read_brief(document)
    copied = {**brief.assets, **brief.liabilities, **brief.result, **brief.cash}
    values = {name: value + 900 * (f"copy of {name}" in wrong) for name, value in copied.items()}
    values |= {name: value + 1_000 * (name in wrong) for name, value in brief.sums.items()}
    lines = {name: amount(values[name]) for name in _order(brief)}
    if "blank" in wrong:
        lines["Closing cash"] = "{{closing cash}}"
    texts = {section: _told(brief, section, is_wrong=section in wrong) for section in DISCLOSURES}
    text = report(brief.company, lines, texts)
    if "heading" in wrong:
        text = text.replace("## Cash\n", "## Cash flow\n")
    return {"files": [{"path": "draft.md" if "path" in wrong else PATH, "content": text}]}


def _order(brief: Brief) -> list[str]:
    sums = list(SUMS)
    balance = (*brief.assets, sums[0], *brief.liabilities, *sums[1:4])
    return [*balance, *brief.result, *sums[4:7], *brief.cash, sums[7]]


def _told(brief: Brief, section: str, *, is_wrong: bool) -> str:
    """Return a disclosure; a wrong one leaves out what belongs there, or else tells what does not."""
    facts = brief.disclosed(section)
    if is_wrong:
        facts = facts[1:] if facts else tuple(each for each in brief.facts if each.section == section)[:1]
    return " ".join(f"{fact.who}: {amount(fact.amount)}." for fact in facts) or NONE


def says(text: str) -> tuple[dict[str, int | None], dict[str, str], list[str]]:
    """Return what a report's lines say, its disclosures, and its headings."""
    headings = list(_HEADING.finditer(text))
    ends = [each.start() for each in headings[1:]] + [len(text)]
    bodies = {
        each["title"].strip(): text[each.end() : end].strip()
        for each, end in zip(headings, ends, strict=False)
    }
    lines: dict[str, int | None] = {}
    for found in _LINE.finditer(text):
        number = _NUMBER.fullmatch(found["value"].strip())
        lines.setdefault(found["name"], int(number[0].replace(",", "")) if number else None)
    disclosed = {title: bodies.get(title, "") for title in DISCLOSURES}
    return lines, disclosed, [each["title"].strip() for each in headings]


def check(document: str, answer: Mapping[str, Any]) -> dict[str, str]:
    """Return what is wrong with the form of what was handed in, as code finds it without the truth."""
    is_named, text = file_in(answer, PATH)
    if text is None:
        return {"path": f"the file `{PATH}` was not handed in"}
    problems = {} if is_named else {"path": f"the file is to be called `{PATH}`"}
    if "{{" in text:
        problems["blank"] = "a blank is not filled"
    _, right = file_in(made(document, frozenset()), PATH)
    if says(text)[2] != says(right or "")[2]:
        problems["heading"] = "the headings are not those of the template"
    return problems


def faults(document: str, answer: Mapping[str, Any]) -> dict[str, str]:
    """Return the sums, disclosures and copied amounts that are wrong, and in what words; no value is told."""
    brief, (_, text) = read_brief(document), file_in(answer, PATH)
    lines, disclosed, _ = says(text or "")
    found = {}
    for name, value in brief.sums.items():
        if lines.get(name) is not None and lines[name] != value:
            found[name] = f"it is not {SUMS[name]}"
    copied = {**brief.assets, **brief.liabilities, **brief.result, **brief.cash}
    for name, value in copied.items():
        if lines.get(name) is not None and lines[name] != value:
            found[f"copy of {name}"] = "it is not the amount in the accounts"
    for section in DISCLOSURES:
        wanted = _told(brief, section, is_wrong=False)
        if disclosed[section] != wanted:
            found[section] = f"this section is for {DISCLOSURES[section]}, and it has more or less than that"
    return found
