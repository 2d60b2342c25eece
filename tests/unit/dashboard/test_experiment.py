"""An experiment by name and number."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from nightschool.dashboard.experiment import Experiment, experiment_of

MANIFEST = {
    "suite": "contracts", "suite_hash": "h", "arms": ["single", "orchestrated"],
    "arm_hashes": {"single": "a", "orchestrated": "b"}, "samples": ["c-01", "c-02", "c-03"],
    "repeats": 2, "seed": 1,
    "brain": "reader", "code_version": "0", "primary_metric": "recall", "declared_at": "2026-11-30T10:12:00Z",
}  # fmt: skip


def row(**changes: Any) -> dict[str, Any]:
    return {
        "experiment_id": "exp_1",
        "manifest": json.dumps(MANIFEST),
        "manifest_hash": "abc",
        "simulated": False,
        "created_at": datetime(2026, 11, 30, 10, 12, tzinfo=UTC),
        "completed_at": None,
        "recorded": 0,
        "errored": 0,
    } | changes


def experiment(**changes: Any) -> Experiment:
    found = experiment_of(row(**changes))
    assert found is not None
    return found


def test_its_name_says_what_was_compared_on_how_much_by_whom_and_when() -> None:
    assert "contracts · 2 arms · 3 documents × 2 · reader · 2026-11-30 10:12" == experiment().label


@pytest.mark.parametrize(
    ("expected", "changes"),
    [
        (False, {"recorded": 11}),
        (True, {"recorded": 12}),
        (True, {"recorded": 11, "errored": 1}),
        (True, {"recorded": 3, "completed_at": datetime(2026, 12, 1, tzinfo=UTC)}),
    ],
)
def test_it_is_complete_when_no_trial_is_to_come(expected: bool, changes: dict[str, Any]) -> None:
    assert expected is experiment(**changes).is_complete


@pytest.mark.parametrize("manifest", [None, "not json", "{}", json.dumps(MANIFEST | {"from_a_newer": 1})])
def test_a_manifest_that_cannot_be_read_is_left_out(manifest: str | None) -> None:
    assert experiment_of(row(manifest=manifest)) is None
