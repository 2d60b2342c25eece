"""One's own document: Markdown and plain text, every arm, and files that cannot be reviewed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.cli.command import Outcome, complaint, here

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]

_MARKDOWN = """# Services Agreement

## 1 Definitions

"Charges" means what the Customer pays.

## 2 Liability

### 2.1 Limitation

The total liability of the Supplier is limited to the charges of three (3) months.

## 3 Counterparts

This agreement may be signed in counterparts.
"""
_PLAIN = """SERVICES AGREEMENT

1 Definitions

"Charges" means what the Customer pays.

2 Liability

2.1 Limitation

The total liability of the Supplier is limited to the charges of three (3) months.

3 Counterparts

This agreement may be signed in counterparts.
"""
_HEAD = "# A\n\n## 1 Definitions\n\nWords mean what they say.\n\n## 2 Records\n\n"
_LONG = _HEAD + "The Supplier keeps records of every case.\n\n" * 5_000
_PLAYBOOK = """# Playbook
We review as the Customer.

## P01 Liability cap
Clause: limitation of the Supplier's liability
Required: yes
Position: The Supplier may limit its liability, but not below twelve months of charges.
Acceptable: "The Supplier is liable up to the sum of eighteen monthly charges."
Not acceptable: "The Supplier is liable for no more than two monthly charges."
Limit: at least 12 months

## P02 Insurance
Clause: insurance of the Supplier
Required: yes
Position: The Supplier is insured.
Acceptable: "The Supplier keeps an insurance."
Not acceptable: "The Supplier need not be insured."
"""


def _review(document: Path, *more: str) -> Outcome:
    playbook = document.with_name("playbook.md")
    playbook.write_text(_PLAYBOOK)
    arguments = (str(document), "--playbook", str(playbook), *more)
    return here("review", *arguments, data=document.parent / "data")


def _positions(outcome: Outcome) -> dict[str, dict[str, Any]]:
    return {position["policy"]: position for position in json.loads(outcome.out)["positions"]}


@pytest.mark.parametrize(
    ("name", "text", "arm"),
    [
        ("contract.md", _MARKDOWN, "single"),
        ("contract.md", _MARKDOWN, "subagents"),
        ("contract.md", _MARKDOWN, "orchestrated"),
        ("contract.txt", _PLAIN, "orchestrated"),
        ("windows.md", "\ufeff" + _MARKDOWN.replace("\n", "\r\n"), "single"),
    ],
    ids=["single", "subagents", "orchestrated", "plain text", "windows"],
)
def test_a_contract_gets_a_position_on_each_policy(name: str, text: str, arm: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(text.encode())
    outcome = _review(tmp_path / name, "--arm", arm, "--json")
    found = _positions(outcome)

    assert 0 == outcome.code, outcome.err
    assert ("violation", "2.1") == (found["P01"]["position"], found["P01"]["section"])
    assert "three (3) months" in found["P01"]["quote"]
    assert ("missing", None) == (found["P02"]["position"], found["P02"]["quote"])


def test_findings_come_first_and_the_review_can_be_looked_at(tmp_path: Path) -> None:
    (tmp_path / "contract.md").write_text(_MARKDOWN)
    outcome = _review(tmp_path / "contract.md")
    row = next(line for line in outcome.out.splitlines() if line.strip().startswith("P01"))
    session = next(word for word in outcome.out.split() if word.startswith("sesn_"))
    question = f"SELECT source, title FROM v1_sessions WHERE session_id = '{session}'"
    (stored,) = json.loads(here("sql", question, "--format", "json", data=tmp_path / "data").out)

    assert "P01 Liability cap" in row and "violation" in row and "2.1" in row
    assert ("review", "Review of Services Agreement") == (stored["source"], stored["title"])
    assert "plan.created" in here("trace", session, data=tmp_path / "data").out


def test_brackets_of_a_draft_are_shown_as_they_stand(tmp_path: Path) -> None:
    text = _MARKDOWN.replace("limited to", "limited [/] to [the sum of]")
    text = text.replace("the Supplier", "[Supplier]")
    (tmp_path / "draft.md").write_text(text)
    outcome = _review(tmp_path / "draft.md", "--arm", "single")

    assert 0 == outcome.code
    assert "[Supplier]" in outcome.out and "limited [/] to [the sum of]" in " ".join(outcome.out.split())


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("scan.pdf", b"%PDF-1.7\n\xff\xfe\x00\x01", "scan.pdf is not UTF-8 text (byte 9)"),
        ("empty.md", b"", "empty.md: no section headings found"),
        ("story.txt", b"Once upon a time.\n", "story.txt: no section headings found; use Markdown headings"),
    ],
)
def test_a_file_that_is_no_contract_is_refused(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    outcome = _review(tmp_path / name)

    assert 5 == outcome.code
    assert said in complaint(outcome)
    assert "" == outcome.out


def test_a_folder_is_not_a_document(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    outcome = _review(tmp_path / "folder")

    assert 5 == outcome.code
    assert "folder is a folder; name one document" in complaint(outcome)


def test_a_playbook_without_policies_is_refused(tmp_path: Path) -> None:
    (tmp_path / "contract.md").write_text(_MARKDOWN)
    contract = str(tmp_path / "contract.md")
    outcome = here("review", contract, "--playbook", contract, data=tmp_path / "data")

    assert 5 == outcome.code
    assert "no policy found; start each with a heading such as" in complaint(outcome)


@pytest.mark.parametrize("arm", ["single", "subagents"])
def test_a_document_over_the_limit_is_refused_with_what_to_do(arm: str, tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text(_LONG)
    outcome = _review(tmp_path / "long.md", "--arm", arm)

    assert 5 == outcome.code
    assert "it reads at most 32000. Split the document's longest section" in complaint(outcome)


def test_a_part_over_the_limit_is_named_and_nothing_is_called_missing(tmp_path: Path) -> None:
    """Nobody read the longest section: what is not found elsewhere may stand there."""
    (tmp_path / "long.md").write_text(_LONG)
    outcome = _review(tmp_path / "long.md", "--arm", "orchestrated", "--json")
    answer = json.loads(outcome.out)
    reason = here("trace", answer["session_id"], "--full", data=tmp_path / "data").out

    assert 0 == outcome.code
    assert ["Section 2 Records"] == answer["failed"]
    assert "missing" not in {position["position"] for position in answer["positions"]}
    assert "it reads at most 32000" in reason


def test_the_tier_is_inferred_with_its_confidence_and_recorded_with_the_verdict(tmp_path: Path) -> None:
    path = tmp_path / "contract.md"
    path.write_text(_MARKDOWN, encoding="utf-8")
    data = tmp_path / "data"
    told = here("review", str(path), data=data)
    asked = json.loads(here("review", str(path), "--tier", "lenient", "--json", data=data).out)
    question = (
        "SELECT DISTINCT tier, tier_reason, tier_confidence > 0.6 FROM v1_verdicts"
        " WHERE source = 'outcome' ORDER BY tier"
    )
    rows = here("sql", question, "--format", "csv", data=data).out.splitlines()[1:]

    assert "tier strict · law (" in told.out
    assert ("lenient", "as asked", None) == tuple(
        asked[name] for name in ("tier", "tier_reason", "tier_confidence")
    )
    assert ["lenient,as asked,", rows[1]] == rows
    assert rows[1].startswith("strict,law (")
    assert rows[1].endswith(",true")
