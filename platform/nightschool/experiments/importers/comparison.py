"""Logs of other runners as an experiment, so that what they hold is compared as everything else is.

Each log is an arm, or says itself which arm a session is of. Only samples and repeats that every arm has are
taken: a comparison pairs. The first judgement of a session, 0 to 1, is its accuracy. Pure. Knows nothing
about formats: it reads the sessions that importers make.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nightschool.core.errors import InvalidInput
from nightschool.core.ids import derived_id
from nightschool.events.base import EventBase
from nightschool.events.experiment import ExperimentCreated, FeedbackRecorded, TrialCompleted
from nightschool.events.session import SessionCreated
from nightschool.events.span import SpanModelRequestEnd
from nightschool.experiments.design import Manifest, declare, digest, manifest_hash
from nightschool.experiments.importers.imported import ImportedSession
from nightschool.experiments.scoring import regrade

__all__ = ["Attempt", "as_experiment", "attempts_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What a comparison needs of a session."""

    arm: str
    suite: str
    sample_id: str
    epoch: int
    model: str
    value: float
    usage: Mapping[str, int]
    model_calls: int
    session_id: str


def attempts_in(sessions: Iterable[ImportedSession], arm: str) -> Iterator[Attempt]:
    """Yield the judged sessions; what nobody judged cannot be compared.

    Args:
        sessions: of one log.
        arm: what they are an arm of, where they do not say so themselves.

    Raises:
        InvalidInput: a judgement is not between 0 and 1.
    """
    for session in sessions:
        created = next(event for event in session.events if isinstance(event, SessionCreated))
        judged = next((e.value for e in session.events if isinstance(e, FeedbackRecorded)), None)
        if judged is None or created.agent is None:
            continue
        if not 0 <= judged <= 1:
            raise InvalidInput(f"{session.session_id} was judged {judged}; only 0 to 1 can be compared")
        spent = [event.model_usage for event in session.events if isinstance(event, SpanModelRequestEnd)]
        told = created.metadata
        yield Attempt(
            arm=told.get("arm", arm),
            suite=told.get("suite", told["source"]),
            sample_id=told["sample_id"],
            epoch=int(told.get("epoch", "0")),
            model=created.agent.model,
            value=judged,
            usage={
                "input_tokens": sum(usage.input_tokens for usage in spent),
                "output_tokens": sum(usage.output_tokens for usage in spent),
                "cache_read_input_tokens": sum(usage.cache_read_input_tokens for usage in spent),
            },
            model_calls=len(spent),
            session_id=session.session_id,
        )


def as_experiment(
    attempts: Iterable[Attempt], *, experiment_id: str, now: datetime, version: str
) -> list[EventBase]:
    """Return the events of an experiment that holds these attempts.

    Raises:
        InvalidInput: there are fewer than two arms, or no sample that all of them have.
    """
    arms: dict[str, dict[tuple[str, int], Attempt]] = {}
    for attempt in attempts:
        arms.setdefault(attempt.arm, {})[attempt.sample_id, attempt.epoch] = attempt
    if len(arms) < 2:
        raise InvalidInput(f"a comparison needs two arms; these logs hold {len(arms)}")
    shared = set.intersection(*[set(own) for own in arms.values()])
    repeats = max((epoch for _, epoch in shared), default=-1) + 1
    samples = sorted({s for s, _ in shared if all((s, epoch) in shared for epoch in range(repeats))})
    if not samples:
        raise InvalidInput("no sample has every repeat in every arm; the logs are of different samples")
    manifest = _manifest(arms, samples, repeats, now, version)
    created = ExperimentCreated(
        id=derived_id("event", experiment_id, "experiment.created"),
        experiment_id=experiment_id,
        manifest=manifest.model_dump(mode="json"),
        manifest_hash=manifest_hash(manifest),
    )
    trials = [
        _trial(own[sample, epoch], experiment_id)
        for own in arms.values()
        for sample in samples
        for epoch in range(repeats)
    ]
    begun = SessionCreated(
        id=derived_id("event", experiment_id, "session.created"),
        metadata={"experiment_id": experiment_id, "source": "import"},
    )
    return [begun, created, *trials]


def _manifest(
    arms: Mapping[str, Mapping[Any, Attempt]], samples: list[str], repeats: int, now: datetime, version: str
) -> Manifest:
    firsts = {arm: next(iter(own.values())) for arm, own in arms.items()}
    models = {arm: first.model for arm, first in firsts.items()}
    suites = sorted({first.suite for first in firsts.values()})
    return declare(
        {
            "suite": " and ".join(suites),
            "suite_hash": digest([suites, samples]),
            "arms": list(arms),
            "arm_hashes": {arm: digest([arm, model]) for arm, model in models.items()},
            "samples": samples,
            "repeats": repeats,
            "seed": 0,
            "brain": models[next(iter(models))],
            "brains": models,
            "code_version": version,
            "primary_metric": "accuracy",
            "declared_at": now,
            "question": f"Imported: how do {' and '.join(arms)} compare?",
        }
    )


def _trial(attempt: Attempt, experiment_id: str) -> TrialCompleted:
    trial_id = derived_id("trial", experiment_id, attempt.arm, attempt.sample_id, attempt.epoch)
    scores = {"accuracy": attempt.value}
    return TrialCompleted(
        id=derived_id("event", trial_id, "trial.completed"),
        experiment_id=experiment_id,
        trial_id=trial_id,
        arm=attempt.arm,
        sample_id=attempt.sample_id,
        epoch=attempt.epoch,
        session_id=attempt.session_id,
        brain=attempt.model,
        scores=scores,
        metrics={},
        tiers=regrade(scores, {}),
        usage=dict(attempt.usage),
        tool_calls=0,
        model_calls=attempt.model_calls,
        duration_seconds=0.0,
        # Only the last stretch of a trial that was begun again is timed: of these nothing is known.
        attempt=2,
        answer={},
        sample={},
    )
