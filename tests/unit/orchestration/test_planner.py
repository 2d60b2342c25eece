from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nightschool.orchestration.planner import MERGE, Granularity, plan_by_structure
from nightschool.sandbox.documents import Document, parse_document

TEXT = """# Deal
## 1 Definitions
"Fees" means the charges in Schedule A.
"Notice Period" means ninety (90) days.
"Site" means the Supplier's plant.
## 2 Leaving
Either party may leave after the Notice Period.
## 3 Cap
Liability is limited to the amount stated in Section 4.1.
## 4 Amounts
### 4.1 Limit
The limit is ten euros.
"""
DOCUMENT = parse_document(TEXT)


def _plan(document: Document, words: int, max_tasks: int = 40) -> list[tuple[tuple[str, ...], str]]:
    granularity = Granularity(words_per_task=words, max_tasks=max_tasks)
    plan = plan_by_structure(document, goal="g", granularity=granularity, plan_id="plan_x")
    return [(task.sections, task.inputs) for task in plan.tasks if task.id != MERGE]


def test_a_task_gets_the_definitions_it_uses_and_no_others() -> None:
    inputs = dict(_plan(DOCUMENT, 8))

    assert 'Definitions:\n"Notice Period" means ninety (90) days.' == inputs[("2",)]


def test_a_task_gets_the_sections_it_cites() -> None:
    inputs = dict(_plan(DOCUMENT, 8))

    assert "Referenced sections:\n## 4.1 Limit\n\nThe limit is ten euros." == inputs[("3",)]


def test_a_small_document_is_one_task_that_needs_nothing_from_elsewhere() -> None:
    assert [(("1", "2", "3", "4", "4.1"), "")] == _plan(DOCUMENT, 5000)


def test_the_merge_waits_for_every_other_task() -> None:
    plan = plan_by_structure(DOCUMENT, goal="g", granularity=Granularity(words_per_task=8), plan_id="plan_x")

    assert {task.id for task in plan.tasks} - {MERGE} == set(plan.task(MERGE).depends_on)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=30), st.integers(1, 80), st.integers(1, 10))
def test_every_section_is_in_exactly_one_task(lengths: list[int], words: int, max_tasks: int) -> None:
    document = parse_document("\n".join(f"## {n} T\n{'word ' * size}" for n, size in enumerate(lengths, 1)))

    covered = [number for sections, _ in _plan(document, words, max_tasks) for number in sections]

    assert [section.number for section in document.sections] == covered
