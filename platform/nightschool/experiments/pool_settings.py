"""What an arm says of its pool of agents: who is chosen, who is kept ready, what follows a failure.

The same settings for documents and for plans. Knows nothing about what the agents do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeVar

from nightschool.experiments.arms import Arm
from nightschool.experiments.yaml_file import fail_at
from nightschool.orchestration.agent_choice import ChoicePolicy
from nightschool.orchestration.plan import OnFailure
from nightschool.orchestration.pools import Pool
from nightschool.registry.agents import AgentFile

__all__ = ["PoolSettings", "pool_settings", "refuse_value"]

_MAY_BE_NOUGHT: Final = frozenset({"max_reruns", "pool_dynamic", "pool_static", "pool_ttl_seconds"})
_Kind = TypeVar("_Kind", bound=StrEnum)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSettings:
    """What is said of the pool."""

    policy: ChoicePolicy
    fallback: str | None
    on_failure: OnFailure | None
    """None: what each task says itself."""
    pool: Pool


def refuse_value(arm: Arm, name: str, value: Any, kind: type) -> None:
    """Refuse a setting of the wrong kind.

    Raises:
        Malformed: as said, with the place in the arm's file.
    """
    if kind is str:
        if not isinstance(value, str) or not value:
            fail_at(arm.path, ("settings", name), "must be a name")
        return
    if kind is bool:
        if not isinstance(value, bool):
            fail_at(arm.path, ("settings", name), "must be true or false")
        return
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if name in _MAY_BE_NOUGHT:
        if not is_number or value < 0:
            fail_at(arm.path, ("settings", name), "must be a number, 0 or more")
    elif not is_number or value <= 0:
        fail_at(arm.path, ("settings", name), "must be a number above 0")


def pool_settings(arm: Arm, values: Mapping[str, Any], agents: Sequence[AgentFile]) -> PoolSettings:
    """Return what the arm says of its pool.

    Raises:
        Malformed: an unknown policy, strategy or fallback agent, two agents of one name, or a pool in which
            nobody may work.
    """
    names = [agent.name for agent in agents]
    if twice := next((a.name for a in agents for b in agents if a.name == b.name and a != b), None):
        fail_at(arm.path, ("agents",), f"two agents are called `{twice}`; a pool tells them by their names")
    fallback = values.get("fallback")
    if fallback is not None and fallback not in names:
        fail_at(arm.path, ("settings", "fallback"), f"no agent of this arm is called `{fallback}`")
    strategy = _one_of(OnFailure, arm, values, "on_failure")
    return PoolSettings(
        policy=_one_of(ChoicePolicy, arm, values, "policy") or ChoicePolicy.CAPABILITY,
        fallback=fallback,
        on_failure=strategy,
        pool=_pool(arm, values),
    )


def _pool(arm: Arm, values: Mapping[str, Any]) -> Pool:
    static = values.get("pool_static", 0)
    dynamic = values.get("pool_dynamic", max(arm.max_parallel_agents - static, 0))
    if static + dynamic < 1:
        fail_at(arm.path, ("settings", "pool_dynamic"), "nobody may work: a pool needs room for one agent")
    return Pool(
        static=static, dynamic=dynamic, ttl_seconds=values.get("pool_ttl_seconds", Pool().ttl_seconds)
    )


def _one_of(kind: type[_Kind], arm: Arm, values: Mapping[str, Any], name: str) -> _Kind | None:
    value = values.get(name)
    if value is None:
        return None
    if value not in tuple(kind):
        fail_at(arm.path, ("settings", name), f"unknown: `{value}`; there are: {', '.join(kind)}")
    return kind(value)
