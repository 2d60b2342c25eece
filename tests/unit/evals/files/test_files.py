"""Tasks say all that is needed, true checks find what is wrong, and no shortcut pays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.files.brief import FORMATS, read_brief
from evals.files.content import contents_of
from evals.files.files import Unreadable, read_file, write_file
from evals.files.scoring import score_file
from evals.files.tasks import LEVELS, draw_task
from evals.files.work import check, decisions, faults, made
from nightschool.core.errors import NotFound
from nightschool.experiments.probes import gaming_probes, probe_suite
from nightschool.experiments.suite import load_suite

ROOT = Path(__file__).resolve().parents[4]
IDS: list[str] = yaml.safe_load((ROOT / "evals" / "files" / "suite.yaml").read_text("utf-8"))["samples"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(IDS), st.integers(0, 5), st.integers(0, 5))
@settings(max_examples=60)
def test_whoever_reads_the_task_knows_all_that_there_is_to_know(sample: str, epoch: int, seed: int) -> None:
    drawn = draw_task(sample, epoch, seed)
    brief = read_brief(drawn.document)
    assert (drawn.gold["path"], drawn.gold["content"]) == (brief.path, contents_of(brief))


@pytest.mark.parametrize("sample", IDS)
def test_the_ceiling_is_one_for_a_file_that_is_right(sample: str) -> None:
    drawn = draw_task(sample, 0, 0)
    answer = made(drawn.document, frozenset())
    found = score_file(drawn.gold, answer, drawn.document)
    assert (1.0, 1.0, 1.0, 1.0) == (
        found.accuracy,
        found.completeness,
        found.format,
        found.metrics["success"],
    )
    assert {} == check(drawn.document, answer) | faults(drawn.document, answer)


@given(st.sampled_from(IDS), st.integers(0, 3), st.data())
@settings(max_examples=120)
def test_a_decision_taken_wrongly_is_no_success_and_is_what_a_careful_reader_finds(
    sample: str, epoch: int, data: st.DataObject
) -> None:
    drawn = draw_task(sample, epoch, 0)
    decision = data.draw(st.sampled_from(decisions(drawn.document)))
    answer = made(drawn.document, frozenset({decision.name}))
    found = score_file(drawn.gold, answer, drawn.document)
    said = check(drawn.document, answer) if decision.kind == "form" else faults(drawn.document, answer)
    assert 0.0 == found.metrics["success"]
    assert min(found.accuracy, found.format) < 1
    assert [decision.name] == list(said)


@given(st.sampled_from(IDS), st.data())
@settings(max_examples=60)
def test_what_a_grader_says_never_tells_a_value_of_the_truth(sample: str, data: st.DataObject) -> None:
    drawn = draw_task(sample, 0, 0)
    names = [each.name for each in decisions(drawn.document)]
    wrong = frozenset(data.draw(st.lists(st.sampled_from(names), max_size=4)))
    right = contents_of(read_brief(drawn.document))
    rows = right["rows"] if isinstance(right, dict) else right
    said = " ".join(faults(drawn.document, made(drawn.document, wrong)).values())
    assert not [row for row in rows if json.dumps(row) in said or row["name"] in said]


@given(st.sampled_from(FORMATS), st.integers(0, 9))
def test_a_file_is_read_back_as_it_was_written(kind: str, seed: int) -> None:
    gold = draw_task(f"medium-{kind}-1", 0, seed).gold
    assert gold["content"] == read_file(kind, write_file(kind, gold["content"]))


@given(st.sampled_from(IDS), VALUES)
def test_whatever_is_handed_in_gets_a_score_and_no_success(sample: str, files: Any) -> None:
    drawn = draw_task(sample, 0, 0)
    found = score_file(drawn.gold, {"files": files}, drawn.document)
    assert 0 <= found.accuracy <= 1
    assert 0.0 == found.metrics["success"]
    check(drawn.document, {"files": files})
    faults(drawn.document, {"files": files})


@given(st.sampled_from(FORMATS), st.text())
def test_any_text_is_plain_data_or_no_file(kind: str, text: str) -> None:
    try:
        json.dumps(read_file(kind, text), allow_nan=False)
    except Unreadable:
        return


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("yaml", "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]"),
        ("yaml", "!!python/object/apply:os.system [true]"),
        ("json", "[" * 100_000),
        ("json", "[NaN]"),
        ("jsonl", '{"a": 1}\n{"a": '),
        ("csv", "a,b\n1,2,3\n"),
        ("csv", "a,b\n1\n"),
        ("toml", 'a = "'),
        ("json", " " * 300_000),
    ],
)
def test_hostile_and_broken_files_are_refused(kind: str, text: str) -> None:
    with pytest.raises(Unreadable):
        read_file(kind, text)


def test_one_file_counts_and_it_is_the_one_that_was_asked_for() -> None:
    drawn = draw_task("easy-json-1", 0, 0)
    right = made(drawn.document, frozenset())["files"][0]
    other = {"path": "other.json", "content": "{}"}
    both = score_file(drawn.gold, {"files": [other, right]}, drawn.document)
    neither = score_file(drawn.gold, {"files": [other, {**right, "path": "x.json"}]}, drawn.document)
    renamed = score_file(drawn.gold, {"files": [{**right, "path": "x.json"}]}, drawn.document)
    assert [1.0, 0.0, 0.0] == [each.metrics["success"] for each in (both, neither, renamed)]
    assert (0.0, 1.0) == (neither.accuracy, renamed.accuracy)


def test_a_repeat_has_the_same_rules_and_other_records() -> None:
    first, second = (read_brief(draw_task("hard-csv-1", epoch, 0).document) for epoch in (0, 1))
    assert (first.rules, first.path) == (second.rules, second.path)
    assert first.records != second.records


@pytest.mark.parametrize("level", LEVELS)
def test_levels_differ_in_records_and_rules(level: str) -> None:
    facts = draw_task(f"{level}-json-1", 0, 0).facts
    assert LEVELS[level] == (facts["records"], facts["rules"])


@pytest.mark.parametrize("sample", ["simple-json-1", "easy-xml-1", "easy-json-0", "easy-json"])
def test_an_unknown_sample_is_refused(sample: str) -> None:
    with pytest.raises(NotFound, match="easy-json-1"):
        draw_task(sample, 0, 0)


def test_no_shortcut_passes() -> None:
    assert () == gaming_probes(probe_suite(load_suite("files", [ROOT / "evals"]), IDS))
