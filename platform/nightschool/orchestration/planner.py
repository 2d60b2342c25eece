"""From a document's structure to a plan: consecutive sections become tasks, each with what it leans on.

Pure: the same document and settings give the same plan, and so the same task ids and sessions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nightschool.core.ids import derived_id
from nightschool.orchestration import references
from nightschool.orchestration.plan import OnFailure, Plan, Task, validate
from nightschool.sandbox.document_tools import render_section
from nightschool.sandbox.documents import Document, Section

__all__ = ["MERGE", "Granularity", "plan_by_structure"]

MERGE: Final = "merge"
"""The id of the task that joins the others' findings; it needs no agent."""
_ONLY: Final = "Report only what you find in these sections."
_JOINED: Final = {"strategy": "union", "key": "policy"}
_TOOLS: Final = ("list_sections", "read_section", "submit_findings")


@dataclass(frozen=True, slots=True, kw_only=True)
class Granularity:
    """How finely a document is cut."""

    words_per_task: int = 2500
    """About how many words one task covers; a longer section is a task of its own."""
    max_tasks: int = 40
    """Above this, tasks grow instead of multiplying."""


def _groups(sections: Sequence[Section], words: int) -> list[list[Section]]:
    groups: list[list[Section]] = []
    filled = 0
    for section in sections:
        if not groups or filled + section.words > words:
            groups.append([])
            filled = 0
        groups[-1].append(section)
        filled += section.words
    return groups


def _inputs(document: Document, defined: dict[str, str], group: Sequence[Section]) -> str:
    used = references.definitions_used(defined, group)
    cited = references.referenced_sections(document, group)
    blocks = []
    if used:
        blocks.append("Definitions:\n" + "\n".join(used.values()))
    if cited:
        texts = (render_section(document, section.number) or "" for section in cited)
        blocks.append("Referenced sections:\n" + "\n\n".join(texts))
    return "\n\n".join(blocks)


def _title(group: Sequence[Section]) -> str:
    first, last = group[0], group[-1]
    if first is last:
        return f"Section {first.number} {first.title}"
    return f"Sections {first.number} to {last.number}: {first.title} … {last.title}"


def plan_by_structure(
    document: Document,
    *,
    goal: str,
    granularity: Granularity,
    plan_id: str,
    on_failure: OnFailure = OnFailure.BEST_EFFORT,
) -> Plan:
    """Return a plan with one task per group of consecutive sections, and a merge that waits for all.

    Args:
        document: what is to be worked on.
        goal: the goal in the asker's words.
        granularity: how finely to cut.
        plan_id: the plan's id; task ids derive from it.
        on_failure: what happens when a task's attempts have failed.
    """
    words = max(granularity.words_per_task, -(-document.words // granularity.max_tasks))
    defined = references.definitions(document)
    tasks = tuple(
        Task(
            id=derived_id("task", plan_id, *(section.number for section in group)),
            title=_title(group),
            sections=tuple(section.number for section in group),
            needs=_TOOLS,
            prompt=f"Sections: {', '.join(section.number for section in group)}\n{_ONLY}",
            on_failure=on_failure,
            type="review",
            inputs=_inputs(document, defined, group),
        )
        for group in _groups(document.sections, words)
    )
    merge = Task(
        id=MERGE, title="Join the findings", depends_on=tuple(task.id for task in tasks), merge=_JOINED
    )
    plan = Plan(id=plan_id, goal=goal, tasks=(*tasks, merge))
    validate(plan)
    return plan
