from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from nightschool.core.errors import Malformed, NotFound
from nightschool.experiments.suite import folder_hash, known_suites, load_suite

DECLARATION: Final = """\
title: Sums
primary_metric: accuracy
lower_is_better: [slips]
rubric: rubric.md
reference: {tokens_per_page: 800, seconds_per_page: 0.5}
terms: [1, 2, 3]
"""
MODULE: Final = """\
from dataclasses import dataclass, field

from .arithmetic import add


@dataclass(frozen=True)
class Sample:
    id: str
    facts: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Draw:
    document: str
    gold: int
    facts: dict


@dataclass(frozen=True)
class Marks:
    accuracy: float
    completeness: float = 1.0
    format: float = 1.0
    metrics: dict = field(default_factory=dict)


def samples(config):
    return [Sample(f"s{term}") for term in config["terms"]]


def draw(sample_id, epoch, seed):
    return Draw(f"What is {sample_id[1:]} + {epoch}?", add(int(sample_id[1:]), epoch), {"pages": 1})


def playbook_text():
    return "Add."


def score(gold, answer, document):
    return Marks(float(answer.get("sum") == gold))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    suite = tmp_path / "sums"
    suite.mkdir()
    (suite / "suite.yaml").write_text(DECLARATION)
    (suite / "suite.py").write_text(MODULE)
    (suite / "rubric.md").write_text("# Rubric: sums\n## Format (0.5)\n")
    (suite / "arithmetic.py").write_text("def add(a, b):\n    return a + b\n")
    return tmp_path


def test_a_suite_is_loaded_with_its_module_and_the_files_beside_it(folder: Path) -> None:
    suite = load_suite("sums", [folder])
    assert ("Sums", "accuracy", ("slips",), {"format": 0.5}) == (
        suite.title,
        suite.primary_metric,
        suite.lower_is_better,
        suite.weights,
    )
    assert suite.reference is not None
    assert (800, None) == (suite.reference.tokens_per_page, suite.reference.tool_calls_per_page)
    assert ["s1", "s2", "s3"] == [sample.id for sample in suite.module.samples(suite.config)]
    drawn = suite.module.draw("s2", 1, 0)
    assert 1.0 == suite.module.score(drawn.gold, {"sum": 3}, drawn.document).accuracy


def test_an_unknown_suite_lists_those_there_are(folder: Path) -> None:
    assert ["sums"] == known_suites([folder])
    with pytest.raises(NotFound, match="no suite `products`; there are: sums"):
        load_suite("products", [folder])


@pytest.mark.parametrize("name", ["", ".", "sums/../sums"])
def test_a_name_that_is_a_path_is_no_suite(folder: Path, name: str) -> None:
    with pytest.raises((NotFound, Malformed)):
        load_suite(name, [folder])


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("primary_metric: accuracy\n", "", "suite.yaml, line 1: field `primary_metric`: Field required"),
        ("rubric: rubric.md", "rubric: gone.md", "suite.yaml, line 4: field `rubric`: no file"),
        ("tokens_per_page: 800", "tokens_per_page: 0", "line 5: field `reference.tokens_per_page`"),
        ("tokens_per_page: 800", "tokens: 800", "line 5: field `reference.tokens`"),
        ("title: Sums", "title: [Sums", "suite.yaml, line 2"),
        ("title: Sums", "name: other", "line 1: field `name`: `other` does not match"),
        ("title: Sums", "module: gone.py", "line 1: field `module`: no file"),
    ],
)
def test_a_wrong_declaration_names_file_line_and_field(
    folder: Path, before: str, after: str, says: str
) -> None:
    path = folder / "sums" / "suite.yaml"
    path.write_text(DECLARATION.replace(before, after))
    with pytest.raises(Malformed) as caught:
        load_suite("sums", [folder])
    assert says in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("module", "says"),
    [
        (MODULE.replace("def score(", "def scores("), "missing function score"),
        ("samples = 3\n", "missing function samples, draw, playbook_text, score"),
        (f"{MODULE}\n1 / 0\n", f"suite.py, line {MODULE.count(chr(10)) + 2}: .*ZeroDivisionError"),
        ("def samples(:\n", "suite.py, line 1: .*SyntaxError"),
        ("import no_such_package\n", "suite.py, line 1: .*no_such_package"),
    ],
)
def test_a_module_that_cannot_be_used_is_reported_with_its_line(folder: Path, module: str, says: str) -> None:
    (folder / "sums" / "suite.py").write_text(module)
    with pytest.raises(Malformed, match=says):
        load_suite("sums", [folder])


def test_a_changed_suite_is_loaded_anew_and_an_unchanged_one_is_not(folder: Path) -> None:
    first = load_suite("sums", [folder])
    assert first.module is load_suite("sums", [folder]).module
    (folder / "sums" / "arithmetic.py").write_text("def add(a, b):\n    return a + b + 1\n")
    second = load_suite("sums", [folder])
    assert (2, 3) == (first.module.draw("s1", 1, 0).gold, second.module.draw("s1", 1, 0).gold)
    assert first.content_hash != second.content_hash


def test_the_hash_ignores_caches_and_hidden_files_and_the_folders_place(folder: Path) -> None:
    before = folder_hash(folder / "sums")
    (folder / "sums" / "__pycache__").mkdir(exist_ok=True)
    (folder / "sums" / "__pycache__" / "suite.pyc").write_bytes(b"x")
    (folder / "sums" / ".notes").write_text("x")
    assert before == folder_hash((folder / "sums").rename(folder / "moved"))


def test_the_hash_is_that_of_the_work_and_not_of_who_does_it(folder: Path) -> None:
    """So that an arm can be compared with its former self."""
    before = folder_hash(folder / "sums")
    (folder / "sums" / "agents").mkdir()
    (folder / "sums" / "agents" / "adder.md").write_text("---\nname: adder\n---\nAdd.")
    assert before == folder_hash(folder / "sums")


def test_the_hash_follows_names_as_well_as_contents(folder: Path) -> None:
    before = folder_hash(folder / "sums")
    (folder / "sums" / "arithmetic.py").rename(folder / "sums" / "sums.py")
    assert before != folder_hash(folder / "sums")


def test_a_rubric_may_be_yaml(folder: Path) -> None:
    (folder / "sums" / "suite.yaml").write_text(DECLARATION.replace("rubric.md", "rubric.yaml"))
    (folder / "sums" / "rubric.yaml").write_text(
        "title: sums\ndimensions: [{name: format, weight: 0.25, checks: [schema]}]\n"
    )
    suite = load_suite("sums", [folder])

    assert {"format": 0.25} == suite.weights
    assert suite.rubric is not None
    assert {"format": ("schema",)} == suite.rubric.checks


@pytest.mark.parametrize(
    "declared", ["grader_sd: {accuracy: .nan}", "grader_sd: {beauty: 0.1}", "grader_sd: {format: -1}"]
)
def test_a_graders_deviation_that_cannot_be_is_refused(folder: Path, declared: str) -> None:
    (folder / "sums" / "suite.yaml").write_text(f"{DECLARATION}{declared}\n")

    with pytest.raises(Malformed, match="line 7: field `grader_sd"):
        load_suite("sums", [folder])
