"""What there is to get right in a task, how each may go wrong, and what a careful reader would find.

From the task's own words: nothing here sees the truth that results are scored by. Used by the simulated
author and grader; `check` also by the loop of any other brain, for it needs no judgement. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from nightschool.experiments.suite_parts import file_in
from nightschool.models.simulated_author import Decision

from .brief import RULES, Brief, read_brief
from .content import COLUMNS, contents_of, rows_in, same
from .files import Unreadable, read_file, write_file

__all__ = ["check", "decisions", "faults", "made"]

_FORMS: Final = ("path", "syntax", "schema")
_MOST_SAID: Final = 200


def decisions(document: str) -> list[Decision]:
    """Return what there is to get right: the form, each rule, each row's amount."""
    brief = read_brief(document)
    return [
        *(Decision(name=name, kind="form") for name in _FORMS),
        *(Decision(name=name, kind="rule") for name in brief.rules),
        *(Decision(name=f"row {row['voucher']}", kind="slip") for row in rows_in(contents_of(brief))),
    ]


def made(document: str, wrong: frozenset[str]) -> dict[str, Any]:
    """Return the file as it is handed in, with these decisions taken wrongly."""
    brief = read_brief(document)
    content = contents_of(brief, wrong)
    if "schema" in wrong:
        for row in content["rows"] if brief.is_tree else content:
            row["amount_eur"] = row.pop("amount")
    text = write_file(brief.format, content)
    if "syntax" in wrong:
        text = _broken(brief.format, text)
    path = f"output.{brief.format}" if "path" in wrong else brief.path
    return {"files": [{"path": path, "content": text}]}


def _broken(kind: str, text: str) -> str:
    """Return a file with a slip of the pen that its format does not forgive."""
    match kind:
        case "json" | "jsonl":
            return text.replace("}", ",}", 1)
        case "csv":
            header, _, rest = text.partition("\n")
            return f"{header}\n{rest.replace(',', ',,', 1)}"
        case "toml":
            return text.replace('"', "", 1)
        case _:
            return text.replace("- voucher:", "- [voucher:", 1)


def check(document: str, answer: Mapping[str, Any]) -> dict[str, str]:
    """Return what is wrong with the form of what was handed in, as code finds it without the truth."""
    brief = read_brief(document)
    is_named, text = file_in(answer, brief.path)
    if text is None:
        return {"path": f"the file `{brief.path}` was not handed in"}
    problems = {} if is_named else {"path": f"the file is to be called `{brief.path}`"}
    try:
        content = read_file(brief.format, text)
    except Unreadable as error:
        return {**problems, "syntax": f"not {brief.format.upper()}: {str(error)[:_MOST_SAID]}"}
    wrong = best_match(Draft202012Validator(brief.schema).iter_errors(content))
    if wrong is not None:
        where = ".".join(map(str, wrong.absolute_path)) or "the whole"
        problems["schema"] = f"`{where}`: {wrong.message[:_MOST_SAID]}"
    return problems


def faults(document: str, answer: Mapping[str, Any]) -> dict[str, str]:
    """Return the rules that are broken and the rows that are wrong, and in what words; no value is told."""
    brief = read_brief(document)
    _, text = file_in(answer, brief.path)
    try:
        content = read_file(brief.format, text or "")
    except Unreadable:
        return {}
    rows = {str(row.get("voucher")): row for row in rows_in(content)}
    broken = [name for name in brief.rules if not _is_kept(name, brief, content, rows)]
    found = {name: f"this rule is not kept: {RULES[name]}" for name in broken}
    return found | {
        f"row {voucher}": "the amount is not that of the record"
        for voucher in _slips(brief, rows, set(broken))
    }


def _is_kept(name: str, brief: Brief, content: Any, rows: Mapping[str, Mapping[str, Any]]) -> bool:
    right = rows_in(contents_of(brief))
    match name:
        case "void":
            return rows.keys() <= {row["voucher"] for row in right}
        case "order":
            numbers = [int(voucher[1:]) for voucher in rows if voucher[1:].isdigit()]
            return numbers == sorted(numbers)
        case "total":
            amounts = [row.get("amount") for row in rows_in(content)]
            known = [each for each in amounts if isinstance(each, int | float)]
            return not known or same(_top(content, name), round(sum(known), 2))
        case "count":
            return same(_top(content, name), len(rows_in(content)))
    column = COLUMNS[name]
    given = [(row[column], rows[row["voucher"]].get(column)) for row in right if row["voucher"] in rows]
    wrong = [not same(one, other) for one, other in given if other is not None]
    return not wrong or sum(wrong) <= len(wrong) / 2


def _slips(brief: Brief, rows: Mapping[str, Mapping[str, Any]], broken: set[str]) -> Iterator[str]:
    for row in rows_in(contents_of(brief, frozenset(broken & {"cents"}))):
        amount = rows.get(row["voucher"], {}).get("amount")
        if amount is not None and not same(amount, row["amount"]):
            yield row["voucher"]


def _top(content: Any, name: str) -> Any:
    return content.get(name) if isinstance(content, Mapping) else None
