"""The examples that the domain classifier is fitted to, read from `evals/outcomes/domains.yaml`.

Knows nothing about classifiers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from nightschool.core.errors import NotFound
from nightschool.experiments.yaml_file import fail_at, read_yaml
from nightschool.outcomes.domain import Example
from nightschool.outcomes.tiers import Tier

__all__ = ["DomainExamples", "load_domains"]


class DomainExamples(NamedTuple):
    """Tasks by field, and what each field asks for."""

    examples: tuple[Example, ...]
    tiers: Mapping[str, Tier]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    tiers: dict[str, Tier]
    tasks: dict[str, list[Annotated[str, Field(min_length=1)]]]


def load_domains(folders: Sequence[Path]) -> DomainExamples:
    """Read the examples.

    Args:
        folders: where suites lie; the first with `outcomes/domains.yaml` wins.

    Raises:
        NotFound: there are none.
        Malformed: a field is missing, unknown or wrong, or a domain has no tier.
    """
    places = [folder / "outcomes" / "domains.yaml" for folder in folders]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise NotFound(f"no examples of domains; looked for {', '.join(map(str, places))}")
    declared = read_yaml(path, _File)
    unknown = sorted(declared.tasks.keys() ^ declared.tiers.keys())
    if unknown:
        fail_at(path, ("tiers",), f"`{unknown[0]}` must have both tasks and a tier")
    examples = tuple(
        Example(text=text, domain=domain) for domain, texts in declared.tasks.items() for text in texts
    )
    return DomainExamples(examples, declared.tiers)
