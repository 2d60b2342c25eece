"""Reads files of other systems as a stream: lines of JSON, or the items of one long list, plain or gzipped.

Never holds more than one record. What is wrong is named by line: where a file breaks off or is no UTF-8, and
where a record begins that does not follow its format. Knows nothing about formats.
"""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import ijson

from nightschool.core.errors import InvalidInput, Malformed, NotFound

__all__ = ["OnRead", "items", "line_of_item", "lines", "malformed", "opened", "require_file", "starts_with"]

OnRead = Callable[[int, int], None]
"""Told how many bytes of how many have been read; of a gzipped file, the bytes on disk."""

_GZIP: Final = b"\x1f\x8b"
_CHUNK: Final = 1 << 16
_LONGEST_LINE: Final = 1 << 28
_INSIDE: Final = ("end_array", "end_map", "map_key")
"""Events at the place of an item that do not begin one."""


def require_file(path: Path) -> None:
    """Refuse what is no file.

    Raises:
        NotFound: there is nothing.
        InvalidInput: it is a folder.
    """
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder; name one file", path=str(path))
    if not path.is_file():
        raise NotFound(f"there is no file {path}", path=str(path))


def malformed(path: Path, line: int, reason: str, **details: Any) -> Malformed:
    """Return the error that names a line."""
    return Malformed(f"{path}, line {line}: {reason}", path=str(path), line=line, **details)


class _Watched:
    """A file that says how far it has been read, without the mark that some editors put before UTF-8."""

    def __init__(self, file: BinaryIO, raw: BinaryIO, size: int, on_read: OnRead | None) -> None:
        self._file, self._raw, self._size, self._on_read = file, raw, size, on_read
        self._is_begun = False

    def read(self, size: int = -1) -> bytes:
        """Read bytes."""
        return self._seen(self._file.read(size))

    def readline(self, size: int = -1) -> bytes:
        """Read to the end of the line, at most so many bytes."""
        return self._seen(self._file.readline(size))

    def _seen(self, data: bytes) -> bytes:
        if self._on_read is not None:
            self._on_read(self._raw.tell(), self._size)
        if self._is_begun or not data:
            return data
        self._is_begun = True
        return data.removeprefix(codecs.BOM_UTF8)


@contextmanager
def opened(path: Path, on_read: OnRead | None = None) -> Iterator[_Watched]:
    """Open a file for reading, gzipped or not.

    Raises:
        NotFound, InvalidInput: as `require_file`.
        Malformed: it is cut off or damaged as a gzipped file.
    """
    require_file(path)
    try:
        with path.open("rb") as raw:
            is_gzip = raw.read(2) == _GZIP
            raw.seek(0)
            size = path.stat().st_size
            if not is_gzip:
                yield _Watched(raw, raw, size, on_read)
                return
            with gzip.open(raw) as file:
                yield _Watched(file, raw, size, on_read)  # type: ignore[arg-type]  # reads as any file does
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Malformed(f"{path}: cut off or damaged as a gzipped file: {error}", path=str(path)) from error
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error}", path=str(path)) from error


def starts_with(path: Path) -> bytes:
    """Return the first byte of a file that is no white space; none of an empty one."""
    with opened(path) as file:
        while data := file.read(_CHUNK):
            if found := data.lstrip():
                return found[:1]
    return b""


def lines(path: Path, on_read: OnRead | None = None) -> Iterator[tuple[int, Any]]:
    """Yield the value on each line that is not blank, with the line's number.

    Raises:
        Malformed: a line is no JSON, no UTF-8 or too long; names it.
    """
    with opened(path, on_read) as file:
        number = 0
        while data := file.readline(_LONGEST_LINE):
            number += 1
            if len(data) == _LONGEST_LINE and not data.endswith(b"\n"):
                raise malformed(path, number, f"longer than {_LONGEST_LINE:,} bytes")
            if not data.isspace():
                yield number, _value(path, number, data)


def _value(path: Path, number: int, data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise malformed(path, number, f"no UTF-8 at byte {error.start + 1} of the line") from error
    except RecursionError as error:
        raise malformed(path, number, "not JSON that can be read: nested too deep") from error
    except ValueError as error:
        raise malformed(path, number, f"not JSON: {error}") from error


def items(path: Path, prefix: str, on_read: OnRead | None = None) -> Iterator[Any]:
    """Yield the items of the list that lies at a place (ijson's way to say it), one at a time.

    Raises:
        Malformed: the file breaks off, or is no JSON or UTF-8; names the line.
    """
    with opened(path, on_read) as file:
        try:
            yield from ijson.items(file, prefix, buf_size=_CHUNK, use_float=True)
        except (ijson.JSONError, UnicodeDecodeError, RecursionError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise malformed(path, _located(path, prefix, None), f"not JSON: {reason}") from error


def line_of_item(path: Path, prefix: str, number: int) -> int:
    """Return the line on which an item (from 0) begins. Reads the file again up to there."""
    return _located(path, prefix, number)


def _located(path: Path, prefix: str, wanted: int | None) -> int:
    """Return the line on which an item begins, or, without one, on which the file stops being JSON."""
    told: Any = ijson.sendable_list()
    parser = ijson.parse_coro(told, use_float=True)
    line, begun, is_over = 1, -1, False
    with opened(path) as file:
        try:
            while data := file.readline(_CHUNK):
                line += is_over
                is_over = data.endswith(b"\n")
                parser.send(data)
                for place, event, _ in told:
                    begun += place == prefix and event not in _INSIDE
                    if begun == wanted:
                        return line
                told.clear()
            parser.close()
        except (ijson.JSONError, UnicodeDecodeError, RecursionError):
            return line
    return line
