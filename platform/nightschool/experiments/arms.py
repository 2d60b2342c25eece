"""Arms: the ways of working that an experiment compares, as files people can read and change.

    # evals/arms/subagents.yaml
    title: A lead with subagents
    description: A lead splits the work, delegates, and keeps the results in its own context.
    routing: subagents
    agents: {lead: agents/lead.md, subagent: agents/reviewer.md}
    max_parallel_agents: 5

Knows nothing about how a routing works: it reads what is declared and hashes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from nightschool.core.errors import NotFound
from nightschool.experiments.design import digest
from nightschool.experiments.yaml_file import fail_at, read_yaml
from nightschool.outcomes.tiers import Tier

__all__ = ["Arm", "Routing", "known_arms", "load_arm"]


class Routing(StrEnum):
    """Who does the work."""

    SINGLE = "single"
    """One agent in one context."""
    SUBAGENTS = "subagents"
    """A lead that delegates and keeps the results in its own context."""
    ORCHESTRATED = "orchestrated"
    """A plan of tasks over a pool of agents, graded and merged outside any context."""
    INDEPENDENT = "independent"
    """Several agents each do all of it and none sees another's work; for suites of plans."""
    CENTRALIZED = "centralized"
    """An orchestrator hands out a plan's tasks and checks every result; for suites of plans."""
    DECENTRALIZED = "decentralized"
    """Peers do each task, exchange what they found and do it again; for suites of plans."""
    HYBRID = "hybrid"
    """Peers exchange and the orchestrator checks; for suites of plans."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One way of working, as declared."""

    name: str
    """The file's name without its ending."""
    title: str
    description: str
    """What differs from the other arms, for the reader of a report."""
    routing: Routing
    agents: Mapping[str, Path]
    """Role to agent file, resolved."""
    context_limit_tokens: int | None
    """None: the run's own limit."""
    max_parallel_agents: int
    max_iterations: int
    """How often a result may be graded and revised; 1 is no revision."""
    settings: Mapping[str, Any]
    """Whatever else the routing understands."""
    definition_hash: str
    """Over all of the above and the text of the agent files."""
    path: Path
    """The file; what is found wrong with it later is reported with its place."""
    memory: str | None = None
    """The memory store its agents are given memories from; None for none."""
    top_k: int | None = None
    """At most so many memories for a task; None: as many as the task's size calls for."""
    loop_tier: Tier | None = None
    """What the grader inside asks for before it lets a result stand; None: the strictest."""


Text = Annotated[str, Field(min_length=1)]


class _ArmFile(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: Text | None = None
    title: Text
    description: Text
    routing: Annotated[Routing, Field(strict=False)]
    agents: Annotated[dict[str, Text], Field(min_length=1)]
    context_limit_tokens: int | None = Field(default=None, ge=1_000)
    max_parallel_agents: int = Field(default=20, ge=1)
    max_iterations: int = Field(default=3, ge=1, le=20)
    settings: dict[str, Any] = Field(default_factory=dict)
    memory: Text | None = None
    top_k: int | None = Field(default=None, ge=1, le=50)
    loop_tier: Annotated[Tier | None, Field(strict=False)] = None


def known_arms(folders: Sequence[Path]) -> list[str]:
    """Return the names of the arms defined in these folders."""
    return sorted({path.stem for folder in folders for path in folder.glob("*.yaml")})


def load_arm(name: str, folders: Sequence[Path], *, agent_folders: Sequence[Path] = ()) -> Arm:
    """Read an arm's definition.

    Args:
        name: the file's name without `.yaml`.
        folders: where definitions lie; the first that has the name wins.
        agent_folders: where agent files are looked for after the definition's own folder (the suite's).

    Raises:
        NotFound: no such arm; names those there are.
        Malformed: a field is missing, unknown or wrong, or an agent file does not exist.
    """
    path = next((path for folder in folders if (path := folder / f"{name}.yaml").is_file()), None)
    if path is None:
        known = known_arms(folders)
        there_are = ", ".join(known) if known else f"none in {', '.join(map(str, folders)) or 'no folder'}"
        raise NotFound(f"no arm `{name}`; there are: {there_are}", name=name, known=known)
    declared = read_yaml(path, _ArmFile)
    if declared.name not in (None, name):
        fail_at(path, ("name",), f"`{declared.name}` does not match the file's name `{name}`")
    if declared.top_k is not None and declared.memory is None:
        fail_at(path, ("top_k",), "says how many memories are recalled, but no `memory` store is named")
    agents = {
        role: _agent_path(path, role, file, agent_folders) for role, file in sorted(declared.agents.items())
    }
    return Arm(
        name=name,
        title=declared.title,
        description=declared.description,
        routing=declared.routing,
        agents=agents,
        context_limit_tokens=declared.context_limit_tokens,
        max_parallel_agents=declared.max_parallel_agents,
        max_iterations=declared.max_iterations,
        settings=declared.settings,
        memory=declared.memory,
        top_k=declared.top_k,
        loop_tier=declared.loop_tier,
        definition_hash=_definition_hash(path, declared, agents),
        path=path,
    )


def _agent_path(path: Path, role: str, file: str, agent_folders: Sequence[Path]) -> Path:
    places = [folder / file for folder in (path.parent, *agent_folders)]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        fail_at(path, ("agents", role), f"no agent file {' or '.join(map(str, places))}")
    return found


def _definition_hash(path: Path, declared: _ArmFile, agents: Mapping[str, Path]) -> str:
    texts = {role: hashlib.sha256(file.read_bytes()).hexdigest() for role, file in agents.items()}
    # What came later and is absent is left out: an arm written before it keeps its hash.
    absent = {name for name in ("loop_tier", "memory", "top_k") if getattr(declared, name) is None}
    try:
        return digest([declared.model_dump(exclude={"name", "agents"} | absent), texts])
    except (TypeError, ValueError):
        fail_at(path, ("settings",), "only plain JSON values: no dates, no NaN, no infinity")
