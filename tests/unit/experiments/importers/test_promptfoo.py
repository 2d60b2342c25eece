"""What becomes of promptfoo's results."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.errors import Malformed, NotFound
from nightschool.events.experiment import FeedbackRecorded
from nightschool.events.session import SessionCreated
from nightschool.experiments.importers.promptfoo import parse


def result(test: int = 0, **changes: Any) -> dict[str, Any]:
    return {
        "promptIdx": 0,
        "testIdx": test,
        "provider": {"id": "openai:gpt-4o", "label": ""},
        "prompt": {"raw": "Review this.", "label": "review"},
        "vars": {"doc": "a contract"},
        "response": {"output": "Fine.", "tokenUsage": {"prompt": 90, "completion": 5, "total": 95}},
        "success": True,
        "score": 0.5,
        "namedScores": {"tone": 1},
        "latencyMs": 812,
    } | changes


def written(tmp_path: Path, *results: Any) -> Path:
    path = tmp_path / "results.json"
    content = {"evalId": "eval-1", "results": {"version": 3, "prompts": [], "results": list(results)}}
    path.write_text(json.dumps(content, indent=1), "utf-8")
    return path


def test_every_result_is_a_session_with_its_scores(tmp_path: Path) -> None:
    sessions = list(parse(written(tmp_path, result(0), result(1), result(1))))
    assert 3 == len({session.session_id for session in sessions})
    created = [event for s in sessions for event in s.events if isinstance(event, SessionCreated)]
    assert [("0", "0"), ("1", "0"), ("1", "1")] == [
        (event.metadata["sample_id"], event.metadata["epoch"]) for event in created
    ]
    judged = [(e.comment, e.value) for e in sessions[0].events if isinstance(e, FeedbackRecorded)]
    assert [("score", 0.5), ("tone", 1.0)] == judged


def test_lines_of_results_are_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text("\n".join(json.dumps(result(n)) for n in range(4)), "utf-8")
    assert 4 == len(list(parse(path)))


def test_an_answer_that_is_no_text_and_one_that_failed_are_kept(tmp_path: Path) -> None:
    objects = result(0, response={"output": {"a": 1}})
    broken = result(1, response=None, error="timed out", success=False, score=0)
    assert 2 == len(list(parse(written(tmp_path, objects, broken))))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [({"score": "high"}, "result 1, `score`"), ({"prompt": "text"}, "result 1, `prompt`")],
)
def test_a_mistake_is_named_by_line_and_field(changes: dict[str, Any], reason: str, tmp_path: Path) -> None:
    with pytest.raises(Malformed, match=rf"line \d+: {reason}"):
        list(parse(written(tmp_path, result(0), result(1, **changes))))


def test_a_file_cut_off_is_refused_by_line(tmp_path: Path) -> None:
    path = written(tmp_path, *[result(n) for n in range(3)])
    path.write_text(path.read_text("utf-8")[:-40], "utf-8")
    with pytest.raises(Malformed, match=r"line \d+: not JSON"):
        list(parse(path))


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"results": []}', "utf-8")
    with pytest.raises(Malformed, match=r"no list at `results\.results`"):
        list(parse(tmp_path / "other.json"))
    with pytest.raises(NotFound):
        list(parse(tmp_path / "none.json"))


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """Twenty megabytes of results are read in less than a fifth of that."""
    path = written(tmp_path, *[result(n, vars={"doc": "x" * 20_000}) for n in range(1_000)])
    tracemalloc.start()
    count = sum(1 for _ in parse(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (1_000, True) == (count, peak < path.stat().st_size / 5)
