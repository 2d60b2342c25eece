from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from nightschool.core.errors import Malformed
from nightschool.experiments.yaml_file import fail_at, read_yaml


class Inner(BaseModel):
    size: int


class Declaration(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str
    parts: list[Inner] = []
    sizes: dict[str, int] = {}


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "thing.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_sound_file_becomes_the_model(tmp_path: Path) -> None:
    path = write(tmp_path, "title: A thing\nparts:\n- size: 3\n")
    assert Declaration(title="A thing", parts=[Inner(size=3)]) == read_yaml(path, Declaration)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("title: A\nparts: [1, 2\nsizes: {}\n", 3, "line 3"),
        ("title: A\n\tparts: 1\n", 2, "line 2"),
        ("title: A\nparts:\n- size: 1\n- size: many\n", 4, "field `parts.1.size`"),
        ("title: A\nsizes:\n  small: 1\n  large: x\n", 4, "field `sizes.large`"),
        ("title: A\n\ncolour: red\n", 3, "field `colour`: unknown field; known: parts, sizes, title"),
        ("parts: []\n", 1, "field `title`: Field required"),
        ("title: A\nparts:\n- {}\n", 3, "field `parts.0.size`: Field required"),
        ("title: A\nparts: []\ntitle: B\n", 3, "field `title` is given twice"),
        ("title: !!python/object:os.system x\n", 1, "could not determine a constructor"),
    ],
)
def test_a_mistake_is_reported_with_file_line_and_field(
    tmp_path: Path, text: str, line: int, says: str
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(Malformed) as caught:
        read_yaml(path, Declaration)
    assert str(caught.value).startswith(f"{path}, line {line}")
    assert says in str(caught.value)
    assert line == caught.value.details["line"]


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "just text\n"])
def test_a_file_without_fields_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(Malformed, match="expected `field: value` lines"):
        read_yaml(write(tmp_path, text), Declaration)


def test_bytes_that_are_not_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Malformed, match="not UTF-8 text"):
        read_yaml(write(tmp_path, b"title: \xff\xfe\n"), Declaration)


def test_a_field_found_wrong_later_is_reported_at_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, "title: A\nsizes:\n  small: 1\n")
    with pytest.raises(Malformed, match=r"line 3: field `sizes.small`: too small"):
        fail_at(path, ("sizes", "small"), "too small")
