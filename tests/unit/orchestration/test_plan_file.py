from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from nightschool.core.errors import Malformed, NotFound
from nightschool.orchestration.plan import OnFailure
from nightschool.orchestration.plan_file import load_plan, parse_plan, plan_from_json, plan_schema

TEXT = """
goal: One report
tasks:
  - {id: north, needs: [read], writes: ["file:out/north.md"], parts: [one, two], stake: 2}
  - {id: joined, title: Join, depends_on: [north], on_failure: critical, merge: {strategy: union}}
"""


def test_a_file_says_what_the_plan_is() -> None:
    plan = parse_plan(TEXT)

    assert "One report" == plan.goal
    assert ("north", ("file:out/north.md",), 2.0) == (
        plan.task("north").title,
        plan.task("north").writes,
        plan.task("north").stake,
    )
    assert OnFailure.CRITICAL is plan.task("joined").on_failure


def test_what_the_log_keeps_is_the_same_plan() -> None:
    plan = parse_plan(TEXT)
    logged = json.loads(json.dumps([task.as_json() for task in plan.tasks]))

    assert plan == plan_from_json({"goal": plan.goal, "tasks": logged}, plan_id=plan.id)


def test_one_text_is_one_plan_in_yaml_and_in_json() -> None:
    import yaml

    assert parse_plan(TEXT).id == parse_plan(json.dumps(yaml.safe_load(TEXT))).id


def test_the_published_schema_accepts_what_is_accepted_and_refuses_what_is_not() -> None:
    schema = jsonschema.Draft202012Validator(plan_schema())

    assert schema.is_valid({"goal": "g", "tasks": [{"id": "a"}]})
    assert not schema.is_valid({"goal": "g", "tasks": [{"id": "a", "colour": "red"}]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("goal: [", "plan file, line 1"),
        ("goal: g", "field `tasks`"),
        ("{goal: g, tasks: [{id: a, colour: red}]}", "task 'a', field `colour`"),
        ("{goal: g, tasks: [{title: a}]}", "task number 1, field `id`"),
        ("{goal: g, tasks: [{id: a, on_failure: never}]}", "task 'a', field `on_failure`"),
        ("{goal: g, tasks: [{id: a, depends_on: [b]}, {id: b, depends_on: [a]}]}", "wait for one another"),
        ("{goal: g, tasks: [{id: a, depends_on: [z]}]}", "depends on 'z', which does not exist"),
        ("{goal: g, tasks: [{id: a, writes: [out]}]}", "task 'a': 'out' names nothing"),
        ("just words", "the file"),
        ("{goal: g, tasks: [{id: a, inputs: 2026-01-01}], x: 2026-01-01}", "only plain JSON"),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(Malformed, match=message):
        parse_plan(text)


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no plan file .*ghost\.yaml"):
        load_plan(tmp_path / "ghost.yaml")
    (tmp_path / "plan.yaml").write_bytes(b"goal: \xff")
    with pytest.raises(Malformed, match="not UTF-8"):
        load_plan(tmp_path / "plan.yaml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &a [*a]\n", "nests too deeply, or refers to itself"),
        ("[" * 3000, "nests too deeply, or refers to itself"),
        ('goal: g\ntasks: [{id: "x\\0"}]', "only characters that can be printed"),
        ('goal: g\ntasks: [{id: "x\\ny"}]', "only characters that can be printed"),
        ('{"goal": "g", "tasks": [{"id": "\\ud800"}]}', "plan file"),
        ('{"goal": "g", "tasks": [{"id": "a", "prompt": "\\ud800"}]}', "plan file"),
        ('{"goal": "g", "tasks": [{"id": "a", "stake": NaN}]}', "task 'a', field `stake`"),
        ("goal: g\ntasks: [{id: a, max_seconds: .inf}]", "task 'a', field `max_seconds`"),
        ("goal: g\ntasks: [{id: a, stake: .nan}]", "task 'a', field `stake`"),
        ("goal: g\ntasks: [{id: a, returns: {type: nonsense}}]", "task 'a': returns: no JSON Schema"),
        ("goal: g\ntasks: [{id: a, returns: {$ref: '#/nowhere'}}]", "task 'a': returns: `#/nowhere` leads"),
        ("goal: g\ntasks: [{id: a, returns: {$ref: 'http://example.com/x'}}]", "leads out of the schema"),
        ("goal: g\ntasks: [{id: a, depends_on: [1]}]", "task 'a', field `depends_on.0`"),
        ("goal: g\ntasks: [{id: a, outcome: {rubric: x.md}}]", "'x.md' names a file"),
    ],
)
def test_a_hostile_plan_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(Malformed, match=re.escape(said)):
        parse_plan(text)


def test_json_is_read_as_json() -> None:
    assert "🙂" == parse_plan(json.dumps({"goal": "g", "tasks": [{"id": "🙂"}]})).tasks[0].id
    assert 1e5 == parse_plan('{"goal": "g", "tasks": [{"id": "a", "stake": 1e5}]}').tasks[0].stake


def test_names_in_any_script_are_names() -> None:
    plan = parse_plan(
        '{"goal": "日本", "tasks": [{"id": "täsk→1 🙂"}, {"id": "b", "depends_on": ["täsk→1 🙂"]}]}'
    )

    assert "täsk→1 🙂" == plan.tasks[0].id
