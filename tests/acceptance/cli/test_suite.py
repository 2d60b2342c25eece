"""A suite of one's own, from nothing to a comparison."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def test_what_exists_is_not_written_over_and_names_are_plain(tmp_path: Path) -> None:
    command(tmp_path, "suite", "new", "deliveries")
    assert "exists already" in complaint(command(tmp_path, "suite", "new", "deliveries"))
    assert "cannot be a suite's name" in complaint(command(tmp_path, "suite", "new", "../x"))
