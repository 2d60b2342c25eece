"""A suite to begin with: files that work as they are, to be changed one by one.

Knows nothing about where they are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["suite_files"]

_YAML: Final = """\
# What the experiment engine reads before it loads suite.py.
name: {name}
title: Notes of deliveries, checked against two rules
primary_metric: accuracy
lower_is_better: [false_flags]
# 0 where code decides every score; leave a dimension out where nobody measured how its grader scatters.
grader_sd: {{accuracy: 0, completeness: 0, consistency: 0, efficiency: 0, format: 0}}
samples: [note-1, note-2, note-3, note-4, note-5, note-6, note-7, note-8]
"""

_PLAYBOOK: Final = """\
# Playbook
We review as the Buyer.

## P01 Delivery time
Clause: time of delivery
Required: yes
Position: Goods are delivered within fourteen days.
Acceptable: "Goods arrive within ten days."
Not acceptable: "Goods arrive within forty days."
Limit: at most 14 days

## P02 Warranty
Clause: warranty for defects
Required: yes
Position: The warranty runs for at least twelve months.
Acceptable: "The warranty runs for two years."
Not acceptable: "The warranty runs for one month."
Limit: at least 12 months
"""

_MODULE: Final = '''\
"""The suite's door: samples, draws, the playbook, and how an answer is scored. Everything here is pure."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nightschool.experiments.suite_parts import Drawn, SampleSpec, Score, listed_samples, positions_of

RULES = {{
    "P01": ("Delivery", "The goods are delivered within {{}} days of the order.", (40, 10)),
    "P02": ("Warranty", "The warranty for defects runs for {{}} months.", (2, 24)),
}}
"""Policy to heading, words, and the quantity that breaks it and the one that keeps it."""

FILLER = (
    ("Packing", "Goods are packed in boxes that the seller takes back."),
    ("Notices", "Notices are given in writing."),
    ("Colours", "Small differences in colour are no defect."),
)


def samples(config: Mapping[str, Any]) -> list[SampleSpec]:
    """Return the samples that suite.yaml lists."""
    return listed_samples(config, lambda name: {{"pages": 1, "level": "easy"}}, example="note-1")


def draw(sample_id: str, epoch: int, seed: int) -> Drawn:
    """Draw a document: the truth follows from sample and seed, its order from the repeat as well."""
    truth = random.Random(f"{{sample_id}}|{{seed}}")
    world = random.Random(f"{{sample_id}}|{{seed}}|{{epoch}}")
    broken = frozenset(truth.sample(sorted(RULES), truth.choice((1, 1, 2))))
    parts = [
        (title, words.format(amounts[policy not in broken]))
        for policy, (title, words, amounts) in RULES.items()
    ]
    parts += [*FILLER, ("Reference", f"Our reference is {{world.randrange(10**6)}}.")]
    world.shuffle(parts)
    body = [f"## {{number}} {{title}}\\n\\n{{text}}\\n" for number, (title, text) in enumerate(parts, 1)]
    document = "\\n".join(["# Delivery note\\n", *body])
    return Drawn(document=document, gold=broken, facts={{"pages": 1, "level": "easy"}})


def playbook_text() -> str:
    """Return what documents are reviewed against."""
    return Path(__file__).with_name("playbook.md").read_text(encoding="utf-8")


def score(gold: frozenset[str], answer: Mapping[str, Any], document: str) -> Score:
    """Score an answer: F1 of what it flags, the share of policies it looked at, the share of true quotes."""
    positions = positions_of(answer)
    flagged = {{str(each.get("policy")) for each in positions if each.get("position") != "compliant"}}
    looked_at = {{str(each.get("policy")) for each in positions}} & RULES.keys()
    quotes = [str(each["quote"]) in document for each in positions if each.get("quote")]
    return Score(
        accuracy=2 * len(flagged & gold) / (len(flagged) + len(gold)),
        completeness=len(looked_at) / len(RULES),
        format=sum(quotes) / len(quotes) if quotes else 0.0,
        metrics={{"recall": len(flagged & gold) / len(gold), "false_flags": float(len(flagged - gold))}},
    )
'''

_REVIEWER: Final = """\
---
name: reviewer
description: Reads a document against the playbook and takes a position on each policy.
tools: [list_sections, read_section, submit_findings]
---
You review documents against the playbook below. List the sections, read them, and hand in your positions once
with submit_findings: for each policy violation, compliant or missing, with the section and the deciding words
quoted exactly, and how sure you are from 0 to 1.
"""

_LEAD: Final = """\
---
name: lead
description: Splits a document among subagents and hands in the joined positions.
tools: [list_sections, read_section, delegate, submit_findings]
---
You lead the review of a document against the playbook below. List the sections, hand them out with delegate
in one call, settle what contradicts, and hand in a position on each policy once with submit_findings.
"""

_ARMS: Final = {
    "single": ("One agent", "One agent, one context.", "reviewer: agents/reviewer.md"),
    "subagents": (
        "A lead with subagents",
        "A lead splits the work, delegates, and joins what comes back.",
        "lead: agents/lead.md, subagent: agents/reviewer.md",
    ),
    "orchestrated": (
        "Plan, pool and grader",
        "A plan of tasks over a pool of agents, graded and merged outside any context.",
        "task: agents/reviewer.md",
    ),
}
"""Routing to title, description and agents; the same as those that ship with the suites here."""

_ARM: Final = """\
title: {title}
description: {description}
routing: {routing}
agents: {{{agents}}}
context_limit_tokens: 32000
"""

_README: Final = """\
# {name}

What it is of, where it comes from, what is true of a sample and how that is known, what an answer is scored
by, and where it ends: write it down here before anybody believes a number.

```
nightschool suite check {name}
nightschool run {name} --arms single,orchestrated --repeats 2
```
"""


def suite_files(name: str) -> Mapping[str, str]:
    """Return the files of a new suite, by their path in its folder."""
    arms = {
        f"arms/{routing}.yaml": _ARM.format(
            routing=routing, title=title, description=description, agents=agents
        )
        for routing, (title, description, agents) in _ARMS.items()
    }
    return arms | {
        "README.md": _README.format(name=name),
        "agents/lead.md": _LEAD,
        "agents/reviewer.md": _REVIEWER,
        "playbook.md": _PLAYBOOK,
        "suite.py": _MODULE.format(),
        "suite.yaml": _YAML.format(name=name),
    }
