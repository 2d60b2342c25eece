"""What the data card and the README say of the suite is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from evals.contracts.decoys import decoy_count
from evals.contracts.generate import WORDS_PER_PAGE, pages_of
from evals.contracts.library import library
from evals.contracts.playbook import policies

ROOT = Path(__file__).resolve().parents[4]
CARD = " ".join((ROOT / "data" / "cards" / "contracts.md").read_text(encoding="utf-8").split())
SUITE = ROOT / "evals" / "contracts"


def test_the_card_counts_the_library_rightly() -> None:
    kinds = library().clause_types.values()
    wordings = {(w.clause, w.support) for kind in kinds for found in kind.wordings.values() for w in found}

    assert f"{len(policies())} policies" in CARD
    assert f"{sum(policy.limit is not None for policy in policies())} decided by a quantity" in CARD
    assert f"{sum(policy.required for policy in policies())} concern clauses" in CARD
    assert f"{len(kinds)} kinds of clause with {len(wordings)} distinct wordings" in CARD
    assert f"{sum(len(kind.companions) for kind in kinds)} neutral paragraphs" in CARD
    assert f"{sum(len(kind.decoys) for kind in kinds)} decoys" in CARD


def test_the_card_counts_the_filler_rightly() -> None:
    paragraphs = sum(len(topic.paragraphs) for topic in library().topics)

    assert f"{paragraphs} paragraphs on {len(library().topics)} subjects" in CARD
    assert f"{len(library().definitions)} definitions that decide nothing" in CARD


def test_the_card_knows_the_size_of_the_suite() -> None:
    samples = yaml.safe_load((SUITE / "suite.yaml").read_text(encoding="utf-8"))["samples"]
    pages = sum(pages_of(sample) for sample in samples)

    assert f"{len(samples)} samples of 5 to 30 pages ({pages:,} pages" in CARD
    assert pages * WORDS_PER_PAGE == pytest.approx(107_000, rel=0.02)


def test_the_readme_counts_decoys_rightly() -> None:
    readme = (SUITE / "README.md").read_text(encoding="utf-8")
    said = re.search(r"(\d+) in 5 pages, (\d+) in 20, (\d+) in 200", readme)

    assert said is not None
    assert [decoy_count(pages) for pages in (5, 20, 200)] == [int(count) for count in said.groups()]


def test_the_readme_names_every_file_of_the_suite() -> None:
    readme = (SUITE / "README.md").read_text(encoding="utf-8")
    files = [path.name for path in SUITE.iterdir() if path.is_file() and path.name != "README.md"]

    assert [] == [name for name in files if name not in readme]
