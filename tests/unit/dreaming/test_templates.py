from __future__ import annotations

import pytest

from nightschool.dreaming.rules import PLAIN, SHARPENED, Rules
from nightschool.dreaming.templates import contains, path_of, templates_of
from tests.unit.dreaming.episodes import call, episode, labels
from tests.unit.dreaming.test_strata import looks_rewarded

ABC = (call("get_order"), call("check_stock"), call("update_order"))


@pytest.mark.parametrize("rules", [PLAIN, SHARPENED])
def test_a_path_shared_by_successes_becomes_a_template(rules: Rules) -> None:
    wins = [episode(f"w{n}", *ABC, call("send_note", f"{n}"), passed=True) for n in range(4)]
    (template,) = templates_of([*wins, episode("w4", *ABC, passed=True)], rules)

    assert ("get_order(x=<x>)", "check_stock(x=<x>)", "update_order(x=<x>)") == template.steps[:3]
    assert "" == template.gate
    assert template.successes == len(template.evidence)


@pytest.mark.parametrize("rules", [PLAIN, SHARPENED])
def test_one_success_is_a_candidate(rules: Rules) -> None:
    (template,) = templates_of([episode("w", *ABC, passed=True)], rules)

    assert "1 success" in template.gate and not template.is_quarantined


def test_a_success_that_only_the_agent_claims_is_no_evidence_unless_the_rule_is_plain() -> None:
    wins = [episode(f"w{n}", *ABC, judged=labels(self=True)) for n in range(5)]

    assert not templates_of(wins, PLAIN)[0].gate
    assert "one judge's word" in templates_of(wins, SHARPENED)[0].gate


def test_what_failures_do_as_well_is_no_template() -> None:
    wins = [episode(f"w{n}", *ABC, passed=True, task=f"t{n}") for n in range(3)]
    losses = [episode(f"l{n}", *ABC[:2], passed=False, task=f"t{n}") for n in range(3)]
    (template,) = templates_of([*wins, *losses], SHARPENED)

    assert template.steps[-1] == "update_order(x=<x>)" and 0 == template.failures


def test_a_path_through_a_sham_is_quarantined_by_the_sharpened_rules_only() -> None:
    episodes = [
        episode(each.session_id, call("get_order"), *each.calls, judged=each.labels, task=each.task)
        for each in looks_rewarded()
    ]

    sharp = [each for each in templates_of(episodes, SHARPENED) if any("transfer" in s for s in each.steps)]
    plain = [each for each in templates_of(episodes, PLAIN) if any("transfer" in s for s in each.steps)]

    assert all(each.is_quarantined for each in sharp)
    assert [""] == [each.gate for each in plain]


def test_failed_calls_and_thoughts_are_no_steps() -> None:
    made = episode("a", call("think"), call("get_order", error="no"), call("get_order"), call("get_order"))

    assert ("get_order(x=<x>)",) == path_of(made)


def test_steps_may_have_others_between_them() -> None:
    assert contains(("a", "x", "b"), ("a", "b")) and not contains(("b", "a"), ("a", "b"))
