"""Whether a suite is fit to compare arms on, found by trying it.

Draws every sample, scores answers made without work, and looks for what makes a comparison worthless: draws
that are not repeatable, repeats that change nothing, gold within the document, shortcuts that pass. Knows
nothing about models: a check costs no request.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nightschool.core.errors import NightschoolError
from nightschool.experiments.leaks import gold_pieces
from nightschool.experiments.measures import OF_EVERY_TRIAL
from nightschool.experiments.probes import ProbeResult, gaming_probes, probe_suite
from nightschool.experiments.suite import Suite, blaming
from nightschool.outcomes.playbook import policies_of
from nightschool.sandbox.documents import parse_document

__all__ = ["Finding", "SuiteCheck", "check_suite"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at."""

    name: str
    ok: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCheck:
    """All of it."""

    suite: str
    samples: int
    findings: tuple[Finding, ...]
    probes: tuple[ProbeResult, ...]

    @property
    def is_fit(self) -> bool:
        """Whether nothing is wrong."""
        return all(finding.ok for finding in self.findings)


def check_suite(suite: Suite, *, seed: int = 0) -> SuiteCheck:
    """Try a suite.

    Raises:
        Malformed: its own code fails; names file and line.
    """
    with blaming(suite):
        samples = [sample.id for sample in suite.module.samples(suite.config)]
        levels = [sample.facts.get("level") for sample in suite.module.samples(suite.config)]
        findings = [*_samples(samples), *_draws(suite, samples, seed), *_scoring(suite, samples, seed)]
    probes = probe_suite(suite, samples, seed=seed)
    return SuiteCheck(
        suite=suite.name,
        samples=len(samples),
        findings=(*findings, _primary(suite, probes), _levels(levels), _card(suite), _shortcuts(probes)),
        probes=tuple(probes),
    )


def _samples(samples: Sequence[str]) -> Iterator[Finding]:
    twice = sorted({name for name in samples if samples.count(name) > 1})
    text = f"{len(samples)} samples" if not twice else f"given more than once: {', '.join(twice)}"
    yield Finding(name="samples", ok=not twice and bool(samples), text=text)
    enough = len(samples) >= 6
    text = "enough to test a difference" if enough else "at least 6 are needed to test a difference"
    yield Finding(name="number of samples", ok=enough, text=text)


def _draws(suite: Suite, samples: Sequence[str], seed: int) -> Iterator[Finding]:
    if suite.trials == "documents":
        yield _playbook(suite)
    unsteady, unchanged, leaked, unread, no_facts = [], [], [], [], []
    for name in samples:
        first, again, other = (suite.module.draw(name, epoch, seed) for epoch in (0, 0, 1))
        if (first.document, first.gold) != (again.document, again.gold):
            unsteady.append(name)
        if first.document == other.document:
            unchanged.append(name)
        if _is_told(first.gold, first.document, suite.module.playbook_text()):
            leaked.append(name)
        if suite.trials == "documents" and not _is_read(first.document):
            unread.append(name)
        if not _is_json(first.facts):
            no_facts.append(name)
    yield _none("draws are repeatable", unsteady, "the same arguments gave something else for")
    if suite.is_fixed:
        text = "every repeat is the same document, as declared: repeats measure how a brain varies"
        yield Finding(name="repeats draw anew", ok=True, text=text)
    else:
        yield _none("repeats draw anew", unchanged, "another repeat is the same document for")
    yield _none("documents can be read by section", unread, "no numbered or marked headings in that of")
    yield _none("facts are plain JSON values", no_facts, "not so for")
    yield _none("gold is not in the document", leaked, "records of the gold stand in the document of")


def _playbook(suite: Suite) -> Finding:
    ids = [policy.id for policy in policies_of(suite.module.playbook_text())]
    twice = sorted({each for each in ids if ids.count(each) > 1})
    text = f"given more than once: {', '.join(twice)}" if twice else f"{len(ids)} policies"
    return Finding(name="playbook", ok=not twice, text=text)


def _is_read(document: str) -> bool:
    try:
        parse_document(document)
    except NightschoolError:
        return False
    return True


def _is_json(facts: Mapping[str, Any]) -> bool:
    try:
        json.dumps(dict(facts), allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _primary(suite: Suite, probes: Sequence[ProbeResult]) -> Finding:
    """Look for the primary metric among all that was ever scored here."""
    known = OF_EVERY_TRIAL | {*(name for probe in probes for name in probe.measured)}
    ok = suite.primary_metric in known
    lacking = f"`{suite.primary_metric}` was never scored; there are: {', '.join(sorted(known))}"
    return Finding(name="primary metric", ok=ok, text=suite.primary_metric if ok else lacking)


def _is_told(gold: object, document: str, playbook: str) -> bool:
    """Return whether a whole record of the gold stands in what everybody reads; a text may be a quote."""
    told = set(gold_pieces(_records(gold), "")) - set(gold_pieces(_records(gold), document, playbook))
    return any(piece.startswith("{") for piece in told)


def _records(gold: object) -> list[Mapping[str, Any]]:
    found = gold if isinstance(gold, list | tuple) else [gold]
    return [dict(each) for each in found if isinstance(each, Mapping)]


def _scoring(suite: Suite, samples: Sequence[str], seed: int) -> Iterator[Finding]:
    """Score two answers of no worth twice; a suite that fails on one would take an arm down with it."""
    wrong = []
    for name in samples:
        drawn = suite.module.draw(name, 0, seed)
        empty: tuple[dict[str, Any], ...] = ({}, {"positions": []})
        for answer in empty:
            scores = [suite.module.score(drawn.gold, dict(answer), drawn.document) for _ in range(2)]
            parts = [(each.accuracy, each.completeness, each.format) for each in scores]
            if parts[0] != parts[1] or not all(0 <= part <= 1 for part in parts[0]):
                wrong.append(name)
    yield _none("scores are repeatable and from 0 to 1", wrong, "not so for")


def _levels(levels: Sequence[Any]) -> Finding:
    counted = {str(level): levels.count(level) for level in levels if level is not None}
    text = ", ".join(f"{count} {level}" for level, count in counted.items()) or "none declared in facts"
    return Finding(name="levels of difficulty", ok=True, text=text)


def _card(suite: Suite) -> Finding:
    readme = suite.folder / "README.md"
    text = "README.md" if readme.is_file() else f"write down what it is of and where it ends: {readme}"
    return Finding(name="described", ok=readme.is_file(), text=text)


def _shortcuts(probes: Sequence[ProbeResult]) -> Finding:
    passing = gaming_probes(probes)
    text = f"{', '.join(passing)} passes Standard" if passing else "no shortcut passes Standard"
    return Finding(name="cannot be gamed", ok=not passing, text=text)


def _none(name: str, found: Sequence[str], complaint: str) -> Finding:
    shown = ", ".join(dict.fromkeys(found))
    return Finding(name=name, ok=not found, text=f"{complaint} {shown}" if found else "all samples")
