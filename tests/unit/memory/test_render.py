from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nightschool.memory.memory import Attributes, Evidence, Memory
from nightschool.memory.render import render


def _memory(text: str) -> Memory:
    evidence = (Evidence(session_id="s", event_id="e", passed=True),)
    return Memory(path="/a", text=text, attributes=Attributes(evidence=evidence), sha256="")


def test_a_memory_is_a_quotation_with_its_record() -> None:
    assert '- "Refunds take 5 days." (1 for, 0 against, sure 0.32)' in render(
        [_memory("Refunds take 5 days.")]
    )
    assert "" == render([])


@given(st.text(min_size=1))
def test_a_memory_cannot_leave_its_line_or_its_quotation_marks(text: str) -> None:
    lines = render([_memory(text)]).splitlines()

    assert 4 == len(lines)
    assert lines[-1].startswith('- "') and lines[-1].count('"') == 2
