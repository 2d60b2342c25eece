"""What each failure strategy promises, checked on what became of every task. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["kept"]


def kept(answer: Mapping[str, Any]) -> float:
    """Return the share of promises that were kept; 1 where nothing was promised."""
    tasks = answer["tasks"]
    promises = [_promise(name, tasks, answer.get("failed", {})) for name in tasks]
    return sum(promises) / len(promises) if promises else 1.0


def _promise(name: str, tasks: Mapping[str, Any], failed: Mapping[str, str]) -> bool:
    """Say whether a task was treated as its strategy and those before it promise.

    It is blocked exactly when a critical task before it failed, or it has nothing to join. What failed is
    named with its reason, and went through the fallback queue where it was to be retried.
    """
    task = tasks[name]
    before = [tasks[each] for each in task["depends_on"]]
    lost = [each for each in before if each["status"] == "failed"]
    nothing_to_join = task["is_joined"] and bool(before) and lost == before
    blocked = nothing_to_join or any(each["on_failure"] == "critical" for each in lost)
    if blocked != (task["error"] == "task_blocked"):
        return False
    if task["status"] == "failed":
        rescued = blocked or task["on_failure"] != "retry" or task["is_fallback"]
        return bool(rescued and failed.get(name))
    return bool(task["status"] == "done")
