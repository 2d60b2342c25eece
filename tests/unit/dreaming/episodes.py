"""Episodes for tests, told in a few words."""

from __future__ import annotations

from nightschool.dreaming.causes import cause_of, normalise
from nightschool.dreaming.episode import Call, Claim, Episode, Label, LabelSource
from nightschool.dreaming.tool_kind import kind_of

__all__ = ["call", "claim", "episode", "labels"]


def call(tool: str, arguments: str = "a", *, result: str = "ok", error: str = "") -> Call:
    """Return a call; ``error`` is the text it failed with."""
    return Call(
        event_id=f"sevt_{tool}_{arguments}_{result}",
        tool=tool,
        kind=kind_of(tool),
        parameters=("x",),
        arguments_hash=arguments,
        result_hash=error or result,
        error=normalise(error) if error else "",
        cause=cause_of(error) if error else None,
    )


def labels(**passed: bool) -> tuple[Label, ...]:
    """Return labels by source: ``labels(true_check=True, grader=False)``."""
    return tuple(
        Label(source=LabelSource(source), passed=value, event_id=f"sevt_{source}")
        for source, value in passed.items()
    )


def claim(text: str, *, tainted: bool = False, said_by: LabelSource = LabelSource.USER) -> Claim:
    """Return a statement."""
    return Claim(event_id=f"sevt_{abs(hash(text))}", text=text, is_tainted=tainted, said_by=said_by)


def episode(
    name: str,
    *calls: Call,
    passed: bool | None = None,
    judged: tuple[Label, ...] | None = None,
    task_type: str = "shop/order",
    task: str | None = None,
    at: str = "",
    claims: tuple[Claim, ...] = (),
    tenant: str = "",
    recalled: tuple[str, ...] = (),
    used: tuple[str, ...] = (),
    excluded: str = "",
) -> Episode:
    """Return a session; ``passed`` is a true check's word."""
    if judged is None:
        judged = () if passed is None else labels(true_check=passed)
    return Episode(
        session_id=f"sesn_{name}",
        source="run",
        tenant=tenant,
        task_type=task_type,
        task=task or name,
        at=at,
        labels=judged,
        calls=calls,
        claims=claims,
        recalled=recalled,
        used=used,
        excluded=excluded,
    )
