"""A suite of one's own, from nothing to a comparison."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nightschool.experiments.suite import load_suite
from tests.acceptance.cli.command import ROOT, Outcome, complaint, here


def command(folder: Path, *arguments: str) -> Outcome:
    suites = f"{folder / 'suites'}:{ROOT / 'evals'}"
    return here(*arguments, data=folder / "data", NIGHTSCHOOL_SUITES=suites)


def test_a_new_suite_works_as_it_is(tmp_path: Path) -> None:
    made = command(tmp_path, "suite", "new", "deliveries")
    assert (0, True) == (made.code, (tmp_path / "suites" / "deliveries" / "suite.py").is_file())
    checked = command(tmp_path, "suite", "check", "deliveries")
    assert (0, True) == (checked.code, "deliveries is fit to compare arms on" in checked.out), checked
    run = command(tmp_path, "run", "deliveries", "--arms", "single", "--repeats", "1")
    assert (0, True) == (run.code, "8 documents" in run.out)


@pytest.mark.parametrize("name", ["contracts", "drafting", "files", "ledger", "memory", "orchestration"])
def test_the_suites_that_ship_are_fit(name: str, tmp_path: Path) -> None:
    outcome = command(tmp_path, "suite", "check", name)
    assert 0 == outcome.code, outcome.out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("seed}|{epoch}", "seed}", "FAIL repeats draw anew"),
        ('random.Random(f"{sample_id}|{seed}|{epoch}")', "random.Random()", "FAIL draws are repeatable"),
        (
            "accuracy=2 * len(flagged & gold) / (len(flagged) + len(gold))",
            "accuracy=2.0",
            "score() returned accuracy",
        ),
        ('random.Random(f"{sample_id}|{seed}")', "random.Random(1 / 0)", "line"),
        (
            'document = "\\n".join(["# Delivery note\\n", *body])',
            "document = str(world.random())",
            "FAIL documents can be read by section",
        ),
        ('gold=broken, facts={"pages": 1', 'gold=broken, facts={"pages": object()', "FAIL facts are plain"),
        ("import random", "import random\n\nraise SystemExit", "cannot be loaded: SystemExit"),
        ("gold=broken, ", "", "missing 1 required keyword-only argument: 'gold'"),
    ],
)
def test_a_suite_that_is_not_fit_is_told_why(old: str, new: str, said: str, tmp_path: Path) -> None:
    command(tmp_path, "suite", "new", "deliveries")
    module = tmp_path / "suites" / "deliveries" / "suite.py"
    text = module.read_text("utf-8")
    assert old in text
    module.write_text(text.replace(old, new), "utf-8")
    outcome = command(tmp_path, "suite", "check", "deliveries")
    assert 5 == outcome.code
    assert said in outcome.out + outcome.err


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "suite.yaml",
            "metric: accuracy",
            "metric: beauty",
            "FAIL primary metric: `beauty` was never scored",
        ),
        ("suite.yaml", "note-1, note-2", "note-1, note-1", "names note-1 more than once"),
        ("playbook.md", "## P02", "## P01", "FAIL playbook: given more than once: P01"),
    ],
)
def test_a_declaration_that_is_not_fit_is_told_why(
    file: str, old: str, new: str, said: str, tmp_path: Path
) -> None:
    command(tmp_path, "suite", "new", "deliveries")
    path = tmp_path / "suites" / "deliveries" / file
    assert old in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")
    outcome = command(tmp_path, "suite", "check", "deliveries")
    assert 5 == outcome.code
    assert said in outcome.out + outcome.err


def test_what_exists_is_not_written_over_and_names_are_plain(tmp_path: Path) -> None:
    command(tmp_path, "suite", "new", "deliveries")
    assert "exists already" in complaint(command(tmp_path, "suite", "new", "deliveries"))
    assert "cannot be a suite's name" in complaint(command(tmp_path, "suite", "new", "../x"))


def lines(path: Path, *cases: object) -> str:
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), "utf-8")
    return str(path)


CASES = [{"id": f"q{n}", "input": f"What is {n} plus {n}?", "target": str(2 * n)} for n in range(1, 8)]


def test_a_suite_is_made_of_cases_and_a_rubric_of_one_s_own(tmp_path: Path) -> None:
    (tmp_path / "r.md").write_text("# Rubric: sums\n\n## Accuracy (0.8)\n\n- The sum is right.\n", "utf-8")
    cases = lines(tmp_path / "cases.jsonl", *CASES)
    made = command(tmp_path, "suite", "new", "sums", "--from", cases, "--rubric", str(tmp_path / "r.md"))
    assert 0 == made.code, made.err
    checked = command(tmp_path, "suite", "check", "sums")
    assert (0, True) == (checked.code, "every repeat is the same document" in checked.out), checked.out
    suite = load_suite("sums", [tmp_path / "suites"])
    drawn = suite.module.draw("q3", 0, 0)
    scores = [suite.module.score(drawn.gold, {"answer": said}, drawn.document) for said in (" 6 ", "7")]
    assert [1.0, 0.0] == [each.accuracy for each in scores]
    assert {"accuracy": 0.8} == suite.weights


@pytest.mark.parametrize("brain", ["reader", "simulated"])
def test_a_brain_that_makes_nothing_is_refused_before_anything_runs(brain: str, tmp_path: Path) -> None:
    command(tmp_path, "suite", "new", "sums", "--from", lines(tmp_path / "cases.jsonl", *CASES))
    run = command(tmp_path, "run", "sums", "--arms", "single", "--brain", brain)
    assert "take a" in complaint(run)
    assert "0 of" not in run.out


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ([*CASES, {"id": "q1", "input": "again", "target": "1"}], "line 8: the id `q1` stands on line 1"),
        ([{"input": "no target"}], "line 1: `target`"),
        ([CASES[0], "text"], "line 2: `case`"),
        ([], "there is no case in the file"),
    ],
)
def test_a_case_that_cannot_be_one_is_named_and_nothing_is_written(
    cases: list[object], said: str, tmp_path: Path
) -> None:
    made = command(tmp_path, "suite", "new", "sums", "--from", lines(tmp_path / "cases.jsonl", *cases))
    assert said in complaint(made)
    assert not (tmp_path / "suites" / "sums").exists()
