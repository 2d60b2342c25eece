"""Files are read as a stream, plain or gzipped, and what is wrong with them is named by line."""

from __future__ import annotations

import codecs
import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import InvalidInput, Malformed, NotFound
from nightschool.experiments.importers.reading import items, line_of_item, lines, starts_with

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def written(tmp_path: Path, data: bytes, name: str = "a.json") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress], ids=["plain", "gz"])
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8], ids=["", "bom"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_a_file_is_read_however_it_was_saved(squeeze: Any, mark: bytes, end: str, tmp_path: Path) -> None:
    rows = written(tmp_path, squeeze(mark + f'{{"a": 1}}{end}{end}[2]'.encode()))
    assert [(1, {"a": 1}), (3, [2])] == list(lines(rows))
    whole = written(tmp_path, squeeze(mark + f'[{end}{{"a": 1}},{end}2.5]'.encode()), "b.json")
    assert [{"a": 1}, 2.5] == list(items(whole, "item"))
    assert (b"[", 3) == (starts_with(whole), line_of_item(whole, "item", 1))


@given(st.lists(VALUES, max_size=6), st.integers(0, 2))
def test_items_are_what_stands_in_the_list_and_are_found_where_they_begin(
    tmp_path_factory: pytest.TempPathFactory, values: list[Any], indent: int
) -> None:
    text = json.dumps({"x": {"y": values}}, indent=indent or None)
    path = written(tmp_path_factory.mktemp("read"), text.encode())
    assert values == list(items(path, "x.y.item"))
    for number in range(len(values)):
        before = json.dumps({"x": {"y": [*values[:number], "HERE"]}}, indent=indent or None)
        assert line_of_item(path, "x.y.item", number) == before.partition('"HERE"')[0].count("\n") + 1


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"a": 1}\n{"a": \n', "line 2: not JSON"),
        (b'{"a": 1}\n\n"\xff"\n', "line 3: no UTF-8 at byte 2"),
        (b"[" * 100_000 + b"\n", "line 1: not JSON that can be read"),
        (gzip.compress(b'{"a": 1}\n' * 9_000, mtime=0)[:-20], "cut off or damaged as a gzipped file"),
        (gzip.compress(b"1\n" * 9, mtime=0)[:-8] + b"\0" * 8, "cut off or damaged as a gzipped file"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(data: bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(Malformed, match=said):
        list(lines(written(tmp_path, data)))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'[\n1,\n{"a": \n', "line 3: not JSON"),
        (b"[\n1,\n2\n", "line 3: not JSON"),
        (b'[\n1,\n"\xff"]', "line 3: not JSON"),
        (b"[1]\n]", "line 2: not JSON"),
        (b"[1,\n\n2 3]", "line 3: not JSON"),
        (b"", "line 1: not JSON"),
    ],
)
def test_where_a_list_stops_being_json_is_named(data: bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(Malformed, match=said):
        list(items(written(tmp_path, data), "item"))


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no file"):
        list(lines(tmp_path / "none"))
    with pytest.raises(InvalidInput, match="is a folder"):
        list(items(tmp_path, "item"))


def test_how_far_it_was_read_is_told_and_a_list_does_not_fill_memory(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps([{"a": "x" * 50_000} for _ in range(300)]).encode())
    told: list[tuple[int, int]] = []
    tracemalloc.start()
    assert 300 == sum(1 for _ in items(path, "item", lambda done, size: told.append((done, size))))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size = path.stat().st_size
    assert (size, size) == told[-1]
    assert sorted(told) == told
    assert peak < size / 5
