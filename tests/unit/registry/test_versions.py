from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nightschool.core.clock import FrozenClock
from nightschool.core.errors import Malformed, NotFound
from nightschool.journal.journal import Journal
from nightschool.journal.versions import Versioned, Versions
from nightschool.registry.versions import AgentRegistry

FIRST = "---\nname: reader\ntools: [read]\n---\nYou read.\n"
SECOND = FIRST.replace("You read.", "You read slowly.")


@pytest.fixture
def store(tmp_path: Path, clock: FrozenClock) -> Iterator[Versions]:
    journal = Journal.open(tmp_path / "journal.sqlite", clock=clock)
    yield Versions(journal=journal, clock=clock, scope="agents")
    journal.close()


def test_each_change_is_a_version_and_every_version_is_kept(store: Versions) -> None:
    registry = AgentRegistry(store)

    assert [1, 2] == [registry.apply(text).agent.version for text in (FIRST, SECOND)]
    assert "You read slowly." == registry.get("reader").agent.system
    assert FIRST == registry.get("reader", 1).text
    assert [2] == [each.agent.version for each in registry.latest()]


def test_the_same_text_again_changes_nothing(store: Versions) -> None:
    registry = AgentRegistry(store)
    registry.apply(FIRST)

    again = registry.apply(FIRST)

    assert (1, False) == (again.agent.version, again.is_new)


def test_names_that_begin_alike_are_different_agents(store: Versions) -> None:
    registry = AgentRegistry(store)
    registry.apply(FIRST)
    registry.apply(FIRST.replace("name: reader", "name: reader-2"))

    assert ["reader", "reader-2"] == [each.agent.name for each in registry.latest()]
    assert "reader" == registry.get("reader").agent.name


def test_two_who_apply_at_once_both_have_a_version(store: Versions) -> None:
    class Faster(Versions):
        """Somebody else's version gets in first, once."""

        def put(self, name: str, value: object, *, expected: int) -> Versioned:
            if store.get(name) is None and name.endswith("1"):
                store.put(name, SECOND, expected=0)
            return store.put(name, value, expected=expected)

    rival = Faster(journal=store.journal, clock=store.clock, scope=store.scope)

    assert 2 == AgentRegistry(rival).apply(FIRST).agent.version
    assert SECOND == AgentRegistry(store).get("reader", 1).text


def test_what_is_not_there_is_named(store: Versions) -> None:
    registry = AgentRegistry(store)
    with pytest.raises(NotFound, match="no agent 'ghost' in the registry; there are: none"):
        registry.get("ghost")
    registry.apply(FIRST)
    with pytest.raises(NotFound, match="versions 1 to 1, not 7"):
        registry.get("reader", 7)
    with pytest.raises(Malformed, match=r"mine\.md, line 1"):
        registry.apply("no front matter", name="mine.md")
