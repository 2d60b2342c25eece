"""An agent as a Markdown file: front matter says who it is, the body is its system prompt.

---
name: reviewer
description: reads a contract against a playbook
tools: [list_sections, read_section, submit_findings]
permissions: ["file:reviews/**"]
limits: {max_seconds: 300, max_attempts: 2}
context_limit_tokens: 32000
---
You review contracts ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from dataclasses import field as declared
from pathlib import Path
from typing import Any, Final

import yaml

from nightschool.core.errors import Malformed, NotFound

__all__ = ["AgentFile", "AgentLimits", "load_agent", "parse_agent"]

_FENCE: Final = "---"


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


_LIMITS: Final[Mapping[str, Callable[[object], bool]]] = {
    "max_seconds": lambda value: _is_amount(value) and value != 0,
    "max_attempts": _is_count,
    "max_model_calls": _is_count,
    "max_tokens": _is_count,
}


def _are_limits(value: object) -> bool:
    return isinstance(value, dict) and all(
        name in _LIMITS and _LIMITS[name](number) for name, number in value.items()
    )


_FIELDS: Final[Mapping[str, tuple[str, Callable[[object], bool]]]] = {
    "name": ("text", _is_text),
    "description": ("text", _is_text),
    "model": ("text", _is_text),
    "tools": ("a list of tool names", _is_list_of_text),
    "ask": ("a list of tool names", _is_list_of_text),
    "permissions": ("a list of what it may write, such as `file:out/**`", _is_list_of_text),
    "limits": (f"a mapping of {', '.join(_LIMITS)} to numbers above 0", _are_limits),
    "context_limit_tokens": ("a whole number above 0", _is_count),
    "price": ("a number, US dollars per million tokens", _is_amount),
    "version": ("a whole number", lambda value: isinstance(value, int)),
}
"""Field to what it holds, in words and as a check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLimits:
    """What one task may take of an agent; None: the run's own limit."""

    max_seconds: float | None = None
    max_attempts: int | None = None
    max_model_calls: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFile:
    """What an agent file declares."""

    name: str
    system: str
    """The body: the system prompt."""
    description: str = ""
    model: str | None = None
    """A model id, or None to take the run's."""
    tools: tuple[str, ...] = ()
    """Names of the tools it is allowed; a task's grant can only be narrower."""
    ask: tuple[str, ...] = ()
    """Those of its tools each call of which waits for a person's word."""
    permissions: tuple[str, ...] = ()
    """What it may write: file trees, tables, endpoints; a task's grant can only be narrower."""
    limits: AgentLimits = declared(default_factory=AgentLimits)
    context_limit_tokens: int | None = None
    """What it can read and write in one request; None: the run's limit."""
    price: float | None = None
    """US dollars per million tokens; None: its model's list price."""
    version: int = 1


def _malformed(text: str, name: str, field: str, reason: str) -> Malformed:
    """Return the error with the field's line, or the front matter's when the field is not there."""
    starts = (number for number, line in enumerate(text.splitlines(), 1) if line.startswith(f"{field}:"))
    line = next(starts, 1)
    message = f"{name}, line {line}: field `{field}`: {reason}"
    return Malformed(message, path=name, line=line, field=field)


def _front_matter(text: str, name: str) -> tuple[Mapping[str, Any], str]:
    lines = text.splitlines()
    if not lines or lines[0].strip() != _FENCE or _FENCE not in [line.strip() for line in lines[1:]]:
        raise Malformed(
            f"{name}, line 1: an agent file starts with front matter between two `---` lines", path=name
        )
    end = next(i for i, line in enumerate(lines[1:], 1) if line.strip() == _FENCE)
    try:
        fields = yaml.safe_load("\n".join(lines[1:end])) or {}
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise Malformed(f"{name}, line {line}: {error.problem}", path=name, line=line) from error
    if not isinstance(fields, dict):
        raise Malformed(f"{name}: front matter must be `field: value` lines", path=name)
    return fields, "\n".join(lines[end + 1 :]).strip()


def _check(text: str, fields: Mapping[str, Any], name: str) -> None:
    """Refuse a field that is unknown or of the wrong kind."""
    for field, value in fields.items():
        if field not in _FIELDS:
            known = ", ".join(sorted(_FIELDS))
            raise _malformed(text, name, str(field), f"unknown field; known: {known}")
        kind, fits = _FIELDS[field]
        if not fits(value):
            raise _malformed(text, name, field, f"must be {kind}")


def _asked(text: str, fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return the tools that ask; one that the agent has not would never ask, and so is a mistake."""
    asked = tuple(fields.get("ask", ()))
    if unknown := [tool for tool in asked if tool not in fields.get("tools", ())]:
        raise _malformed(text, name, "ask", f"{', '.join(unknown)} is not among the agent's tools")
    return asked


def parse_agent(text: str, *, name: str = "agent file") -> AgentFile:
    """Read an agent from the text of its file.

    Raises:
        Malformed: no front matter, an unknown field, a wrong type, or no name or body.
    """
    fields, body = _front_matter(text, name)
    _check(text, fields, name)
    if not fields.get("name") or not body:
        raise Malformed(f"{name}: an agent needs a `name` and a body (its system prompt)", path=name)
    return AgentFile(
        name=fields["name"],
        system=body,
        description=fields.get("description", ""),
        model=fields.get("model") or None,
        tools=tuple(fields.get("tools", ())),
        ask=_asked(text, fields, name),
        permissions=tuple(fields.get("permissions", ())),
        limits=AgentLimits(**fields.get("limits", {})),
        context_limit_tokens=fields.get("context_limit_tokens"),
        price=fields.get("price"),
        version=fields.get("version", 1),
    )


def load_agent(path: Path) -> AgentFile:
    """Read an agent file.

    Raises:
        NotFound: there is no such file.
        Malformed: it is not text, or see `parse_agent`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"no agent file {path}", path=str(path)) from error
    except UnicodeDecodeError as error:
        raise Malformed(f"{path}: not UTF-8 text ({error.reason})", path=str(path)) from error
    return parse_agent(text, name=str(path))
