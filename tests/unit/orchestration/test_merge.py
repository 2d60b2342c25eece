from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from nightschool.orchestration.merge import MergeRules, merge_findings
from nightschool.outcomes.findings import Finding
from nightschool.outcomes.playbook import Policy

POLICIES = tuple(Policy(id=name, title=name, required=True) for name in ("P01", "P02"))


def _finding(policy: str, position: str, section: str, confidence: float) -> Finding:
    return Finding(policy=policy, position=position, section=section, quote="q", confidence=confidence)


findings = st.builds(
    _finding,
    st.sampled_from(["P01", "P02"]),
    st.sampled_from(["violation", "compliant", "missing"]),
    st.sampled_from(["1", "2", "3"]),
    st.sampled_from([0.1, 0.5, 0.6, 0.9]),
)


def test_two_values_for_one_section_are_settled_by_confidence() -> None:
    answers = [[_finding("P01", "violation", "1", 0.4)], [_finding("P01", "compliant", "1", 0.8)]]

    merged = merge_findings(answers, POLICIES, MergeRules())

    assert ["compliant", "missing"] == [finding.position for finding in merged]


def test_a_look_alike_far_below_the_best_is_dropped() -> None:
    answers = [[_finding("P01", "violation", "1", 0.9)], [_finding("P01", "violation", "2", 0.5)]]

    merged = merge_findings(answers, POLICIES, MergeRules(keep_within=0.15))

    assert ["1", None] == [finding.section for finding in merged]


@given(st.lists(st.lists(findings, max_size=4), max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(answers: list[list[Finding]], rng: random.Random) -> None:
    shuffled = list(answers)
    rng.shuffle(shuffled)

    assert merge_findings(answers, POLICIES, MergeRules()) == merge_findings(shuffled, POLICIES, MergeRules())


@given(st.lists(st.lists(findings, max_size=4), max_size=4))
def test_every_policy_has_a_position(answers: list[list[Finding]]) -> None:
    merged = merge_findings(answers, POLICIES, MergeRules())

    assert {"P01", "P02"} == {finding.policy for finding in merged}
