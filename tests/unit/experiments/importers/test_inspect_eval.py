"""What becomes of a log of Inspect AI; the sample was written by Inspect AI 0.3 with its mock model."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from nightschool.core.errors import Malformed, NotFound
from nightschool.events.agent import AgentMessage, AgentToolResult
from nightschool.events.experiment import FeedbackRecorded
from nightschool.events.session import SessionCreated
from nightschool.events.span import SpanModelRequestEnd
from nightschool.experiments.importers.inspect_eval import SOURCE, parse

SAMPLE = Path(__file__).with_name("inspect-sample.eval")
CALL = {"id": "c1", "function": "bash", "arguments": {"cmd": "ls"}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "List."}]},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "content": "a.py", "tool_call_id": "c1"},
]


def written(path: Path, *samples: dict[str, Any], header: Any = None) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for sample in samples:
            archive.writestr(
                f"samples/{sample.get('id')}_epoch_{sample.get('epoch')}.json", json.dumps(sample)
            )
        archive.writestr(
            "header.json", json.dumps(header or {"eval": {"task": "t", "model": "m", "eval_id": "e"}})
        )
    return path


def test_every_sample_and_epoch_is_a_session_with_its_score_and_tokens() -> None:
    sessions = list(parse(SAMPLE))
    assert 6 == len({session.session_id for session in sessions})
    first = sessions[0].events[0]
    assert isinstance(first, SessionCreated)
    assert (SOURCE, "inspect/fees", "c0", "0") == tuple(
        first.metadata[name] for name in ("source", "suite", "sample_id", "epoch")
    )
    kinds = {type(event): event for event in sessions[0].events}
    said, scored, used = (kinds[kind] for kind in (AgentMessage, FeedbackRecorded, SpanModelRequestEnd))
    assert isinstance(said, AgentMessage)
    assert isinstance(scored, FeedbackRecorded)
    assert isinstance(used, SpanModelRequestEnd)
    assert (1.0, "match") == (scored.value, scored.comment)
    assert (900, 50) == (used.model_usage.input_tokens, used.model_usage.output_tokens)


def test_reading_it_again_gives_the_same_ids() -> None:
    assert [s.events for s in parse(SAMPLE)] == [s.events for s in parse(SAMPLE)]


def test_tools_are_told_with_their_answers(tmp_path: Path) -> None:
    log = written(
        tmp_path / "a.eval", {"id": 1, "epoch": 1, "messages": MESSAGES, "scores": {"s": {"value": "P"}}}
    )
    (session,) = parse(log)
    assert any(isinstance(event, AgentToolResult) for event in session.events)
    assert [0.5] == [event.value for event in session.events if isinstance(event, FeedbackRecorded)]


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        ({"id": 1, "epoch": 0}, "samples/1_epoch_0.json`, `epoch`"),
        ({"id": 1, "epoch": 1, "messages": MESSAGES[3:]}, "messages.0`: answers `c1`, which was not called"),
        ({"id": 1, "epoch": 1, "messages": [{"role": "ghost"}]}, "role `ghost` is not known"),
    ],
)
def test_a_sample_that_breaks_the_format_is_named(
    sample: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(Malformed, match=reason):
        list(parse(written(tmp_path / "a.eval", sample)))


def test_a_log_cut_off_or_of_another_kind_is_refused(tmp_path: Path) -> None:
    cut = tmp_path / "cut.eval"
    cut.write_bytes(SAMPLE.read_bytes()[:5000])
    with pytest.raises(Malformed, match="cut off"):
        list(parse(cut))
    with zipfile.ZipFile(tmp_path / "b.eval", "w") as archive:
        archive.writestr("readme", "hello")
    with pytest.raises(Malformed, match=r"no header\.json"):
        list(parse(tmp_path / "b.eval"))
    with pytest.raises(NotFound):
        list(parse(tmp_path / "none.eval"))


def test_an_entry_that_was_damaged_is_named(tmp_path: Path) -> None:
    damaged = bytearray(SAMPLE.read_bytes())
    with zipfile.ZipFile(SAMPLE) as archive:
        at = archive.getinfo("samples/c1_epoch_1.json").header_offset
    damaged[at + 200 : at + 240] = bytes(40)
    (tmp_path / "d.eval").write_bytes(damaged)
    with pytest.raises(Malformed, match=r"samples/c1_epoch_1\.json"):
        list(parse(tmp_path / "d.eval"))
