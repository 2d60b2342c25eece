"""A suite made of cases that somebody has collected: a line of JSON each, with a rubric of one's own.

    {"id": "t1", "input": "Which article is about fees?", "target": "Article 7", "level": "easy"}

The files work as they are; `score` counts an answer that is the target word for word, to be changed where
another measure is meant. Knows nothing about where they are written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nightschool.experiments.importers.reading import lines, malformed

__all__ = ["suite_of_lines"]

_YAML: Final = """\
# What the experiment engine reads before it loads suite.py.
name: {name}
title: Cases of cases.jsonl
primary_metric: accuracy
# A trial's result is handed in by a tool of the suite's own.
trials: hand-ins
hand_in: {{tool: hand_in_answer, description: Hand in the answer., schema: hand_in.schema.json}}
# Collected cases are the same in each repeat: repeats measure how the brain varies.
draws: fixed
{rubric}# 0 where code decides every score.
grader_sd: {{accuracy: 0, completeness: 0, format: 0}}
"""

_MODULE: Final = '''\
"""The suite's door: samples, draws and how an answer is scored. Everything here is pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from nightschool.experiments.suite_parts import Drawn, SampleSpec, Score


@lru_cache(maxsize=1)
def cases() -> Mapping[str, Mapping[str, Any]]:
    """Return the cases by id; one without is called by its place."""
    lines = Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines if line.strip()]
    return {str(case.get("id", number)): case for number, case in enumerate(found, 1)}


def facts_of(case: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what results are broken down by."""
    return {"pages": 1} | {name: case[name] for name in ("level", "source") if name in case}


def samples(config: Mapping[str, Any]) -> list[SampleSpec]:
    """Return a sample for each case."""
    return [SampleSpec(id=name, facts=facts_of(case)) for name, case in cases().items()]


def draw(sample_id: str, epoch: int, seed: int) -> Drawn:
    """Return the case: its input is the task, its target the truth."""
    case = cases()[sample_id]
    return Drawn(document=case["input"], gold=case["target"], facts=facts_of(case))


def playbook_text() -> str:
    """Return what every task has in common; nothing here."""
    return ""


def score(gold: str, answer: Mapping[str, Any], document: str) -> Score:
    """Score an answer: right when it is the target, whatever its case and white space."""
    given = str(answer.get("answer", ""))
    is_right = " ".join(given.split()).casefold() == " ".join(gold.split()).casefold()
    is_given = float(bool(given.strip()))
    return Score(accuracy=float(is_right), completeness=is_given, format=is_given)


def probe_answer(probe: str, document: str) -> dict[str, Any]:
    """Return what a shortcut hands in."""
    shortcuts = {"always-refuse": "I cannot help with that.", "copy-the-rubric": document}
    return {"answer": shortcuts[probe]} if probe in shortcuts else {}
'''

_AUTHOR: Final = """\
---
name: author
description: Does the task and hands in the answer.
tools: [hand_in_answer]
---
Do the task you are given and hand in the answer once with hand_in_answer: the answer alone, without reasons.
"""

_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["answer"],
    "additionalProperties": False,
    "properties": {"answer": {"type": "string", "maxLength": 200_000}},
}

_SINGLE: Final = """\
title: One answer
description: The first answer stands.
routing: single
agents: {author: agents/author.md}
max_iterations: 1
"""

_LOOP: Final = """\
title: Outcome loop
description: >-
  Each answer is graded by the rubric, by a model that does not know the target, and sent back at most twice.
routing: single
agents: {author: agents/author.md}
max_iterations: 3
settings: {graders: 1}
"""

_README: Final = """\
# {name}

Where the cases come from, how their targets are known, and where it ends: write it down here.

```
nightschool suite check {name}
nightschool run {name} --arms {arms} --brain MODEL
```
"""


class _Case(BaseModel):
    model_config = ConfigDict(extra="allow")

    id: str | int | None = None
    input: str = Field(min_length=1)
    target: str = Field(min_length=1)


def suite_of_lines(name: str, cases: Path, rubric: str | None) -> Mapping[str, str]:
    """Return the files of a suite of these cases, by their path in its folder.

    Args:
        name: the suite's name.
        cases: a file of JSON lines with `input` and `target`, perhaps `id`, `level`, `source`.
        rubric: the text of a rubric in Markdown, for graders and weights; None for none.

    Raises:
        NotFound: there is no such file.
        Malformed: a line is no case, or has the id of an earlier one; names it.
    """
    kept: list[str] = []
    seen: dict[str, int] = {}
    for line, fields in lines(cases):
        try:
            case = _Case.model_validate(fields)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "case"
            raise malformed(cases, line, f"`{where}`: {first['msg']}") from error
        own = str(len(kept) + 1 if case.id is None else case.id)
        if own in seen:
            raise malformed(cases, line, f"the id `{own}` stands on line {seen[own]} already")
        seen[own] = line
        kept.append(json.dumps(fields, ensure_ascii=False) + "\n")
    if not kept:
        raise malformed(cases, 1, "there is no case in the file")
    arms = {"arms/single.yaml": _SINGLE} | ({"arms/loop.yaml": _LOOP} if rubric else {})
    names = "single,loop" if rubric else "single"
    return (
        arms
        | ({"rubric.md": rubric} if rubric else {})
        | {
            "README.md": _README.format(name=name, arms=names),
            "agents/author.md": _AUTHOR,
            "cases.jsonl": "".join(kept),
            "hand_in.schema.json": json.dumps(_SCHEMA, indent=2) + "\n",
            "suite.py": _MODULE,
            "suite.yaml": _YAML.format(name=name, rubric="rubric: rubric.md\n" if rubric else ""),
        }
    )
