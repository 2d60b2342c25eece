from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tests.acceptance.cli.command import complaint, here

TEXT = "---\nname: clerk\ntools: [read]\npermissions: ['file:out/**']\n---\nYou are a clerk.\n"


def test_agents_are_applied_listed_and_shown_by_version(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "clerk.md"
    file.write_text(TEXT, encoding="utf-8")

    assert "clerk version 1\n" == here("agents", "apply", str(file), data=data).out
    assert "clerk version 1, unchanged\n" == here("agents", "apply", str(file), data=data).out
    file.write_text(TEXT.replace("a clerk", "a careful clerk"), encoding="utf-8")
    assert "clerk version 2\n" == here("agents", "apply", str(file), data=data).out

    listed = here("agents", "list", data=data).out
    assert "clerk" in listed
    assert "file:out/**" in listed
    assert TEXT == here("agents", "show", "clerk", "--version", "1", data=data).out
    assert "a careful clerk" in here("agents", "show", "clerk", data=data).out


def test_a_file_that_is_no_agent_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "bad.md"
    file.write_text("---\nname: a\nlimits: fast\n---\nx", encoding="utf-8")

    refused = here("agents", "apply", str(file), data=tmp_path / "data")

    assert 5 == refused.code
    assert "bad.md, line 3: field `limits`" in complaint(refused)
    assert "no agent file" in complaint(here("agents", "apply", str(tmp_path / "ghost.md"), data=tmp_path))


def test_an_agent_that_is_not_there_is_named(tmp_path: Path) -> None:
    here("agents", "apply", str(_file(tmp_path)), data=tmp_path / "data")

    refused = here("agents", "show", "ghost", data=tmp_path / "data")

    assert 5 == refused.code
    assert "no agent 'ghost' in the registry; there are: clerk" in complaint(refused)


def _file(folder: Path) -> Path:
    (folder / "clerk.md").write_text(TEXT, encoding="utf-8")
    return folder / "clerk.md"


def test_every_version_is_an_event_with_the_hash_of_its_text(tmp_path: Path) -> None:
    data, file = tmp_path / "data", _file(tmp_path)
    here("agents", "apply", str(file), data=data)
    here("agents", "apply", str(file), data=data)
    file.write_text(TEXT + "Be brief.\n", encoding="utf-8")
    here("agents", "apply", str(file), data=data)

    question = (
        "SELECT content, event ->> '$.digest' AS digest FROM v1_events WHERE type = 'registry.agent_applied'"
    )
    rows = json.loads(here("sql", question, "--format", "json", data=data).out)

    texts = (TEXT, TEXT + "Be brief.\n")
    assert [
        {"content": f"clerk version {n}", "digest": hashlib.sha256(text.encode()).hexdigest()}
        for n, text in enumerate(texts, 1)
    ] == rows


def test_the_registry_speaks_json(tmp_path: Path) -> None:
    data = tmp_path / "data"

    applied = json.loads(here("agents", "apply", str(_file(tmp_path)), "--json", data=data).out)
    listed = json.loads(here("agents", "list", "--json", data=data).out)
    shown = json.loads(here("agents", "show", "clerk", "--json", data=data).out)

    assert [("clerk", 1, True)] == [(each["name"], each["version"], each["is_new"]) for each in applied]
    assert ["file:out/**"] == listed[0]["permissions"]
    assert TEXT == shown["text"]


def test_one_bad_file_among_several_leaves_nothing_applied(tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_text("---\nname: bad\n---\n", encoding="utf-8")

    refused = here("agents", "apply", str(_file(tmp_path)), str(tmp_path / "bad.md"), data=tmp_path / "data")

    assert 5 == refused.code
    assert [] == json.loads(here("agents", "list", "--json", data=tmp_path / "data").out)
