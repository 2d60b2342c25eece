"""Files of five formats, written and read back. Whatever is handed in is read without harm, or is no file.

Knows nothing about tasks.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import yaml

__all__ = ["MOST_CHARACTERS", "Unreadable", "read_file", "write_file"]

MOST_CHARACTERS: Final = 200_000
_NUMBER: Final = re.compile(r"-?\d{1,15}(\.\d{1,6})?")


class Unreadable(ValueError):
    """A text is not a file of its format."""


class _PlainLoader(yaml.SafeLoader):
    """YAML without anchors, with which a few lines can stand for billions."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise Unreadable("aliases are not read")
        return super().compose_node(parent, index)


# A date stays the text it was written as, as in every other format.
_PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in known if tag != "tag:yaml.org,2002:timestamp"]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_file(kind: str, text: str) -> Any:
    """Return what a file holds.

    Raises:
        Unreadable: it is no such file, or so long or so nested that it is not read.
    """
    if len(text) > MOST_CHARACTERS:
        raise Unreadable(f"longer than {MOST_CHARACTERS:,} characters")
    try:
        return _finite(_READERS[kind](text))
    except Unreadable:
        raise
    except RecursionError as error:
        raise Unreadable("nested too deep") from error
    except (ValueError, yaml.YAMLError, csv.Error) as error:
        raise Unreadable(" ".join(str(error).split())) from error


def write_file(kind: str, content: Any) -> str:
    """Return a content as a file of a format."""
    text: str = _WRITERS[kind](content)
    return text


def _read_csv(text: str) -> list[dict[str, Any]]:
    rows = csv.DictReader(io.StringIO(text), strict=True)
    found = []
    for row in rows:
        if None in row or None in row.values():
            raise Unreadable(f"line {rows.line_num}: not as many fields as the header has")
        found.append({name: _cell(value) for name, value in row.items()})
    return found


def _cell(text: str) -> Any:
    if not _NUMBER.fullmatch(text):
        return text
    return float(text) if "." in text else int(text)


def _read_lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _read_yaml(text: str) -> Any:
    return yaml.load(text, _PlainLoader)  # noqa: S506 - a safe loader that knows even less


def _finite(value: Any) -> Any:
    """Return a value of plain data; what JSON cannot hold is none."""
    if isinstance(value, float) and not math.isfinite(value):
        raise Unreadable("a number that is none")
    if isinstance(value, Mapping):
        return {str(name): _finite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _write_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _write_toml(content: Mapping[str, Any]) -> str:
    top = [f"{name} = {json.dumps(value)}" for name, value in content.items() if name != "rows"]
    rows = [
        "\n".join(["[[rows]]", *(f"{name} = {json.dumps(value)}" for name, value in row.items())])
        for row in content["rows"]
    ]
    return "\n\n".join(["\n".join(top), *rows] if top else rows) + "\n"


_READERS: Final[Mapping[str, Any]] = {
    "csv": _read_csv,
    "json": json.loads,
    "jsonl": _read_lines,
    "toml": tomllib.loads,
    "yaml": _read_yaml,
}
_WRITERS: Final[Mapping[str, Any]] = {
    "csv": _write_csv,
    "json": lambda content: json.dumps(content, indent=2) + "\n",
    "jsonl": lambda rows: "".join(json.dumps(row) + "\n" for row in rows),
    "toml": _write_toml,
    "yaml": lambda content: yaml.safe_dump(content, sort_keys=False, default_style=None),
}
