from __future__ import annotations

from nightschool.events.experiment import FeedbackRecorded
from nightschool.events.trace import trace_lines


def test_a_label_says_who_decided_what() -> None:
    label = FeedbackRecorded(
        id="sevt_1", source="user", value=0.4, comment="cap", decision="reject", score=0.4, given_by="ann"
    )
    (line,) = trace_lines([label])

    assert ("label · reject · by ann · score 0.4", "cap") == (line.head, line.text)


def test_other_feedback_says_where_it_comes_from() -> None:
    (line,) = trace_lines([FeedbackRecorded(id="sevt_1", source="true_check", value=1.0)])

    assert "feedback · true_check · 1" == line.head
