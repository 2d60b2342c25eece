"""Logs of Inspect AI: a zip with one JSON file per sample and epoch, compressed with Zstandard.

    header.json                  what was evaluated: task, model, run
    samples/c0_epoch_1.json      {"id": "c0", "epoch": 1, "messages": [...], "scores": {...}, ...}

Samples are read one at a time: a log of a gigabyte takes the memory of its largest sample. Scores C, I, P and
N count 1, 0, 0.5 and 0, as Inspect itself counts them; each scorer's score becomes feedback on the session.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO, Final

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nightschool.core.errors import InvalidInput, Malformed
from nightschool.core.ids import derived_id
from nightschool.experiments.importers.imported import ImportedSession
from nightschool.experiments.importers.reading import OnRead, require_file
from nightschool.experiments.importers.telling import Telling

__all__ = ["SOURCE", "parse"]

SOURCE: Final = "import:inspect"
"""The ``source`` of every session that comes from here."""

_ZSTANDARD: Final = 93
_LETTERS: Final = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_LOCAL_HEADER: Final = 30
_LARGEST: Final = 1 << 30
"""A larger sample is not read: it would not fit into memory."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")


class _Call(_Part):
    id: str
    function: str
    arguments: dict[str, Any] = {}


class _Message(_Part):
    role: str
    content: str | list[dict[str, Any]] = ""
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None
    error: Any = None


class _Usage(_Part):
    input_tokens: int = 0
    output_tokens: int = 0
    input_tokens_cache_read: int | None = None


class _Score(_Part):
    value: Any = None
    explanation: str | None = None


class _Sample(_Part):
    id: int | str
    epoch: int = Field(ge=1)
    messages: list[_Message] = []
    scores: dict[str, _Score] | None = None
    model_usage: dict[str, _Usage] = {}
    error: Any = None
    uuid: str | None = None


class _Eval(_Part):
    task: str
    model: str
    run_id: str = ""
    eval_id: str = ""


class _Header(_Part):
    eval: _Eval


def parse(path: Path, *, on_read: OnRead | None = None) -> Iterator[ImportedSession]:
    """Yield the log's sessions, one sample at a time.

    Raises:
        NotFound: there is no such file.
        Malformed: not a log of this kind, cut off, or a sample breaks the format; names the entry.
    """
    require_file(path)
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as error:
        raise Malformed(f"{path}: not an .eval log, or cut off ({error})", path=str(path)) from error
    with closing(archive), path.open("rb") as file:
        entries = {entry.filename: entry for entry in archive.infolist()}
        name = next((each for each in ("header.json", "_journal/start.json") if each in entries), None)
        if name is None:
            raise Malformed(f"{path}: no header.json; not an .eval log", path=str(path))
        header = _checked(path, name, _Header, _read(path, file, entries[name]))
        for entry in entries.values():
            if entry.filename.startswith("samples/") and entry.filename.endswith(".json"):
                fields = _read(path, file, entry)
                if on_read is not None:
                    on_read(file.tell(), path.stat().st_size)
                yield _session(
                    path, _checked(path, entry.filename, _Sample, fields), header.eval, entry.filename
                )


def _read(path: Path, file: BinaryIO, entry: zipfile.ZipInfo) -> Any:
    """Return an entry's JSON; the standard library of this Python does not know Zstandard."""
    if entry.file_size > _LARGEST:
        where = f"{path}: entry `{entry.filename}`"
        raise Malformed(f"{where} is larger than {_LARGEST:,} bytes", path=str(path), entry=entry.filename)
    file.seek(entry.header_offset)
    head = file.read(_LOCAL_HEADER)
    try:
        name_length, extra_length = struct.unpack("<HH", head[26:30])
        file.seek(name_length + extra_length, 1)
        raw = file.read(entry.compress_size)
        return json.loads(_whole(_unpacked(raw, entry.compress_type), entry))
    except (struct.error, zlib.error, pa.ArrowException, OSError, ValueError, RecursionError) as error:
        where = f"{path}: entry `{entry.filename}`"
        raise Malformed(f"{where} cannot be read: {error}", path=str(path), entry=entry.filename) from error


def _whole(data: bytes, entry: zipfile.ZipInfo) -> bytes:
    if zlib.crc32(data) != entry.CRC:
        raise ValueError("its checksum is wrong")
    return data


def _unpacked(raw: bytes, kind: int) -> bytes:
    if kind == zipfile.ZIP_STORED:
        return raw
    if kind == _ZSTANDARD:
        data: bytes = pa.CompressedInputStream(pa.BufferReader(raw), "zstd").read()
        return data
    if kind == zipfile.ZIP_DEFLATED:
        return zlib.decompress(raw, -zlib.MAX_WBITS)
    raise InvalidInput(f"compression {kind} is not known")


def _checked(path: Path, name: str, kind: type[Any], fields: Any) -> Any:
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = f"{path}: entry `{name}`, `{where}`: {first['msg']}"
        raise Malformed(message, path=str(path), entry=name, field=where) from error


def _session(path: Path, sample: _Sample, evaluated: _Eval, entry: str) -> ImportedSession:
    key = (evaluated.eval_id or evaluated.run_id, evaluated.task, str(sample.id), sample.epoch)
    telling = Telling(derived_id("session", SOURCE, *map(str, key)), f"inspect-{evaluated.task}")
    telling.create(
        model=evaluated.model,
        title=f"{evaluated.task} sample {sample.id}, epoch {sample.epoch}",
        metadata={
            "source": SOURCE,
            "suite": f"inspect/{evaluated.task}",
            "sample_id": str(sample.id),
            "epoch": str(sample.epoch - 1),
            "run_id": evaluated.run_id,
        },
    )
    for index, message in enumerate(sample.messages):
        _tell(telling, message, f"{path}: entry `{entry}`, `messages.{index}`")
    for usage in sample.model_usage.values():
        telling.used(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cached_tokens=usage.input_tokens_cache_read or 0,
        )
    for scorer, score in (sample.scores or {}).items():
        value = _number(score.value)
        if value is not None:
            telling.judged(value, scorer)
    return telling.end("error" if sample.error else "end_turn")


def _tell(telling: Telling, message: _Message, where: str) -> None:
    words = _words(message.content)
    match message.role:
        case "system":
            telling.system(words)
        case "user":
            telling.user(words)
        case "assistant":
            if words:
                telling.answer(words)
            for call in message.tool_calls or ():
                telling.call(call.id, call.function, call.arguments)
        case "tool":
            if not telling.result(message.tool_call_id or "", words, is_error=message.error is not None):
                raise Malformed(f"{where}: answers `{message.tool_call_id}`, which was not called before")
        case _:
            raise Malformed(f"{where}: role `{message.role}` is not known")


def _words(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in content if "text" in part)


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return _LETTERS.get(value)
    return float(value) if isinstance(value, int | float) else None
