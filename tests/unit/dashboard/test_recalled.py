"""The memories of a session as a table."""

from __future__ import annotations

from nightschool.dashboard.recalled import recalled_table
from nightschool.dashboard.trace import trace_list
from nightschool.events.memory import MemoryRecalled


def recalled(*candidates: dict[str, object]) -> MemoryRecalled:
    return MemoryRecalled.model_validate(
        {"type": "memory.recalled", "id": "sevt_1", "memories": [], "candidates": candidates}
    )


def test_each_candidate_has_its_factors_the_score_first() -> None:
    html = recalled_table(recalled({"path": "a.md", "likeness": 0.72, "score": 0.31, "left_out": ""}))

    assert html.index("Score") < html.index("Likeness")
    assert html.index("0.31") < html.index("0.72")
    assert ">yes<" in html


def test_what_was_left_out_says_why_and_never_as_markup() -> None:
    html = recalled_table(recalled({"path": "<b>a</b>", "score": 0.1, "left_out": "not <near> enough"}))

    assert "&lt;b&gt;a&lt;/b&gt;" in html
    assert "not &lt;near&gt; enough" in html
    assert ">no<" in html


def test_a_factor_that_a_candidate_lacks_is_absent_and_not_zero() -> None:
    assert "–" in recalled_table(recalled({"path": "a", "score": 0.5}, {"path": "b"}))


def test_many_candidates_are_cut_and_counted() -> None:
    html = recalled_table(recalled(*({"path": f"m{number}", "score": 0.5} for number in range(60))))

    assert "m39<" in html
    assert "m40<" not in html
    assert "the first 40 of 60" in html


def test_a_trace_shows_the_table_where_memories_were_considered() -> None:
    assert "ns-table" in trace_list([recalled({"path": "a", "score": 0.5})])
    assert "ns-table" not in trace_list([recalled()])
