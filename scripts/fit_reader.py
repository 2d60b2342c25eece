"""Fit the reader's weights on contracts drawn for development (seeds from 9000), and say how well they do.

    python scripts/fit_reader.py [--write]

Cross-validation holds out whole policies: what is learnt must serve a playbook it has not seen.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, average_precision_score
from sklearn.model_selection import GroupKFold, cross_val_predict

from evals.contracts import suite
from nightschool.experiments.suite_parts import Drawn
from nightschool.models import reader
from nightschool.models.embed import CachedEmbedder, MiniLmEmbedder
from nightschool.models.reader.judge import RELATION, VERDICT, Judge
from nightschool.models.reader.lookup import make_lookup
from nightschool.models.reader.passages import RELEVANCE, Attention
from nightschool.models.reader.playbook import parse_playbook
from nightschool.models.reader.sections import Section, parse_sections

SEEDS: Final = (9000, 9001, 9002)
SAMPLES: Final = tuple(
    f"p{pages:03d}-{number}"
    for pages, count in ((5, 6), (10, 5), (20, 3), (40, 2), (60, 1))
    for number in range(1, count + 1)
)
EPOCHS: Final = (0, 1)
FOLDS: Final = 7
LEAST_ODDS: Final = -9.0
"""Passages less relevant than this under the present weights teach nothing."""
Rows = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """The best passage of one section for one policy, and what is true of it."""

    policy: int
    document: str
    relevance: Rows
    relation: list[float]
    verdict: list[float]
    is_clause: bool
    is_violation: bool


def examples() -> Iterator[Example]:
    """Yield an example for each section and policy of every contract drawn."""
    attention = Attention(CachedEmbedder(MiniLmEmbedder()))
    for seed in SEEDS:
        for sample in SAMPLES:
            for epoch in EPOCHS:
                drawn = suite.draw(sample, epoch, seed)
                yield from _of_document(f"{sample}/{epoch}/{seed}", drawn, attention)


def _of_document(name: str, drawn: Drawn, attention: Attention) -> Iterator[Example]:
    playbook, judge = parse_playbook(suite.playbook_text()), Judge(attention)
    sections = list(parse_sections(drawn.document))
    lookup = make_lookup(sections)
    gold: dict[str, dict[str, Any]] = {held["policy"]: held for held in drawn.gold}
    for section in sections:
        for passage in _best(attention, section):
            held = gold[playbook.policies[passage.policy].id]
            is_clause = section.number in held["sections"] and not passage.traits.is_defining
            if passage.odds < LEAST_ODDS and not is_clause:
                continue
            relation, verdict, _ = judge.features(playbook, passage, lookup)
            yield Example(
                policy=passage.policy,
                document=name,
                relevance=passage.features,
                relation=relation,
                verdict=verdict,
                is_clause=is_clause,
                is_violation=held["position"] == "violation",
            )


def _best(attention: Attention, section: Section) -> list[Any]:
    best: dict[int, Any] = {}
    (passages,) = attention.in_sections(parse_playbook(suite.playbook_text()), [section])
    for passage in passages:
        if passage.policy not in best or passage.odds > best[passage.policy].odds:
            best[passage.policy] = passage
    return list(best.values())


def fit(
    name: str, rows: Rows, truth: NDArray[np.bool_], groups: Rows, *, strength: float
) -> LogisticRegression:
    """Fit one model and print how it does on policies it has not seen."""
    model = LogisticRegression(C=strength, max_iter=5000)
    folds = GroupKFold(FOLDS)
    odds = cross_val_predict(model, rows, truth, groups=groups, cv=folds, method="decision_function")
    precision, right = average_precision_score(truth, odds), accuracy_score(truth, odds > 0)
    print(f"{name}: {len(truth)} examples, average precision {precision:.3f}, accuracy {right:.3f}")
    model.fit(rows, truth)
    return model


def main() -> None:
    """Fit the three models; write them where the reader looks for them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the reader's weights")
    write = parser.parse_args().write
    found = list(examples())
    policies = np.array([one.policy for one in found], dtype=np.float64)
    is_clause = np.array([one.is_clause for one in found])
    relevance_rows = np.array([one.relevance for one in found])
    relevance = fit("relevance", relevance_rows, is_clause, policies, strength=1.0)
    relation_rows = np.array([one.relation for one in found])
    relation_rows[:, 0] = relevance.decision_function(relevance_rows)
    relation = fit("relation", relation_rows, is_clause, policies, strength=1.0)
    chosen = _clauses(found, relation.decision_function(relation_rows))
    verdict_rows = np.array([found[place].verdict for place in chosen])
    is_violation = np.array([found[place].is_violation for place in chosen])
    verdict = fit("verdict", verdict_rows, is_violation, policies[chosen], strength=0.3)
    models = {
        "relevance": (RELEVANCE, relevance),
        "relation": (RELATION, relation),
        "verdict": (VERDICT, verdict),
    }
    if write:
        path = Path(next(iter(reader.__path__)), "weights.toml")
        path.write_text("\n".join(_table(name, *model) for name, model in models.items()), encoding="utf-8")


def _clauses(found: list[Example], odds: Rows) -> list[int]:
    """Return the place of the surest clause of each policy in each document."""
    best: dict[tuple[int, str], int] = {}
    for place, one in enumerate(found):
        key = one.policy, one.document
        if one.is_clause and (key not in best or odds[place] > odds[best[key]]):
            best[key] = place
    return sorted(best.values())


def _table(name: str, features: tuple[str, ...], model: LogisticRegression) -> str:
    weights = (f"{feature} = {weight:.4f}" for feature, weight in zip(features, model.coef_[0], strict=True))
    return "\n".join([f"[{name}]", f"bias = {model.intercept_[0]:.4f}", *weights, ""])


if __name__ == "__main__":
    main()
