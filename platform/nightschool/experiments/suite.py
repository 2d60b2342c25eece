"""Suites: what is asked of an arm and how its answer is scored, loaded from a folder of content.

    evals/contracts/suite.yaml    what the suite is called, its primary metric, its scale of consumption
    evals/contracts/suite.py      samples · draw · playbook_text · score

Knows nothing about the content: gold is opaque here and goes to the suite's own ``score`` and nowhere else.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Protocol, cast

from pydantic import BaseModel, ConfigDict, Field

from nightschool.core.errors import Malformed, NightschoolError, NotFound
from nightschool.experiments.hand_in import HandInFile, SimulationFile, hand_in_of
from nightschool.experiments.yaml_file import fail_at, read_yaml
from nightschool.models.simulated_author import Craft, Habits
from nightschool.outcomes.rubric import parse_rubric
from nightschool.outcomes.rubric_parts import Rubric
from nightschool.outcomes.rubric_yaml import parse_rubric_yaml
from nightschool.outcomes.tiers import Tier
from nightschool.sandbox.submission import HandIn

__all__ = [
    "Drawn",
    "Reference",
    "SampleSpec",
    "Score",
    "Suite",
    "SuiteModule",
    "blaming",
    "folder_hash",
    "known_suites",
    "load_suite",
]

_ARMS: Final = ("agents", "arms")
"""Folders of a suite that say who works on it, and not what the work is."""
_FUNCTIONS: Final = ("samples", "draw", "playbook_text", "score")
_OF_SIMULATIONS: Final = ("decisions", "made", "faults")
_DECLARATION: Final = "suite.yaml"
_YAML: Final = frozenset({".yaml", ".yml"})


class SampleSpec(Protocol):
    """A sample before it is drawn."""

    @property
    def id(self) -> str:
        """The sample's name, the same in every experiment."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """What is known of it beforehand (pages)."""


class Drawn(Protocol):
    """One draw of a sample: the document an arm meets, and the truth it is scored against."""

    @property
    def document(self) -> str:
        """The document, as Markdown."""

    @property
    def gold(self) -> object:
        """The truth; read by the suite's ``score`` only, never part of any request to a model."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """Facts that results are broken down by (pages, sections ...); plain JSON values."""


class Score(Protocol):
    """How good an answer is."""

    @property
    def accuracy(self) -> float:
        """0 to 1."""

    @property
    def completeness(self) -> float:
        """0 to 1."""

    @property
    def format(self) -> float:
        """0 to 1."""

    @property
    def metrics(self) -> Mapping[str, float]:
        """What the suite counts, in its own units (recall, false_flags ...)."""


class SuiteModule(Protocol):
    """What a suite's module must define. ``draw`` and ``score`` are pure: same arguments, same result."""

    def samples(self, config: Mapping[str, Any]) -> Sequence[SampleSpec]:
        """Return the suite's samples for its declaration."""

    def draw(self, sample_id: str, epoch: int, seed: int) -> Drawn:
        """Return one draw of a sample."""

    def playbook_text(self) -> str:
        """Return what reviewers are asked to review against, as it stands in their prompt."""

    def score(self, gold: Any, answer: dict[str, Any], document: str) -> Score:
        """Score an answer against the truth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a competent worker consumes on one page; efficiency is measured against it."""

    tokens_per_page: float | None = None
    tool_calls_per_page: float | None = None
    seconds_per_page: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A suite, loaded."""

    name: str
    title: str
    folder: Path
    primary_metric: str
    """What the declared family of comparisons is about."""
    lower_is_better: tuple[str, ...]
    """The suite's metrics of which less is better."""
    rubric: Rubric | None
    """What good means; None: every dimension weighs the same."""
    reference: Reference | None
    config: Mapping[str, Any]
    """The whole declaration, for the suite's own module."""
    content_hash: str
    module: SuiteModule
    tier: Tier | None = None
    """What its results are held to; None: what its field asks for."""
    grader_sd: Mapping[str, float] = field(default_factory=dict)
    """Standard deviation of one grading, by dimension: 0 where code decides; empty: nobody measured it."""

    trials: Literal["documents", "hand-ins", "plans"] = "documents"
    """What a trial is: a document reviewed, a task whose result is handed in, or a plan that is run."""
    is_fixed: bool = False
    """Whether each repeat is the same document, as collected ones are."""
    hand_in: HandIn | None = None
    """The tool by which results are handed in, where a trial is that."""
    habits: Habits | None = None
    """How a simulated author of results errs; None: the suite declares no simulation."""

    @property
    def weights(self) -> Mapping[str, float]:
        """Weights of the dimensions in the tiers' mean; a dimension without one weighs 1."""
        return self.rubric.weights if self.rubric else {}

    @property
    def craft(self) -> Craft:
        """What its module knows of its own work; it does where the suite declares a simulation."""
        return cast("Craft", self.module)


Text = Annotated[str, Field(min_length=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Deviation = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _ReferenceFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    tokens_per_page: Positive | None = None
    tool_calls_per_page: Positive | None = None
    seconds_per_page: Positive | None = None


class _SuiteFile(BaseModel):
    # What else a suite declares is for its own module.
    model_config = ConfigDict(extra="allow")

    name: Text | None = None
    title: Text | None = None
    primary_metric: Text
    lower_is_better: tuple[Text, ...] = ()
    rubric: Text | None = None
    tier: Tier | None = None
    reference: _ReferenceFile | None = None
    grader_sd: dict[
        Literal["accuracy", "completeness", "consistency", "efficiency", "format"], Deviation
    ] = {}
    module: Text = "suite.py"
    trials: Literal["documents", "hand-ins", "plans"] = "documents"
    hand_in: HandInFile | None = None
    simulation: SimulationFile | None = None
    draws: Literal["anew", "fixed"] = "anew"


def known_suites(folders: Sequence[Path]) -> list[str]:
    """Return the names of the suites in these folders."""
    return sorted({path.parent.name for folder in folders for path in folder.glob(f"*/{_DECLARATION}")})


def load_suite(name: str, folders: Sequence[Path]) -> Suite:
    """Read a suite's declaration and load its module.

    Args:
        name: the suite's folder name.
        folders: where suites lie; the first that has the name wins.

    Raises:
        NotFound: no such suite; names those there are.
        Malformed: the declaration or the module cannot be used; names file, line and field or function.
    """
    named = [folder / name for folder in folders if name and Path(name).name == name]
    folder = next((folder for folder in named if (folder / _DECLARATION).is_file()), None)
    if folder is None:
        known = known_suites(folders)
        nowhere = f"none in {', '.join(map(str, folders)) or 'no folder'}; NIGHTSCHOOL_SUITES names others"
        there_are = ", ".join(known) if known else nowhere
        raise NotFound(f"no suite `{name}`; there are: {there_are}", name=name, known=known)
    path = folder / _DECLARATION
    declared = read_yaml(path, _SuiteFile)
    if declared.name not in (None, name):
        fail_at(path, ("name",), f"`{declared.name}` does not match the folder's name `{name}`")
    module_path = folder / declared.module
    if not module_path.is_file():
        fail_at(path, ("module",), f"no file {module_path}")
    if (declared.hand_in is None) == (declared.trials == "hand-ins"):
        fail_at(path, ("hand_in",), "goes with `trials: hand-ins`, and only with it")
    content_hash = folder_hash(folder)
    if declared.simulation is not None and declared.hand_in is None:
        fail_at(path, ("simulation",), "goes with `trials: hand-ins`, and only with it")
    simulated = _OF_SIMULATIONS if declared.simulation else ()
    return Suite(
        name=name,
        title=declared.title or name,
        folder=folder,
        primary_metric=declared.primary_metric,
        lower_is_better=declared.lower_is_better,
        rubric=_rubric(path, declared.rubric),
        reference=Reference(**declared.reference.model_dump()) if declared.reference else None,
        config=declared.model_dump(mode="json"),
        content_hash=content_hash,
        module=_load_module(module_path, content_hash, (*_FUNCTIONS, *simulated)),
        tier=declared.tier,
        grader_sd={str(name): sd for name, sd in declared.grader_sd.items()},
        trials=declared.trials,
        is_fixed=declared.draws == "fixed",
        hand_in=hand_in_of(path, declared.hand_in) if declared.hand_in else None,
        habits=declared.simulation.as_habits() if declared.simulation else None,
    )


def _rubric(path: Path, file: str | None) -> Rubric | None:
    if file is None:
        return None
    place = path.parent / file
    if not place.is_file():
        fail_at(path, ("rubric",), f"no file {place}")
    text = place.read_text(encoding="utf-8")
    if place.suffix not in _YAML:
        return parse_rubric(text, name=str(place))
    beside = place.parent
    return parse_rubric_yaml(
        text, name=str(place), read_file=lambda file: (beside / file).read_text(encoding="utf-8")
    )


def folder_hash(folder: Path) -> str:
    """Return a hash over the names and bytes of the folder's files, without caches and hidden ones.

    Agents and arms are left out: an arm has a hash of its own, and its changed agent meets the same world.
    """
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).parts):
        parts = path.relative_to(folder).parts
        if (
            parts[0] not in _ARMS
            and path.is_file()
            and not any(part.startswith((".", "__pycache__")) for part in parts)
        ):
            total.update(f"{'/'.join(parts)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


def _load_module(path: Path, content_hash: str, functions: Sequence[str]) -> SuiteModule:
    # Named by content: an unchanged suite is loaded once, a changed one is never mixed with its old self.
    name = f"nightschool_suite_{path.parent.name}_{content_hash[:16]}"
    module = sys.modules.get(name)
    if module is None:
        # A package, so that the suite's own files can be imported relatively, wherever the folder lies.
        places = [str(path.parent)]
        spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=places)
        if spec is None or spec.loader is None:
            raise Malformed(f"{path}: not a Python file", path=str(path))
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            _forget(name)
            raise _broken(path, error, "the suite's module cannot be loaded") from error
    missing = [function for function in functions if not callable(getattr(module, function, None))]
    if missing:
        _forget(name)
        raise Malformed(f"{path}: missing function {', '.join(missing)}", path=str(path), missing=missing)
    return cast("SuiteModule", module)


@contextmanager
def blaming(suite: Suite) -> Iterator[None]:
    """Turn what the suite's own code raises in a block into a mistake in its files.

    Raises:
        Malformed: names the file and line in the suite, and what went wrong there.
    """
    try:
        yield
    except NightschoolError:
        raise
    except (Exception, SystemExit) as error:
        raise _broken(suite.folder / "suite.py", error, "the suite cannot be used") from error


def _forget(name: str) -> None:
    for loaded in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
        del sys.modules[loaded]


def _broken(path: Path, error: BaseException, what: str) -> Malformed:
    if isinstance(error, SyntaxError):
        file, line = error.filename or str(path), error.lineno
    else:
        own = [
            f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(str(path.parent))
        ]
        file, line = (own[-1].filename, own[-1].lineno) if own else (str(path), None)
    where = f"{file}, line {line}" if line else file
    reason = f"{type(error).__name__}: {error}"
    return Malformed(f"{where}: {what}: {reason}", path=file, line=line)
