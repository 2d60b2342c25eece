from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import pytest

from nightschool.core.errors import Malformed, NotFound
from nightschool.experiments.arms import Routing, known_arms, load_arm
from nightschool.experiments.design import digest

SUBAGENTS: Final = """\
title: A lead with subagents
description: A lead splits the work and delegates.
routing: subagents
agents:
  lead: agents/lead.md
  subagent: agents/reviewer.md
max_parallel_agents: 5
settings: {sections_per_task: 8}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "arms" / "agents").mkdir(parents=True)
    (tmp_path / "arms" / "agents" / "lead.md").write_text("You lead.")
    (tmp_path / "arms" / "agents" / "reviewer.md").write_text("You review.")
    (tmp_path / "arms" / "subagents.yaml").write_text(SUBAGENTS)
    return tmp_path / "arms"


def test_a_definition_becomes_an_arm(folder: Path) -> None:
    arm = load_arm("subagents", [folder])
    assert ("subagents", Routing.SUBAGENTS, 5, 3, None) == (
        arm.name,
        arm.routing,
        arm.max_parallel_agents,
        arm.max_iterations,
        arm.context_limit_tokens,
    )
    assert folder / "agents" / "lead.md" == arm.agents["lead"]
    assert {"sections_per_task": 8} == arm.settings


def test_agents_may_lie_with_the_suite(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "suite" / "agents").mkdir(parents=True)
    (folder / "agents" / "lead.md").rename(tmp_path / "suite" / "agents" / "lead.md")
    arm = load_arm("subagents", [folder], agent_folders=[tmp_path / "suite"])
    assert tmp_path / "suite" / "agents" / "lead.md" == arm.agents["lead"]


def test_an_unknown_arm_lists_those_there_are(folder: Path) -> None:
    (folder / "single.yaml").write_text(SUBAGENTS)
    assert ["single", "subagents"] == known_arms([folder])
    with pytest.raises(NotFound, match="no arm `swarm`; there are: single, subagents"):
        load_arm("swarm", [folder])


def test_where_there_is_no_arm_at_all_the_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="none in"):
        load_arm("single", [tmp_path])


def test_the_first_folder_wins(folder: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "subagents.yaml").write_text(SUBAGENTS.replace("A lead with subagents", "Mine"))
    assert "Mine" == load_arm("subagents", [mine, folder], agent_folders=[folder]).title


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("routing: subagents", "routing: swarm", "line 3: field `routing`"),
        ("agents/lead.md", "agents/boss.md", "line 5: field `agents.lead`: no agent file"),
        ("max_parallel_agents: 5", "max_parallel_agents: 0", "line 7: field `max_parallel_agents`"),
        ("max_parallel_agents: 5", "max_parallel_agents: yes", "line 7: field `max_parallel_agents`"),
        ("max_parallel_agents: 5", "max_iterations: 21", "line 7: field `max_iterations`"),
        ("max_parallel_agents: 5", "parallel: 5", "line 7: field `parallel`: unknown field"),
        ("title: A lead with subagents\n", "", "field `title`: Field required"),
        ("title: A lead", "name: other\ntitle: A lead", "line 1: field `name`: `other` does not match"),
        ("sections_per_task: 8", "share: .nan", "line 8: field `settings`: only plain JSON values"),
        ("sections_per_task: 8", "since: 2026-01-01", "line 8: field `settings`: only plain JSON values"),
    ],
)
def test_a_wrong_definition_names_file_line_and_field(
    folder: Path, before: str, after: str, says: str
) -> None:
    path = folder / "subagents.yaml"
    path.write_text(SUBAGENTS.replace(before, after))
    with pytest.raises(Malformed) as caught:
        load_arm("subagents", [folder])
    assert str(caught.value).startswith(str(path))
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("subagents.yaml", SUBAGENTS.replace("max_parallel_agents: 5", "max_parallel_agents: 6")),
        ("subagents.yaml", SUBAGENTS.replace("sections_per_task: 8", "sections_per_task: 9")),
        ("agents/lead.md", "You lead well."),
    ],
)
def test_the_hash_follows_the_definition_and_its_agents(folder: Path, file: str, text: str) -> None:
    before = load_arm("subagents", [folder]).definition_hash
    (folder / file).write_text(text)
    assert before != load_arm("subagents", [folder]).definition_hash


def test_the_hash_does_not_follow_comments_or_the_folders_place(folder: Path, tmp_path: Path) -> None:
    before = load_arm("subagents", [folder]).definition_hash
    moved = folder.rename(tmp_path / "elsewhere")
    (moved / "subagents.yaml").write_text(f"# a comment\n{SUBAGENTS}")
    assert before == load_arm("subagents", [moved]).definition_hash


def test_an_arm_may_recall_from_a_store_and_one_without_keeps_its_hash(folder: Path) -> None:
    before = load_arm("subagents", [folder])
    (folder / "subagents.yaml").write_text(SUBAGENTS + "memory: house\ntop_k: 3\n")
    after = load_arm("subagents", [folder])

    assert after.definition_hash != before.definition_hash
    assert ((None, None), ("house", 3)) == ((before.memory, before.top_k), (after.memory, after.top_k))


def test_the_arms_that_come_along_hash_as_they_did_before_there_was_memory() -> None:
    evals = Path(__file__).resolve().parents[3] / "evals"
    text = (evals / "arms" / "single.yaml").read_text(encoding="utf-8")
    arm = load_arm("single", [evals / "arms"], agent_folders=[evals / "contracts"])
    fields = {
        "title": arm.title,
        "description": arm.description,
        "routing": "single",
        "context_limit_tokens": arm.context_limit_tokens,
        "max_parallel_agents": arm.max_parallel_agents,
        "max_iterations": arm.max_iterations,
        "settings": dict(arm.settings),
    }
    agents = {role: hashlib.sha256(path.read_bytes()).hexdigest() for role, path in arm.agents.items()}

    assert "memory" not in text
    assert digest([fields, agents]) == arm.definition_hash


def test_a_number_of_memories_without_a_store_is_refused(folder: Path) -> None:
    (folder / "subagents.yaml").write_text(SUBAGENTS + "top_k: 3\n")

    with pytest.raises(Malformed, match="no `memory` store"):
        load_arm("subagents", [folder])
