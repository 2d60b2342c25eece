"""The views' comments against the views."""

from __future__ import annotations

from pathlib import Path

import pytest

from nightschool.core.errors import Malformed
from nightschool.warehouse import reference, schema
from nightschool.warehouse.reference import describe_views, sql_page


def test_every_view_file_is_a_view_and_every_view_has_a_file() -> None:
    folder = Path(schema.__file__).parent / "views"
    assert sorted(schema.VIEWS) == sorted(path.stem for path in folder.glob("*.sql"))


def test_every_view_says_its_grain_its_key_and_every_column() -> None:
    pages = describe_views()
    assert list(schema.VIEWS) == [page.name for page in pages]
    assert all(page.grain and page.key and page.meaning for page in pages)
    assert all(column.meaning for page in pages for column in page.columns)


def test_numbers_have_units() -> None:
    units = {"tokens": "(tokens)", "_ms": "(milliseconds)", "_seconds": "(seconds)", "_usd": "(US dollars)"}
    missing = [
        f"{page.name}.{column.name}"
        for page in describe_views()
        for column in page.columns
        for ending, unit in units.items()
        if column.name.endswith(ending) and unit not in column.meaning
    ]
    assert [] == missing


def test_a_comment_that_names_another_column_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = schema.view_sql("v1_events").replace("--   seq:", "--   sequence:")
    monkeypatch.setattr(
        reference, "view_sql", lambda name: wrong if name == "v1_events" else schema.view_sql(name)
    )
    with pytest.raises(Malformed, match=r"views/v1_events\.sql: comment and view differ in seq, sequence"):
        describe_views()


def test_the_page_has_a_section_per_view() -> None:
    page = sql_page()
    assert all(f"\n## {name}\n" in page for name in schema.VIEWS)


def test_the_page_tells_of_the_promised_functions() -> None:
    page = sql_page()
    for name in ("wilson_interval", "paired_difference", "clustered_mean"):
        assert f"### `{name}(" in page
    assert "_polynomial" not in page
