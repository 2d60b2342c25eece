from __future__ import annotations

from typing import Any

import pytest

from nightschool.events.experiment import TrialCompleted
from nightschool.experiments.adoption_trial import shortcut_taken


def trial(calls: int, *positions: str, answer: dict[str, Any] | None = None) -> TrialCompleted:
    handed_in = {"positions": [{"policy": f"P{n}", "position": each} for n, each in enumerate(positions)]}
    return TrialCompleted(
        id="sevt_t",
        experiment_id="exp_1",
        trial_id="trial_1",
        arm="after",
        sample_id="a",
        epoch=0,
        brain="reader",
        scores={},
        metrics={},
        tiers={},
        usage={},
        tool_calls=calls,
        model_calls=calls,
        duration_seconds=1.0,
        answer=handed_in if answer is None else answer,
        sample={},
    )


WORKED = trial(6, "violation", "compliant")


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (trial(6), "do nothing"),
        (trial(6, "missing", "missing"), "say of everything that it is missing"),
        (trial(2, "violation", "compliant"), "stop early"),
        (trial(3, "violation", "compliant"), ""),
        (trial(6, "violation", "missing"), ""),
        (trial(6, answer={"text": "done"}), ""),
    ],
)
def test_a_shortcut_is_what_was_not_done_before(after: TrialCompleted, expected: str) -> None:
    assert shortcut_taken(after, WORKED).startswith(expected)
    assert bool(expected) == bool(shortcut_taken(after, WORKED))


def test_what_was_a_shortcut_before_is_not_blamed_on_the_new_memories() -> None:
    assert "" == shortcut_taken(trial(6), trial(6))
