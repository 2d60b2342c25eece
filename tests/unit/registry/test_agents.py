from __future__ import annotations

from pathlib import Path

import pytest

from nightschool.core.errors import Malformed, NotFound
from nightschool.registry.agents import load_agent, parse_agent

TEXT = "---\nname: reviewer\ntools: [read_section]\n---\nYou review.\n"


def test_front_matter_is_the_agent_and_the_body_its_system_prompt() -> None:
    agent = parse_agent(TEXT)

    assert ("reviewer", ("read_section",), "You review.") == (agent.name, agent.tools, agent.system)


def test_permissions_limits_and_price_are_declared_in_front_matter() -> None:
    agent = parse_agent(
        "---\nname: a\npermissions: ['file:out/**']\nlimits: {max_seconds: 5, max_attempts: 3}\n"
        "context_limit_tokens: 8000\nprice: 0.5\n---\nx"
    )

    assert ("file:out/**",) == agent.permissions
    assert (5, 3, None) == (
        agent.limits.max_seconds,
        agent.limits.max_attempts,
        agent.limits.max_model_calls,
    )
    assert (8000, 0.5) == (agent.context_limit_tokens, agent.price)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("You review.", "line 1: an agent file starts with front matter"),
        ("---\nname: [\n---\nx", "agent file, line"),
        ("---\nname: a\ncolour: red\n---\nx", "line 3: field `colour`: unknown field; known: "),
        ("---\nname: a\ntools: read\n---\nx", "line 3: field `tools`: must be a list"),
        ("---\nname: a\n---\n", "needs a `name` and a body"),
        ("---\n- a\n---\nx", "front matter must be"),
        ("---\nname: a\npermissions: out\n---\nx", "line 3: field `permissions`: must be a list of what"),
        ("---\nname: a\nlimits: {max_attempts: 0}\n---\nx", "line 3: field `limits`: must be a mapping"),
        ("---\nname: a\nlimits: {speed: 3}\n---\nx", "line 3: field `limits`: must be a mapping"),
        ("---\nname: a\ncontext_limit_tokens: -1\n---\nx", "line 3: field `context_limit_tokens`"),
        ("---\nname: a\nprice: cheap\n---\nx", "line 3: field `price`: must be a number"),
        ("---\nname: a\nversion: new\n---\nx", "line 3: field `version`: must be a whole number"),
    ],
)
def test_a_malformed_file_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(Malformed, match=message):
        parse_agent(text)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no agent file .*ghost\.md"):
        load_agent(tmp_path / "ghost.md")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "agent.md").write_bytes(b"---\nname: \xff\n---\nx")

    with pytest.raises(Malformed, match=r"agent\.md: not UTF-8 text"):
        load_agent(tmp_path / "agent.md")
