"""An agent as a Markdown file: front matter says who it is, the body is its system prompt.

---
name: reviewer
description: reads a contract against a playbook
tools: [list_sections, read_section, submit_findings]
---
You review contracts ...
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from nightschool.core.errors import Malformed, NotFound

__all__ = ["AgentFile", "load_agent", "parse_agent"]

_FENCE: Final = "---"
_KNOWN_FIELDS: Final = frozenset({"name", "description", "model", "tools", "version"})


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
    version: int = 1


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


def _text(fields: Mapping[str, Any], field: str, name: str) -> str:
    value = fields.get(field, "")
    if not isinstance(value, str):
        raise Malformed(f"{name}: field `{field}` must be text", path=name, field=field)
    return value


def _tools(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    tools = fields.get("tools", [])
    if not isinstance(tools, list) or not all(isinstance(tool, str) for tool in tools):
        raise Malformed(f"{name}: field `tools` must be a list of tool names", path=name, field="tools")
    return tuple(tools)


def parse_agent(text: str, *, name: str = "agent file") -> AgentFile:
    """Read an agent from the text of its file.

    Raises:
        Malformed: no front matter, an unknown field, a wrong type, or no name or body.
    """
    fields, body = _front_matter(text, name)
    unknown = sorted(set(fields) - _KNOWN_FIELDS)
    if unknown:
        known = ", ".join(sorted(_KNOWN_FIELDS))
        raise Malformed(
            f"{name}: unknown field `{unknown[0]}`; known fields: {known}", path=name, field=unknown[0]
        )
    if not _text(fields, "name", name) or not body:
        raise Malformed(f"{name}: an agent needs a `name` and a body (its system prompt)", path=name)
    version = fields.get("version", 1)
    if not isinstance(version, int):
        raise Malformed(f"{name}: field `version` must be a whole number", path=name, field="version")
    return AgentFile(
        name=fields["name"],
        system=body,
        description=_text(fields, "description", name),
        model=_text(fields, "model", name) or None,
        tools=_tools(fields, name),
        version=version,
    )


def load_agent(path: Path) -> AgentFile:
    """Read an agent file.

    Raises:
        NotFound: there is no such file.
        Malformed: see `parse_agent`.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"no agent file {path}", path=str(path)) from error
    return parse_agent(text, name=str(path))
