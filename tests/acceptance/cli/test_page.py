"""`nightschool report`: one file that says everything."""

from __future__ import annotations

import json
from pathlib import Path

from tests.acceptance.cli.command import complaint, here
from tests.acceptance.cli.conftest import Written


def test_an_experiment_becomes_one_page(written: Written, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    outcome = here("report", "LAST", "--out", str(out), data=written.data)
    assert (0, True) == (outcome.code, str(out) in outcome.out)
    html = out.read_text("utf-8")
    assert "Does blind do better than single on letters" in html
    assert ">worse<" in html
    assert "run letters --arms single,blind" in html


def test_a_place_that_cannot_be_written_is_said(written: Written, tmp_path: Path) -> None:
    outcome = here("report", "LAST", "--out", str(tmp_path / "none" / "page.html"), data=written.data)
    assert (5, True) == (outcome.code, "cannot be written" in complaint(outcome))


def test_what_stands_on_the_page_is_printed_as_json(written: Written) -> None:
    outcome = here("report", "LAST", "--json", data=written.data)
    told = json.loads(outcome.out)
    assert ("nightschool.examination/1", ["single"]) == (told["schema"], told["best"]["arms"])
    assert {"weakness", "severity", "text"} == set().union(*told["threats"])
