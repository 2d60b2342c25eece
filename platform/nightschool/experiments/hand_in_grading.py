"""Who grades a draft inside a trial: what the suite can check without the truth, and a simulated grader.

Kept apart from the score of the trial, which is the suite's own and knows the truth: nothing of that is here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from nightschool.core.tokens import text_tokens
from nightschool.core.usage import Usage
from nightschool.experiments.suite import Suite, blaming
from nightschool.models.simulated_author import Craft, Habits
from nightschool.outcomes.grader import Verdict
from nightschool.outcomes.revision import Grade, by_code
from nightschool.outcomes.tiers import Tier, passes

__all__ = ["SimulatedGrader", "by_suite", "judged", "shown"]

_CHECK = "check"
_FORM = "form"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedGrader:
    """Reads a draft against the task as a model would, and errs as often as is declared.

    An error is seen by it always or never: a grader that overlooks something overlooks it again.
    """

    craft: Craft
    habits: Habits
    seed: str

    def remarks(self, document: str, answer: Mapping[str, Any]) -> dict[str, str]:
        """Return the decisions it objects to, and in what words."""
        faults = self.craft.faults(document, answer)
        content = [each for each in self.craft.decisions(document) if each.kind != _FORM]
        found = {}
        for decision in content:
            name = decision.name
            if name in faults and self._draw(document, name) < self.habits.detects:
                found[name] = faults[name]
            elif name not in faults and self._draw(document, name, shown(answer)) < self.habits.false_alarm:
                found[name] = "this does not look right; please mend it"
        return found

    def accuracy(self, document: str, remarks: Mapping[str, str]) -> float:
        """Return the share of criteria without a remark; slips together are one criterion."""
        content = [each for each in self.craft.decisions(document) if each.kind != _FORM]
        criteria = {each.name if each.kind == "rule" else each.kind for each in content}
        broken = {each.name if each.kind == "rule" else each.kind for each in content if each.name in remarks}
        return 1 - len(broken) / len(criteria) if criteria else 1.0

    def _draw(self, *key: str) -> float:
        return random.Random("|".join((self.seed, "grader", *key))).random()


def shown(answer: Mapping[str, Any]) -> str:
    """Return an answer as graders are shown it: each text as it is, under its place, to be quoted."""
    return "\n\n".join(_places(answer, "")) or "(nothing was handed in)"


def _places(value: object, place: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _places(inner, f"{place}.{name}".strip("."))
    elif isinstance(value, list):
        for number, inner in enumerate(value, 1):
            yield from _places(inner, f"{place}.{number}")
    else:
        yield f"{place}:\n{value}"


def by_suite(suite: Suite, document: str, grader: SimulatedGrader | None, *, tier: Tier) -> Grade:
    """Return the grading of drafts of one task.

    Args:
        suite: checks what code can, by its function `check(document, answer)`, where it has one.
        document: the task.
        grader: stands in for a model; None: code alone, and whoever is asked after it.
        tier: how much is asked.
    """
    return by_code(partial(judged, suite, document, grader, tier))


def judged(
    suite: Suite, document: str, grader: SimulatedGrader | None, tier: Tier, answer: Mapping[str, Any]
) -> Verdict:
    """Return the verdict on one draft: of code first, then of the simulated grader where there is one."""
    scores, remarks = _checked(suite, document, answer)
    usage = Usage()
    if grader is not None:
        with blaming(suite):
            found = grader.remarks(document, answer)
            scores["accuracy"] = grader.accuracy(document, found)
        remarks |= {name: words for name, words in found.items() if name not in remarks}
        # What a model would have read and written.
        read, written = document + shown(answer), "\n".join(found.values())
        usage = Usage(input_tokens=text_tokens(read), output_tokens=text_tokens(written))
    feedback = tuple(f"{name}: {words}" for name, words in remarks.items())
    return Verdict(
        scores=scores, satisfied=passes(tier, scores, suite.weights), feedback=feedback, usage=usage
    )


def _checked(
    suite: Suite, document: str, answer: Mapping[str, Any]
) -> tuple[dict[str, float], dict[str, str]]:
    check = getattr(suite.module, _CHECK, None)
    if check is None:
        # Handed in at all, in the form that the tool asks for.
        return {"format": float(bool(answer))}, {}
    with blaming(suite):
        problems = dict(check(document, dict(answer)))
    return {"format": 0.0 if problems else 1.0}, problems
