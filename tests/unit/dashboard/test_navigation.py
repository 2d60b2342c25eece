"""The pages by name."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from nightschool.dashboard.navigation import PAGES

QUICK = ["compare", "costs", "home", "live", "runs", "session", "settings", "sql"]


def test_every_page_has_an_address_of_its_own() -> None:
    paths = [entry.path for entry in PAGES]

    assert sorted(set(paths)) == sorted(paths)
    assert set(QUICK) <= set(paths)


@pytest.mark.parametrize("page", QUICK)
def test_a_page_begins_without_the_libraries_that_take_seconds_to_import(page: str) -> None:
    heavy = ("scipy", "sklearn", "anthropic", "onnxruntime", "pandas")
    code = f"import json, sys, nightschool.dashboard.pages.{page}"
    code += f"; print(json.dumps([name for name in {heavy!r} if name in sys.modules]))"

    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert [] == json.loads(loaded.stdout)
