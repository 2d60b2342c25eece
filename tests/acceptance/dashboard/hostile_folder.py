"""A data folder whose log holds what a log should not: markup, scripts, control codes, broken text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from nightschool.core.clock import FrozenClock
from nightschool.core.ids import derived_id
from nightschool.events.agent import AgentMessage, AgentToolResult, AgentToolUse
from nightschool.events.base import EventBase, TextBlock
from nightschool.events.experiment import ExperimentCreated, TrialCompleted, TrialFailed, TrialStarted
from nightschool.events.lock import LockConflict, MediationDecided, MediationRequested
from nightschool.events.plan import PlanCreated, PoolResized, TaskFailed, TaskStarted
from nightschool.events.session import (
    AgentSnapshot,
    SessionCreated,
    SessionStatusIdle,
    SessionStatusRunning,
    StopReason,
)
from nightschool.events.user import UserMessage
from nightschool.experiments.design import declare, manifest_hash
from nightschool.journal.journal import Journal
from nightschool.outcomes.tiers import judge

__all__ = ["EXPERIMENT", "HOSTILE", "LONG", "SESSION", "TRIAL", "write_hostile"]

EXPERIMENT: Final = "exp_hostile"
SESSION: Final = derived_id("session", "hostile")
TRIAL: Final = derived_id("trial", EXPERIMENT, "evil")
SCRIPT: Final = "<script>window.pwned = 1; alert(1)</script>"
HOSTILE: Final = (
    SCRIPT,
    '<img src=x onerror="window.pwned = 1">',
    '"><svg/onload=window.pwned=1>',
    "</pre></details></li></ol><h1>out of the list</h1>",
    "[click](javascript:window.pwned=1) ![x](http://example.invalid/x.png) :material/home: $x^2$ # heading",
    "<style>* { display: none !important }</style>",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x00 \x08",
    "مرحبا بالعالم \u202eright to left\u202c שלום",
    "😀👩‍👩‍👧‍👦🏳️‍🌈 Z̵̢̛̗̘̙̈́̂",
    b"broken \xff\xfe utf-8 \xc3\x28".decode("utf-8", errors="replace"),
    "{{7*7}} %(x)s {x} '; DROP TABLE events; --",
)
LONG: Final = "5 MB: " + "word <b>&amp;</b> " * (5 * 1024 * 1024 // 17)
"""Characters of one message."""


def write_hostile(folder: Path) -> None:
    """Write an experiment and its sessions; every free text in them is hostile."""
    clock = FrozenClock()
    journal = Journal.open(folder / "journal.sqlite", clock=clock)
    number = iter(range(10_000))

    def named() -> str:
        return derived_id("event", "hostile", next(number))

    arm = f"evil {SCRIPT}"
    samples = [f"doc {SCRIPT}", "doc \x1b[31m \u202e"]
    manifest = declare(
        {
            "suite": f"suite {SCRIPT}",
            "suite_hash": "h",
            "arms": ["plain <b>bold</b>", arm],
            "arm_hashes": {"plain <b>bold</b>": "a", arm: "b"},
            "samples": samples,
            "repeats": 1,
            "seed": 1,
            "brain": "reader",
            "code_version": "<i>0</i>",
            "primary_metric": "recall",
            "declared_at": clock.now(),
        }
    )
    created = ExperimentCreated(
        id=named(),
        processed_at=clock.now(),
        experiment_id=EXPERIMENT,
        manifest=manifest.model_dump(mode="json"),
        manifest_hash=manifest_hash(manifest),
    )
    journal.append(EXPERIMENT, [created], epoch=1)
    for name in manifest.arms:
        for sample in samples:
            trial = TRIAL if (name, sample) == (arm, samples[0]) else derived_id("trial", name, sample)
            facts: dict[str, Any] = {
                "experiment_id": EXPERIMENT,
                "trial_id": trial,
                "arm": name,
                "sample_id": sample,
                "epoch": 0,
                "session_id": SESSION,
            }
            events: list[EventBase] = [TrialStarted(id=named(), processed_at=clock.now(), **facts)]
            if trial != TRIAL and name == arm:
                error = {"code": SCRIPT, "message": " ".join(HOSTILE)}
                events.append(
                    TrialFailed(
                        id=named(), processed_at=clock.now(), error=error, duration_seconds=1, **facts
                    )
                )
            else:
                events.append(_completed(named(), clock, facts))
            journal.append(EXPERIMENT, events, epoch=1)
    journal.append(SESSION, list(_session(named, clock, arm)), epoch=1)
    journal.close()


def _completed(event_id: str, clock: FrozenClock, facts: dict[str, Any]) -> TrialCompleted:
    positions = [
        {"policy": text, "position": text, "section": text, "quote": text, "reason": text, "confidence": 0.5}
        for text in HOSTILE
    ]
    scores = {"accuracy": 0.5, "completeness": 0.5}
    return TrialCompleted(
        id=event_id,
        processed_at=clock.now(),
        **facts,
        brain="reader",
        scores=scores,
        metrics={"recall": 0.5, f"metric {SCRIPT}": 1.0},
        tiers=judge(scores),
        usage={"input_tokens": 10, "output_tokens": 1},
        tool_calls=1,
        model_calls=1,
        duration_seconds=1.0,
        cost_usd="0.01",
        answer={"positions": positions, "failed": list(HOSTILE)},
        sample={"pages": 3},
    )


def _in_the_way(named: Callable[[], str], clock: FrozenClock) -> list[EventBase]:
    facts: dict[str, Any] = {"resource": SCRIPT, "task_id": HOSTILE[1], "processed_at": clock.now()}
    return [
        LockConflict(id=named(), expected=1, present=2, conflicts=3, **facts),
        MediationRequested(id=named(), present_version=2, present=SCRIPT, proposed=SCRIPT, **facts),
        MediationDecided(id=named(), version=3, value=SCRIPT, note="\n".join(HOSTILE), **facts),
        PoolResized(id=named(), processed_at=clock.now(), plan_id=HOSTILE[3], size=3),
    ]


def _asking(named: Callable[[], str], clock: FrozenClock) -> list[EventBase]:
    """A call that asks for permission, and a session that waits for the word."""
    given = {text: text for text in HOSTILE}
    call = AgentToolUse(
        id=named(), processed_at=clock.now(), name=SCRIPT, input=given, evaluated_permission="ask"
    )
    reason = StopReason(type="requires_action", event_ids=(call.id,))
    return [call, SessionStatusIdle(id=named(), processed_at=clock.now(), stop_reason=reason)]


def _session(named: Callable[[], str], clock: FrozenClock, arm: str) -> list[EventBase]:
    now = clock.now()
    metadata = {
        "experiment_id": EXPERIMENT,
        "trial_id": TRIAL,
        "arm": arm,
        "role": f"role {SCRIPT}",
        "source": SCRIPT,
    }
    snapshot = AgentSnapshot(name=SCRIPT, model=SCRIPT, system="\n".join(HOSTILE) * 20)
    events: list[EventBase] = [
        SessionCreated(
            id=named(), processed_at=now, agent=snapshot, title=f"title {SCRIPT}", metadata=metadata
        ),
        SessionStatusRunning(id=named(), processed_at=now),
    ]
    for text in HOSTILE:
        call = AgentToolUse(id=named(), processed_at=now, name=text, input={text: text})
        block = (TextBlock(text=text),)
        events += [
            UserMessage(id=named(), processed_at=now, content=block),
            AgentMessage(id=named(), processed_at=now, content=(TextBlock(text=text * 40),)),
            call,
            AgentToolResult(id=named(), processed_at=now, tool_use_id=call.id, content=block, is_error=True),
        ]
    tasks = tuple({"id": text, "title": text, "depends_on": [HOSTILE[0]]} for text in HOSTILE)
    plan: dict[str, Any] = {"plan_id": SCRIPT, "task_id": HOSTILE[1], "task_session_id": SESSION}
    events += [
        AgentMessage(id=named(), processed_at=now, content=(TextBlock(text=LONG),)),
        PlanCreated(id=named(), processed_at=now, plan_id=SCRIPT, goal=SCRIPT, tasks=tasks, layers=()),
        TaskStarted(id=named(), processed_at=now, **plan),
        TaskFailed(id=named(), processed_at=now, error={"message": SCRIPT}, **plan),
        *_in_the_way(named, clock),
        *_asking(named, clock),
    ]
    return events
