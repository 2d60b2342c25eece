from __future__ import annotations

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
