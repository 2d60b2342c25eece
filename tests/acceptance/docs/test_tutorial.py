"""The tutorial's commands, in its order, in an empty data folder; and the site of all pages."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.cli.command import ROOT, here

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]

TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
LINES = [
    line
    for block in re.findall(r"^```console\n(.*?)^```", TUTORIAL, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]


def test_what_the_tutorial_types_works_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = []
    for line in LINES:
        outcome = here(*shlex.split(line)[1:], data=tmp_path / "data")
        assert 0 == outcome.code, f"{line}\n{outcome.err}"
        told.append(outcome.out)

    assert 7 == len(LINES)
    assert "cannot be told apart" in told[1] or "better" in told[1] or "worse" in told[1]
    assert "orchestrated" in told[2]
    assert 2 == len(re.findall(r"^\s*exp_", told[5], re.MULTILINE))
    assert (tmp_path / "claim.html").stat().st_size > 10_000


def test_the_pages_make_a_site_without_a_broken_link_and_fetch_nothing_from_elsewhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path)]
    environment = dict(os.environ, NO_MKDOCS_2_WARNING="1")
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)

    assert 0 == built.returncode, built.stderr
    pages = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.html")]
    assert len(pages) > 25
    fetched = re.compile(r'<(?:script|img)[^>]+src="https?:|<link[^>]+stylesheet[^>]+href="https?:')
    assert [] == [found for page in pages for found in fetched.findall(page)]
