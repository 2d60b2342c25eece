"""What to type: an example or two for every command, shown at the end of its `--help`.

Each is read by the command's own parser in the tests, so that none of them grows old. Knows nothing about
what commands do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import click

__all__ = ["EXAMPLES", "with_examples"]

EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "agents apply": ("agents apply reviewer.md", "agents apply agents/*.md"),
    "agents list": ("agents list", "agents list --json | jq -r '.[].name'"),
    "agents show": ("agents show reviewer", "agents show reviewer --version 2 > reviewer-2.md"),
    "archive": ("archive --older-than 30",),
    "compare": ("compare LAST", "compare exp_01m8 --gate", "compare LAST --json"),
    "completion": ('eval "$(nightschool completion bash)"',),
    "config": ("config", "--data /tmp/other config --json"),
    "delete": ("delete sesn_01m8px8vh8s28r5epqnrqa", "delete sesn_01m8px8vh8s28r5epqnrqa --yes"),
    "demo": ("demo", "-q demo"),
    "doctor": ("doctor", "doctor --quick --json"),
    "dream adopt": ("dream adopt LAST", "dream adopt drm_01m8 --approve"),
    "dream diff": ("dream diff LAST",),
    "dream effect": ("dream effect --suite memory --repeats 3", "dream effect --check"),
    "dream list": ("dream list", "dream list --json"),
    "dream reject": ('dream reject LAST --reason "rests on one judge"',),
    "dream rollback": ("dream rollback", "dream rollback --store support"),
    "dream tick": ("dream tick --idle-minutes 30",),
    "dream try": ("dream try LAST --suite letters",),
    "experiments": ("experiments", "experiments --json"),
    "export": ("export /tmp/log",),
    "fixtures big": ("fixtures big /tmp/big", "fixtures big /tmp/big --events 1000000"),
    "gate": ("gate LAST", "gate LAST --against exp_01m8 --arm single --junit gate.xml"),
    "grader domain": ('grader domain "Summarise the lease for the tenant"',),
    "grader label": ("grader label", 'grader label trial_p36a --reject --note "misses the cap"'),
    "grader probe": ("grader probe contracts",),
    "grader report": ("grader report", "grader report --brain claude-haiku-4-5 --repeats 3"),
    "import atif": ("import atif trajectory.json",),
    "import experiment": ("import experiment before.eval after.eval --format inspect",),
    "import inspect": ("import inspect logs/run.eval",),
    "import log": ("import log /tmp/log",),
    "import promptfoo": ("import promptfoo results.json",),
    "import tau-bench": ("import tau-bench gpt-4o-airline.json --model gpt-4o --domain airline",),
    "memory attack": ("memory attack",),
    "memory export": ("memory export /tmp/memories",),
    "memory history": ("memory history /statements/9d99c01995923ece",),
    "memory list": ("memory list", "memory list --all --json"),
    "memory recall": ('memory recall "Change the address of an order"',),
    "memory redact": ('memory redact /statements/9d99c01995923ece --reason "a customer\'s name"',),
    "memory restore": ("memory restore /statements/9d99c01995923ece",),
    "memory show": ("memory show /statements/9d99c01995923ece",),
    "memory write": (
        'memory write /facts/refunds "Refunds take 5 days."',
        "memory write /facts/refunds < refunds.md",
    ),
    "open": ("open", "open LAST --port 8600 --no-browser", "open --answers"),
    "permit": ("permit", "permit 0cb7e7 --allow", 'permit 0cb7e7 --deny --reason "not the production table"'),
    "plan experiment": ("plan experiment experiment.yaml",),
    "plan make": ('plan make "Compare the three offers" plan.yaml',),
    "plan run": ("plan run plan.yaml", "plan run plan.yaml --width 4 --json"),
    "plan show": ("plan show plan.yaml", "plan show sesn_01m8px8vh8s28r5epqnrqa"),
    "plan wake": ("plan wake sesn_01m8px8vh8s28r5epqnrqa",),
    "prune": ("prune", "prune --yes"),
    "regrade": ("regrade LAST --dry-run", "regrade LAST"),
    "report": ("report LAST --out report.html",),
    "review": ("review contract.md", "review contract.md --arm orchestrated --brain claude-sonnet-4-5"),
    "run": (
        "run contracts",
        "run contracts --arms single,subagents --repeats 3 --seed 7",
        "-q run contracts --json > run.json",
        "run --resume LAST",
    ),
    "sql": (
        'sql "SELECT arm, avg(recall) FROM v1_trials GROUP BY arm"',
        'sql "FROM v1_costs" --format csv > costs.csv',
    ),
    "suite check": ("suite check contracts",),
    "suite new": ("suite new letters --folder evals",),
    "sync": ("sync",),
    "trace": ("trace sesn_01m8px8vh8s28r5epqnrqa", "trace sesn_01m8px8vh8s28r5epqnrqa --full"),
    "verify": ("verify", "verify --json"),
}
"""Command to what is typed behind `nightschool`; a line that begins otherwise is shown as it is."""


def with_examples(command: click.Command, path: str) -> click.Command:
    """Return the command with its examples, and those of the commands below it, at the end of its help."""
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            with_examples(child, f"{path} {name}")
    if lines := EXAMPLES.get(path):
        shown = "\n".join(f"  {line if 'nightschool' in line else f'nightschool {line}'}" for line in lines)
        command.epilog = f"\b\nExamples:\n{shown}"
    return command
