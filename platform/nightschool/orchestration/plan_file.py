"""Plans as files, YAML or JSON, and as the log keeps them: read into values, refused with the place.

    goal: Bring the three regional reports into one
    tasks:
      - {id: north, title: Read the north, needs: [read], writes: ["file:out/north.md"]}
      - {id: joined, title: Join them, depends_on: [north], on_failure: critical}

Knows nothing about who does the tasks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from nightschool.core.errors import Malformed, NotFound
from nightschool.core.ids import derived_id
from nightschool.events.plan import PlanCreated, PlanRevised
from nightschool.orchestration.plan import OnFailure, Plan, Task, validate
from nightschool.orchestration.task_outcome import TaskOutcome

__all__ = [
    "PlanFile",
    "TaskFile",
    "load_plan",
    "parse_plan",
    "plan_from_event",
    "plan_from_json",
    "plan_schema",
]

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's own where it is there: ten times as quick."""
_TOO_ODD: Final = "it nests too deeply, or refers to itself"


def _readable(name: str) -> str:
    """Refuse a name that would break a line, a terminal or a file."""
    if not name.isprintable():
        raise ValueError("only characters that can be printed: no line breaks, no control characters")
    return name


Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_readable)]


class TaskFile(BaseModel):
    """One task as written down."""

    model_config = ConfigDict(extra="forbid")

    id: Name = Field(description="Its name inside the plan.")
    title: str = Field(default="", description="What it is, for people; the id where it is absent.")
    type: Name = Field(default="task", description="The kind of work; what is learnt is learnt by it.")
    prompt: str = Field(default="", description="What is to be done, in words.")
    inputs: str = Field(default="", description="What it is given beside the results it waits for.")
    sections: tuple[str, ...] = Field(default=(), description="The sections of a document it covers.")
    parts: tuple[str, ...] = Field(default=(), description="Pieces of input that may be worked on apart.")
    depends_on: tuple[Name, ...] = Field(default=(), description="Tasks whose results it reads.")
    needs: tuple[Name, ...] = Field(default=(), description="Tools it cannot do without.")
    writes: tuple[Name, ...] = Field(
        default=(),
        description="What it changes: file:TREE, table:NAME, endpoint:NAME; * and ** are patterns.",
    )
    input_tokens: int | None = Field(default=None, ge=0, description="Tokens it is expected to read.")
    output_tokens: int | None = Field(default=None, ge=0, description="Tokens it is expected to write.")
    max_seconds: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="The longest one attempt may take."
    )
    max_attempts: int | None = Field(default=None, ge=1, description="How often it may be tried.")
    on_failure: OnFailure = Field(
        default=OnFailure.BEST_EFFORT,
        description="best_effort: others go on without it; retry: the fallback queue; critical: others fail.",
    )
    stake: float = Field(
        default=0.0, ge=0, allow_inf_nan=False, description="What a wrong result would cost, on any scale."
    )
    merge: dict[str, Any] | None = Field(default=None, description="A merge schema: code does the task.")
    returns: dict[str, Any] | None = Field(default=None, description="The JSON Schema of its result.")
    outcome: TaskOutcome | None = Field(
        default=None, description="What a good result is; without it, what the plan says of all tasks."
    )

    def task(self) -> Task:
        """Return the task as a value."""
        own = {"title": self.title or self.id, "outcome": _declared(self.outcome)}
        return Task(**{**dict(self), **own})


class PlanFile(BaseModel):
    """A plan as written down."""

    model_config = ConfigDict(extra="forbid", title="A plan of nightschool")

    goal: str = Field(min_length=1, description="What all of it is for.")
    tasks: tuple[TaskFile, ...] = Field(min_length=1, description="The tasks, in any order.")
    outcome: TaskOutcome | None = Field(
        default=None, description="What a good result is of every task for agents, unless it says so itself."
    )


def _declared(outcome: TaskOutcome | None) -> dict[str, Any] | None:
    return None if outcome is None else outcome.model_dump(mode="json", exclude_defaults=True)


def plan_schema() -> dict[str, Any]:
    """Return the JSON Schema that plan files follow."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **PlanFile.model_json_schema()}


def plan_from_json(value: Any, *, plan_id: str, name: str = "plan") -> Plan:
    """Return the plan that a parsed file or an event holds.

    Raises:
        Malformed: a field is missing, unknown or wrong, or see `plan.validate`.
    """
    try:
        read = PlanFile.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        said = first["msg"].removeprefix("Value error, ")
        raise Malformed(f"{name}: {_place(value, first['loc'])}: {said}", path=name) from error
    tasks = tuple(task.task() for task in read.tasks)
    plan = Plan(id=plan_id, goal=read.goal, tasks=tasks, outcome=_declared(read.outcome))
    validate(plan)
    return plan


def plan_from_event(event: PlanCreated | PlanRevised, *, name: str = "plan") -> Plan:
    """Return the plan that the log keeps. Raises as `plan_from_json`."""
    value = {"goal": event.goal, "tasks": list(event.tasks), "outcome": event.outcome}
    return plan_from_json(value, plan_id=event.plan_id, name=name)


def _place(value: Any, where: Sequence[int | str]) -> str:
    """Name the place of a mistake as a reader of the file sees it: a task by its id, then the field."""
    if len(where) > 1 and where[0] == "tasks" and isinstance(where[1], int):
        task = value["tasks"][where[1]]
        task_id = task.get("id") if isinstance(task, Mapping) else None
        named = f"task {task_id!r}" if task_id else f"task number {where[1] + 1}"
        return ", ".join([named, *([f"field `{'.'.join(map(str, where[2:]))}`"] if where[2:] else [])])
    return f"field `{'.'.join(map(str, where))}`" if where else "the file"


def parse_plan(
    text: str, *, name: str = "plan file", read_rubric: Callable[[str], str] | None = None
) -> Plan:
    """Read a plan from the text of its file; its id derives from what it says.

    Args:
        text: YAML or JSON.
        name: what to call it in errors, usually its file name.
        read_rubric: returns the text of a rubric that an outcome names; None: rubrics stand in the plan.

    Raises:
        Malformed: not YAML or JSON, or see `plan_from_json`.
    """
    try:
        value = _parsed(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise Malformed(f"{name}, line {line}: {error.problem}", path=name, line=line) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Malformed(f"{name}: this cannot be read: {_why(error)}", path=name) from error
    try:
        value = _with_rubrics(value, read_rubric) if read_rubric is not None else value
        said = json.dumps(value, sort_keys=True)
        json.dumps(value, ensure_ascii=False).encode()  # half of a character is no text
    except (ValueError, RecursionError) as error:
        raise Malformed(f"{name}: this cannot be read: {_why(error)}", path=name) from error
    except TypeError as error:
        raise Malformed(
            f"{name}: only plain JSON values; put dates in quotes ({error})", path=name
        ) from error
    return plan_from_json(value, plan_id=derived_id("plan", said), name=name)


def _parsed(text: str) -> Any:
    """Read JSON as JSON, for it is fifteen times as quick; whatever is not quite JSON is read as YAML."""
    if text.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            return json.loads(text, parse_constant=_no_number)
    with suppress(yaml.YAMLError):
        return yaml.load(text, Loader=_LOADER)  # noqa: S506 - it is a safe one
    # The plain reader says better what is wrong.
    return yaml.safe_load(text)


def _no_number(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON value")


def _why(error: Exception) -> str:
    # What JSON says of a circle and Python of depth is one and the same to the writer of a plan.
    is_deep = isinstance(error, RecursionError) or "Circular" in str(error)
    return _TOO_ODD if is_deep else " ".join(str(error).split())


def _with_rubrics(value: Any, read: Callable[[str], str]) -> Any:
    """Put the text of each rubric in the place of its file's name: the log keeps what was graded by."""
    if not isinstance(value, Mapping):
        return value
    outcome, tasks = value.get("outcome"), value.get("tasks")
    found = dict(value)
    if isinstance(tasks, list):
        found["tasks"] = [_with_rubrics(task, read) for task in tasks]
    if isinstance(outcome, Mapping):
        rubric = outcome.get("rubric")
        if isinstance(rubric, str) and rubric.strip() and "\n" not in rubric.strip():
            found["outcome"] = {**outcome, "rubric": read(rubric.strip())}
    return found


def load_plan(path: Path) -> Plan:
    """Read a plan file.

    Raises:
        NotFound: there is no such file.
        Malformed: it is not text, or see `parse_plan`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, IsADirectoryError) as error:
        raise NotFound(f"no plan file {path}", path=str(path)) from error
    except UnicodeDecodeError as error:
        raise Malformed(f"{path}: not UTF-8 text ({error.reason})", path=str(path)) from error

    def read_rubric(file: str) -> str:
        place = path.parent / file
        if not place.resolve().is_relative_to(path.parent.resolve()):
            raise Malformed(f"{path}: the rubric {file} lies outside the plan's folder", path=str(path))
        try:
            return place.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise Malformed(f"{path}: the rubric {file} cannot be read: {error}", path=str(path)) from error

    return parse_plan(text, name=str(path), read_rubric=read_rubric)
