"""What the module of a suite is made of: import it in a suite of your own.

    from nightschool.experiments.suite_parts import Drawn, SampleSpec, Score, listed_samples

A suite may as well bring classes of its own that have these fields. Knows nothing about any suite's content,
and nothing about arms or models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from nightschool.core.errors import Malformed

__all__ = [
    "Drawn",
    "Quotable",
    "SampleSpec",
    "Score",
    "file_in",
    "listed_samples",
    "positions_of",
    "sections_of",
]

_HEADING: Final = re.compile(r"(?m)^#{2,6} (?P<number>\d+(?:\.\d+)*) (?P<title>.+)$")
_TYPOGRAPHY: Final = str.maketrans(
    {"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'", "\u2013": "-", "\u00a0": " "}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSpec:
    """A sample before it is drawn."""

    id: str
    """Its name, the same in every experiment."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What is known beforehand: `level`, `pages`, `source` (samples of one source are not independent)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One draw of a sample."""

    document: str
    """What an arm meets; Markdown whose sections begin with `## 1 Title`."""
    gold: Any
    """The truth, for the suite's own `score` only: it is part of no request to a model."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What results are broken down by, as plain JSON values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How good an answer is, each from 0 to 1, and what else was counted."""

    accuracy: float
    completeness: float
    format: float
    metrics: Mapping[str, float] = field(default_factory=dict)
    """In the suite's own units; leave out what the sample does not have."""


def listed_samples(
    config: Mapping[str, Any], facts_of: Callable[[str], Mapping[str, Any]], *, example: str
) -> list[SampleSpec]:
    """Return the samples that `samples` in suite.yaml lists.

    Args:
        config: the contents of suite.yaml.
        facts_of: sample id to what is known of it; refuses an id that has no valid form.
        example: a valid id, for whoever wrote something else.

    Raises:
        Malformed: `samples` is not a list of names, is empty, or names one twice.
    """
    ids = config.get("samples")
    if not isinstance(ids, list) or not ids or not all(isinstance(each, str | int) for each in ids):
        raise Malformed(
            f"suite.yaml: the field `samples` must be a list of ids such as {example}", field="samples"
        )
    names = [str(each) for each in ids]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Malformed(f"suite.yaml: `samples` names {', '.join(twice)} more than once", field="samples")
    return [SampleSpec(id=name, facts=facts_of(name)) for name in names]


def positions_of(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the positions of a review, `{"positions": [{...}, ...]}`; whatever else it holds is none."""
    given = answer.get("positions")
    return [item for item in given if isinstance(item, dict)] if isinstance(given, list) else []


def sections_of(document: str) -> dict[str, str]:
    """Split a document into the text of each section, by number, headings left out."""
    headings = list(_HEADING.finditer(document))
    ends = [heading.start() for heading in headings[1:]] + [len(document)]
    return {
        heading["number"]: document[heading.end() : end].strip()
        for heading, end in zip(headings, ends, strict=False)
    }


def file_in(answer: Mapping[str, Any], path: str) -> tuple[bool, str | None]:
    """Return whether a file was handed in under its name, and its text; else that of the only other one.

    Args:
        answer: `{"files": [{"path": ..., "content": ...}]}`; whatever else it holds does not count.
        path: the name that was asked for.
    """
    given = answer.get("files")
    files = [each for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []
    named = [each for each in files if each.get("path") == path]
    found = named[0] if named else files[0] if len(files) == 1 else {}
    text = found.get("content")
    return bool(named), text if isinstance(text, str) else None


@dataclass(frozen=True, slots=True)
class Quotable:
    """A document by section, ready for looking up quotes; white space and typography do not matter."""

    sections: Mapping[str, str]

    @classmethod
    def of(cls, document: str) -> Quotable:
        """Read a document."""
        return cls({number: _plain(body) for number, body in sections_of(document).items()})

    def has(self, section: object, quote: object) -> bool:
        """Return whether a quote stands word for word in the section it is said to stand in."""
        if not isinstance(section, str) or not isinstance(quote, str) or not quote.strip():
            return False
        return _plain(quote) in self.sections.get(section, "")


def _plain(text: str) -> str:
    return " ".join(text.translate(_TYPOGRAPHY).split())
