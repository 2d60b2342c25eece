from __future__ import annotations

import json
import pickle
from collections import Counter
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightschool.core.errors import Malformed
from nightschool.experiments.design import (
    Manifest,
    canonical_json,
    changes_since,
    declare,
    manifest_hash,
    trial_order,
)

FIELDS: dict[str, Any] = {
    "suite": "contracts",
    "suite_hash": "aa",
    "arms": ["single", "subagents", "orchestrated"],
    "arm_hashes": {"single": "1", "subagents": "2", "orchestrated": "3"},
    "samples": ["c01", "c02", "c03", "c04"],
    "repeats": 2,
    "seed": 7,
    "brain": "reader",
    "limits": {"context_limit_tokens": 32_000},
    "code_version": "0.1.0",
    "primary_metric": "completeness",
    "declared_at": "2026-01-01T00:00:00Z",
}


def manifest(**changes: Any) -> Manifest:
    return declare({**FIELDS, **changes})


def test_every_arm_is_compared_with_the_first_unless_a_family_is_declared() -> None:
    contrasts = [(c.treatment, c.baseline) for c in manifest().family]
    assert [("subagents", "single"), ("orchestrated", "single")] == contrasts
    declared = manifest(family=[{"treatment": "orchestrated", "baseline": "subagents"}])
    assert [("orchestrated", "subagents")] == [(c.treatment, c.baseline) for c in declared.family]


def test_a_manifest_read_back_from_the_log_has_the_hash_it_was_stored_with() -> None:
    stored = json.loads(json.dumps(manifest().model_dump(mode="json")))
    assert manifest_hash(manifest()) == manifest_hash(declare(stored))


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 8},
        {"repeats": 3},
        {"samples": ["c02", "c01", "c03", "c04"]},
        {"suite_hash": "ab"},
        {"limits": {"context_limit_tokens": 16_000}},
        {"code_version": "0.1.1"},
        {"primary_metric": "accuracy"},
        {"declared_at": "2026-01-01T00:00:01Z"},
    ],
)
def test_any_change_of_the_declaration_changes_the_hash(change: dict[str, Any]) -> None:
    assert manifest_hash(manifest()) != manifest_hash(manifest(**change))


def test_canonical_json_does_not_depend_on_the_order_of_keys() -> None:
    assert (
        '{"a":[1,2],"b":"ü"}'
        == canonical_json({"b": "ü", "a": [1, 2]})
        == canonical_json({"a": [1, 2], "b": "ü"})
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"repeats": 0}, "`repeats`"),
        ({"samples": []}, "`samples`"),
        ({"arms": []}, "`arms`"),
        ({"samples": ["c01", "c01"]}, "`samples`: given more than once: c01"),
        ({"arms": ["single", "single"]}, "`arms`: given more than once: single"),
        ({"family": [{"treatment": "swarm", "baseline": "single"}]}, "`swarm` is none of the arms"),
        ({"family": [{"treatment": "single", "baseline": "single"}]}, "compared with itself"),
        ({"alpha": 1.5}, "`alpha`"),
        ({"tier": "harsh"}, "`tier`"),
        ({"arms": ["single"]}, "`arm_hashes`: must name exactly the arms"),
        ({"arm_hashes": {"single": "1"}}, "`arm_hashes`: must name exactly the arms"),
        ({"expected": 23}, "expected"),
        ({"colour": "red"}, "`colour`"),
    ],
)
def test_a_declaration_that_cannot_be_run_is_refused_by_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(Malformed, match=message):
        manifest(**change)


@pytest.mark.parametrize("arms", ["single", [1], [{"title": "x"}], {"single": 1}, None])
def test_arms_of_a_wrong_shape_are_malformed_and_not_a_crash(arms: Any) -> None:
    with pytest.raises(Malformed, match="arms"):
        manifest(arms=arms)


@given(st.integers(0, 2**64), st.integers(1, 4), st.integers(1, 6))
def test_every_trial_occurs_once_and_arms_meet_a_sample_one_right_after_another(
    seed: int, repeats: int, samples: int
) -> None:
    declared = manifest(seed=seed, repeats=repeats, samples=[f"c{i}" for i in range(samples)])
    order = trial_order(declared, "exp_1")
    assert declared.expected == len(order) == len({spec.trial_id for spec in order})
    blocks = [list(block) for _, block in groupby(order, key=lambda spec: (spec.sample_id, spec.epoch))]
    assert samples * repeats == len(blocks)
    assert all({spec.arm for spec in block} == set(declared.arms) for block in blocks)


def test_the_order_is_the_seeds_and_not_the_experiments() -> None:
    """A second run of the same declaration must meet the same world in the same order."""
    first = [(s.arm, s.sample_id, s.epoch) for s in trial_order(manifest(), "exp_1")]
    second = [(s.arm, s.sample_id, s.epoch) for s in trial_order(manifest(), "exp_2")]
    other = [(s.arm, s.sample_id, s.epoch) for s in trial_order(manifest(seed=8), "exp_1")]
    assert first == second
    assert first != other


def test_no_arm_is_favoured_by_its_place_in_the_block() -> None:
    """Each of three arms should come first in about a third of 600 blocks."""
    declared = manifest(samples=[f"c{i}" for i in range(300)])
    firsts = Counter(spec.arm for spec in trial_order(declared, "exp_1")[::3])
    assert all(150 < count < 250 for count in firsts.values())


def test_trial_ids_are_the_same_each_time_and_differ_between_experiments() -> None:
    ids = {spec.trial_id for spec in trial_order(manifest(), "exp_1")}
    assert ids == {spec.trial_id for spec in trial_order(manifest(), "exp_1")}
    assert not ids & {spec.trial_id for spec in trial_order(manifest(), "exp_2")}


def test_a_trial_can_be_sent_to_another_process() -> None:
    spec = trial_order(manifest(), "exp_1")[0]
    assert spec == pickle.loads(pickle.dumps(spec))  # noqa: S301


def test_what_changed_since_the_declaration_is_named() -> None:
    hashes = {"single": "1", "subagents": "2", "orchestrated": "3"}
    assert [] == changes_since(manifest(), suite_hash="aa", arm_hashes=hashes, code_version="0.1.0")
    changes = changes_since(
        manifest(), suite_hash="bb", arm_hashes={**hashes, "single": "9"}, code_version="0.2.0"
    )
    assert [
        "the files of suite `contracts` changed",
        "the definition of arm `single` changed",
        "the code is version 0.2.0, it was 0.1.0",
    ] == changes
