"""The set of answers whose worth is known, read from a file and multiplied by what is done to them.

    evals/outcomes/labelled.yaml    questions with a right, a wrong and a vague answer, and what pads them

Knows nothing about graders. A padded wrong answer is as wrong as before: to rate it higher is to like length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from nightschool.core.errors import NotFound
from nightschool.experiments.yaml_file import fail_at, read_yaml
from nightschool.outcomes.rubric import parse_rubric
from nightschool.outcomes.rubric_parts import Rubric

__all__ = ["KINDS", "LabelledAnswer", "LabelledSet", "load_labelled"]

KINDS: Final[Mapping[str, bool]] = {
    "right": True,
    "thorough": True,
    "reordered": True,
    "wrong": False,
    "vague": False,
    "over-long": False,
    "self-praising": False,
}
"""Kind of answer to whether it is acceptable."""

_ADVERSARIAL: Final = frozenset({"vague", "over-long", "self-praising"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledAnswer:
    """One answer and what it is worth."""

    id: str
    case: str
    kind: str
    """One of `KINDS`, or what says that people labelled it."""
    task: str
    """The text and the question, as whoever answered had them."""
    text: str
    label: float | None
    """The score it deserves; None where a person said only whether it is acceptable."""
    acceptable: bool
    """Whether it should be accepted."""
    rubric: Rubric
    """What it is to be graded by."""
    labelled_by: tuple[str, ...] = ()
    """The people whose label it is; none for an answer written with its label."""

    @property
    def adversarial(self) -> bool:
        """Whether it was made to be accepted wrongly."""
        return self.kind in _ADVERSARIAL

    @property
    def twin(self) -> str:
        """The answer that says the same in another order, if this is one of such a pair."""
        return f"{self.case}/right" if self.kind == "reordered" else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSet:
    """All of it."""

    title: str
    rubric: Rubric
    answers: tuple[LabelledAnswer, ...]


Text = Annotated[str, Field(min_length=1)]
Parts = Annotated[list[Text], Field(min_length=2)]


class _Case(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: Text
    text: Text
    question: Text
    right: Parts
    wrong: Parts
    vague: Parts


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: Text
    rubric: Text
    labels: dict[str, Annotated[float, Field(ge=0, le=1)]]
    padding: Text
    praise: Text
    cases: list[_Case] = Field(min_length=2)


def load_labelled(folders: Sequence[Path]) -> LabelledSet:
    """Read the labelled set.

    Args:
        folders: where suites lie; the first with `outcomes/labelled.yaml` wins.

    Raises:
        NotFound: there is none.
        Malformed: a field is missing, unknown or wrong, or a kind has no label.
    """
    places = [folder / "outcomes" / "labelled.yaml" for folder in folders]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise NotFound(f"no labelled set; looked for {', '.join(map(str, places))}")
    declared = read_yaml(path, _File)
    if declared.labels.keys() != KINDS.keys():
        fail_at(path, ("labels",), f"must give a score to each of: {', '.join(KINDS)}")
    rubric = parse_rubric(declared.rubric, name=str(path))
    answers = tuple(answer for case in declared.cases for answer in _answers(case, declared, rubric))
    return LabelledSet(title=declared.title, rubric=rubric, answers=answers)


def _answers(case: _Case, declared: _File, rubric: Rubric) -> Iterator[LabelledAnswer]:
    texts = {
        "right": case.right,
        "thorough": [declared.padding, *case.right],
        "reordered": case.right[::-1],
        "wrong": case.wrong,
        "vague": case.vague,
        "over-long": [declared.padding, *case.wrong],
        "self-praising": [*case.wrong, declared.praise],
    }
    for kind, parts in texts.items():
        yield LabelledAnswer(
            id=f"{case.id}/{kind}",
            case=case.id,
            kind=kind,
            task=f"{case.text}\n\nQuestion: {case.question}",
            text=" ".join(parts),
            label=declared.labels[kind],
            acceptable=KINDS[kind],
            rubric=rubric,
        )
