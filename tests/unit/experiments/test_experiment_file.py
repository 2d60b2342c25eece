from __future__ import annotations

from pathlib import Path

import pytest

from nightschool.core.errors import Malformed, NotFound
from nightschool.experiments.experiment_file import read_experiment
from nightschool.experiments.launch import Request

WHOLE = """
question: Is a pool worth it?
suite: contracts
factors:
  routing: [single, orchestrated]
  width: [5, 20]
repeats: 3
smallest_effect: 0.03
stop_rule: sequence
family: [[orchestrated-20, single-5]]
budget: {usd: 20, trial_seconds: 600}
"""


def read(tmp_path: Path, text: str) -> Request:
    (tmp_path / "experiment.yaml").write_text(text, "utf-8")
    return read_experiment(tmp_path / "experiment.yaml")


def test_a_full_design_has_an_arm_for_every_cell(tmp_path: Path) -> None:
    request = read(tmp_path, WHOLE)
    assert ("single-5", "single-20", "orchestrated-5", "orchestrated-20") == request.arms
    assert {"routing": ["single", "orchestrated"], "width": ["5", "20"]} == request.declared["factors"]
    assert {"usd": 20, "trial_seconds": 600} == request.declared["budget"]
    assert [{"treatment": "orchestrated-20", "baseline": "single-5"}] == request.declared["family"]
    assert "sequence" == request.declared["stop_rule"]


def test_cells_may_be_named_one_by_one(tmp_path: Path) -> None:
    text = "suite: s\nfactors: {routing: [a, b], width: [1, 2]}\ncells: {low: {routing: a, width: 1}}"
    request = read(tmp_path, text)
    assert (("low",), "a") == (request.arms, request.recipes["low"].arm)


def test_arms_may_be_named_instead(tmp_path: Path) -> None:
    request = read(tmp_path, "suite: s\narms: [a, b]\ntier: strict")
    assert (("a", "b"), {}, "strict") == (request.arms, dict(request.recipes), request.tier)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("suite: s", "line 1: field `factors`: give either"),
        ("suite: s\narms: [a]\nfactors: {routing: [a, b]}", "line 3: field `factors`: give either"),
        ("suite: s\nfactors:\n  mood: [a, b]", "line 3|line 2.*say what each level changes"),
        ("suite: s\nfactors: {routing: [a]}\ncells: {low: {width: 1}}", "line 3.*level of each of routing"),
        ("suite: s\narms: [a]\nrepeats: 0", "line 3: field `repeats`"),
        ("suite: s\narms: [a]\nbudget:\n  usd: -1", "line 4: field `budget.usd`"),
        ("suite: s\narms: [a]\nsmallest: 1", "line 3: field `smallest`: unknown field"),
    ],
)
def test_a_mistake_is_named_by_line(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(Malformed, match=reason):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no file"):
        read_experiment(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("suite: s\narms: [a, a]", "line 2: field `arms.1`: `a` is given twice"),
        ("suite: s\nfactors:\n  routing: []", "line 3: field `factors.routing`: needs at least one level"),
        ("suite: s\nfactors:\n  routing: [a, a]", "line 3: field `factors.routing`: a level is given twice"),
        (
            "suite: s\nfactors:\n  routing: {a: 3}",
            "line 3: field `factors.routing`: Input should be a valid list",
        ),
        ("suite: s\narms: [a, b]\nfamily: [[a, a]]", "line 3: field `family.0`: `a` is compared with itself"),
        ("suite: s\narms: [a, b]\nfamily: [[a, c]]", "field `family.0`: `c` is none of the arms (a, b)"),
        ("suite: s\narms: [a, b]\nfamily: [[b, a], [b, a]]", "field `family.1`: b − a is given twice"),
        (
            "suite: s\narms: [a]\nrepeats: 1000000000",
            "field `repeats`: Input should be less than or equal to",
        ),
        ("suite: s\narms: [a]\nbudget:\n  euro: 3", "unknown field; known: grading_reserve, seconds, tokens"),
        ("suite: s\narm: a\nfactors: {width: [1]}\ncells: half", "field `cells`: Input should be 'full'"),
    ],
)
def test_what_contradicts_itself_is_named_where_it_stands(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(Malformed) as caught:
        read(tmp_path, text)
    assert reason in caught.value.message
