"""A suite whose results are handed in by a tool of its own: declared, refused when it cannot be meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from nightschool.core.errors import Malformed
from nightschool.experiments.suite import load_suite

SUITE = """\
primary_metric: accuracy
trials: hand-ins
hand_in: {tool: give, description: Give it., schema: give.json}
"""
MODULE = "samples = draw = playbook_text = score = lambda *_: None\n"


def written(
    folder: Path, suite: str = SUITE, schema: str = '{"type": "object"}', module: str = MODULE
) -> Path:
    place = folder / "gifts"
    place.mkdir()
    (place / "suite.yaml").write_text(suite)
    (place / "suite.py").write_text(module)
    (place / "give.json").write_text(schema)
    return folder


def test_the_tool_is_what_the_suite_declares(tmp_path: Path) -> None:
    tool = load_suite("gifts", [written(tmp_path)]).hand_in
    assert tool is not None
    assert ("give", "Give it.", {"type": "object"}) == (tool.name, tool.description, tool.schema)


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("{", "line 1: not JSON"),
        ('{"type": "array"}', 'say `"type": "object"`'),
        ('{"type": 7}', "no JSON Schema"),
        ('{"type": "object", "properties": {"a": {"$ref": "http://else.where/x"}}}', "give.json"),
        ("[]", "a schema is a mapping"),
    ],
)
def test_a_schema_that_cannot_be_meant_is_refused_with_its_file(
    schema: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(Malformed, match=r"suite\.yaml, line 3.*give\.json") as refused:
        load_suite("gifts", [written(tmp_path, schema=schema)])
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("trials: hand-ins", "goes with `trials: hand-ins`"),
        ("hand_in: {tool: give, description: Give it., schema: give.json}", "goes with `trials: hand-ins`"),
        ("give.json", "cannot be read"),
    ],
)
def test_tool_and_kind_of_trial_go_together_and_the_schema_is_there(
    change: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(Malformed, match=said):
        load_suite(
            "gifts", [written(tmp_path, SUITE.replace(change, "other.json" if "." == change[4:5] else ""))]
        )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("simulation: {errors: {rule: 1.5}}", "errors.rule"),
        ("simulation: {errors: {rule: 0.5}, mendz: 1}", "mendz"),
        ("simulation: {errors: {rule: 0.5}}", "missing function decisions, made, faults"),
        ("trials: hand-outs", "trials"),
    ],
)
def test_a_simulation_that_cannot_be_meant_is_refused(line: str, said: str, tmp_path: Path) -> None:
    suite = SUITE.replace("trials: hand-ins\n", "") if line.startswith("trials") else SUITE
    with pytest.raises(Malformed, match=said):
        load_suite("gifts", [written(tmp_path, f"{suite}{line}\n")])
