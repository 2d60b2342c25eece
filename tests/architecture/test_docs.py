"""The documentation keeps up with the code: generated pages are current, links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from docs import generate
from nightschool.bootstrap import connect_reader, open_workspace
from nightschool.cli.exits import Exit
from nightschool.cli.main import cli
from nightschool.core import errors
from nightschool.events.union import EVENT_TYPES
from nightschool.experiments.arms import load_arm
from nightschool.experiments.reviews import SETTINGS, setup_of
from nightschool.outcomes.playbook import policies_of
from nightschool.settings import VARIABLES, Settings
from tests.architecture.tree import PACKAGE, ROOT

DOCS = ROOT / "docs"
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROSE = sorted(path for path in [*DOCS.rglob("*.md"), *ROOT.glob("*.md")])
ERRORS: list[type[errors.NightschoolError]] = [
    kind for kind in map(vars(errors).get, errors.__all__) if isinstance(kind, type)
]
DECISION_PARTS = ("## Context", "## Decision", "## Consequences", "## What would change our mind")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", generate.PAGES)
def test_a_generated_page_is_what_the_code_says_now(page: str) -> None:
    """`make docs` writes them."""
    assert generate.PAGES[page]().rstrip("\n") + "\n" == (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("event_type", EVENT_TYPES)
def test_every_event_type_is_documented(event_type: str) -> None:
    assert f"### `{event_type}`\n" in (DOCS / "reference" / "events.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ERRORS)
def test_every_error_code_is_documented(kind: type[errors.NightschoolError]) -> None:
    assert f"| `{kind.code}` | `{kind.__name__}` |" in (DOCS / "reference" / "errors.md").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("variable", VARIABLES)
def test_every_setting_is_documented(variable: str) -> None:
    assert f"| `{variable}` |" in (DOCS / "reference" / "settings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted(context.command_path for context in generate.commands()))
def test_every_command_is_documented(path: str) -> None:
    assert f" `{path}`\n" in (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", Exit)
def test_every_exit_code_is_documented(code: Exit) -> None:
    decision = (DOCS / "decisions" / "0008-exit-codes.md").read_text(encoding="utf-8")

    assert f"\n| {int(code)} |" in decision
    assert f"\n{int(code)} " in (DOCS / "reference" / "errors.md").read_text(encoding="utf-8")


def test_no_two_errors_share_a_code() -> None:
    codes = [kind.code for kind in ERRORS]

    assert sorted(set(codes)) == sorted(codes)


def _example(language: str, beginning: str) -> str:
    """Return the example in the reference of files that begins like this."""
    page = (DOCS / "reference" / "files.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"^```{language}\n({re.escape(beginning)}.*?)^```", page, re.MULTILINE | re.DOTALL)
    return str(found)


def test_the_example_arm_and_agent_can_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "small-tasks.yaml").write_text(_example("yaml", "title:"), encoding="utf-8")
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "reviewer.md").write_text(_example("markdown", "---"), encoding="utf-8")

    arm = load_arm("small-tasks", [tmp_path])

    assert 1250 == setup_of(arm).granularity.words_per_task


def test_the_example_playbook_has_the_policy_it_shows() -> None:
    assert ["P01"] == [policy.id for policy in policies_of(_example("markdown", "# Playbook"))]


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_setting_of_an_arm_is_documented(setting: str) -> None:
    assert f"`{setting}`" in (DOCS / "reference" / "files.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PROSE, ids=_name)
def test_every_link_inside_the_repository_leads_to_a_file(path: Path) -> None:
    targets = LINK.findall(path.read_text(encoding="utf-8"))

    assert [] == [target for target in targets if not (path.parent / target).exists()]


@pytest.mark.parametrize("path", sorted((DOCS / "decisions").glob("[0-9]*.md")), ids=_name)
def test_a_decision_says_why_and_what_would_undo_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert [] == [part for part in DECISION_PARTS if f"\n{part}\n" not in text]


@pytest.mark.parametrize(
    "part",
    sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py")),
)
def test_every_part_of_the_product_is_in_the_glossary(part: str) -> None:
    assert f"| `{part}` |" in (DOCS / "glossary.md").read_text(encoding="utf-8")


def _command_lines() -> list[tuple[str, str]]:
    """Return every line of a code block that starts with the command's name, with the page it stands on."""
    return [
        (_name(path), line.strip())
        for path in PROSE
        if path.name != "cli.md"
        for text in BLOCK.findall(path.read_text(encoding="utf-8"))
        for line in text.splitlines()
        if line.strip().startswith("nightschool ")
    ]


@pytest.mark.parametrize(("page", "line"), _command_lines())
def test_every_command_that_a_page_shows_is_understood(page: str, line: str) -> None:
    """The subcommand exists and so does each option; nothing is run."""
    command: click.Command = cli
    context = click.Context(cli)
    options = _options(cli)
    for word in shlex.split(line)[1:]:
        if word.startswith("-"):
            assert word.split("=")[0] in options, f"{page}: {word}"
        elif isinstance(command, click.Group) and (child := command.get_command(context, word)) is not None:
            command, options = child, options | _options(child)

    assert command is not cli, f"{page}: no command in: {line}"


def _options(command: click.Command) -> set[str]:
    return {name for parameter in command.params for name in [*parameter.opts, *parameter.secondary_opts]}


def _questions() -> list[str]:
    """Return every SQL statement that a page shows, in a block of its own or on a command line."""
    blocks = [
        text
        for path in PROSE
        for text in re.findall(r"^```sql\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    ]
    lines = [shlex.split(line) for _, line in _command_lines()]
    return blocks + [words[words.index("sql") + 1] for words in lines if "sql" in words]


@pytest.fixture(scope="module")
def empty_folder(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A data folder in which nothing has happened yet."""
    settings = Settings(data_dir=tmp_path_factory.mktemp("data"))
    with open_workspace(settings) as workspace:
        workspace.warehouse.sync(workspace.journal)
    return settings


@pytest.mark.parametrize("question", _questions())
def test_every_question_that_a_page_asks_can_be_answered(question: str, empty_folder: Settings) -> None:
    with connect_reader(empty_folder) as reader:
        assert reader.query(question).columns


def _scripts() -> list[tuple[str, str]]:
    """Return every Python block that a page shows, with the page."""
    return [
        (_name(path), text)
        for path in PROSE
        for text in re.findall(r"^```python\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    ]


@pytest.mark.parametrize(("page", "script"), _scripts())
def test_every_script_that_a_page_shows_runs(
    page: str, script: str, empty_folder: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIGHTSCHOOL_DATA", str(empty_folder.data_dir))
    exec(compile(script, page, "exec"), {})  # noqa: S102 - the page is ours
