"""Results of promptfoo, as `promptfoo eval --output results.json` (or .jsonl) writes them.

    {"evalId": "eval-1", "results": {"version": 3, "results": [
        {"promptIdx": 0, "testIdx": 0, "provider": {"id": "openai:gpt-4o", "label": ""},
         "prompt": {"raw": "Review this.", "label": "review"}, "vars": {"doc": "..."},
         "response": {"output": "...", "tokenUsage": {"prompt": 90, "completion": 5}},
         "success": true, "score": 1, "namedScores": {}, "latencyMs": 812, "error": null}]}}

The list of results is read as a stream (ijson): a file of a gigabyte takes the memory of its largest result.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from nightschool.core.errors import Malformed
from nightschool.core.ids import derived_id
from nightschool.experiments.importers.imported import ImportedSession
from nightschool.experiments.importers.reading import OnRead, items, line_of_item, lines, malformed
from nightschool.experiments.importers.telling import Telling

__all__ = ["SOURCE", "parse"]

SOURCE: Final = "import:promptfoo"
"""The ``source`` of every session that comes from here."""

_RESULTS: Final = "results.results.item"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")


class _Provider(_Part):
    id: str
    label: str | None = None


class _Prompt(_Part):
    raw: str
    label: str = ""


class _Tokens(_Part):
    prompt: int = 0
    completion: int = 0
    cached: int = 0


class _Response(_Part):
    output: Any = None
    tokenUsage: _Tokens | None = None  # noqa: N815  # their name


class _Result(_Part):
    promptIdx: int  # noqa: N815  # their name
    testIdx: int  # noqa: N815  # their name
    provider: _Provider | str
    prompt: _Prompt
    response: _Response | None = None
    success: bool
    score: float
    namedScores: dict[str, float] = {}  # noqa: N815  # their name
    error: str | None = None

    @property
    def model(self) -> str:
        """The provider's id."""
        return self.provider if isinstance(self.provider, str) else self.provider.id


def parse(path: Path, *, on_read: OnRead | None = None) -> Iterator[ImportedSession]:
    """Yield the file's sessions, one result at a time.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it is a folder, or cannot be read.
        Malformed: it breaks the format; names file, line and field.
    """
    seen: dict[tuple[Any, ...], int] = {}
    for number, (line, fields) in enumerate(_records(path, on_read)):
        result = _checked(path, number, line, fields)
        key = (result.model, result.promptIdx, result.testIdx)
        repeat = seen[key] = seen.get(key, -1) + 1
        yield _session(path, result, repeat)


def _records(path: Path, on_read: OnRead | None) -> Iterator[tuple[int | None, Any]]:
    """Yield results with the line each begins on, where that is known without looking again."""
    if ".jsonl" in path.suffixes:
        yield from lines(path, on_read)
        return
    found = False
    for fields in items(path, _RESULTS, on_read):
        found = True
        yield None, fields
    if not found:
        raise Malformed(f"{path}: no list at `results.results`; not a file of promptfoo's results")


def _checked(path: Path, number: int, line: int | None, fields: Any) -> _Result:
    try:
        return _Result.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "result"
        at = line_of_item(path, _RESULTS, number) if line is None else line
        raise malformed(path, at, f"result {number}, `{where}`: {first['msg']}", field=where) from error


def _session(path: Path, result: _Result, repeat: int) -> ImportedSession:
    key = (result.model, result.promptIdx, result.testIdx, repeat, result.prompt.raw)
    telling = Telling(derived_id("session", SOURCE, path.stem, *map(str, key)), result.model)
    telling.create(
        model=result.model,
        title=f"{result.prompt.label or f'prompt {result.promptIdx}'}, test {result.testIdx}",
        metadata={
            "source": SOURCE,
            "suite": f"promptfoo/{path.stem}",
            "sample_id": str(result.testIdx),
            "epoch": str(repeat),
            "arm": f"{result.model}/{result.promptIdx}",
        },
    )
    telling.user(result.prompt.raw)
    if result.response is not None and result.response.output is not None:
        output = result.response.output
        telling.answer(output if isinstance(output, str) else json.dumps(output, ensure_ascii=False))
        used = result.response.tokenUsage
        if used is not None:
            telling.used(input_tokens=used.prompt, output_tokens=used.completion, cached_tokens=used.cached)
    telling.judged(result.score, "score")
    for name, value in result.namedScores.items():
        telling.judged(value, name)
    return telling.end("error" if result.error and result.response is None else "end_turn")
