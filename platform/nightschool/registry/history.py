"""What was applied to the registry, in the log: which text became which version of which agent, and when.

Knows nothing about where versions are kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final

from nightschool.core.ids import derived_id
from nightschool.events.registry import AgentApplied
from nightschool.events.session import AgentSnapshot
from nightschool.registry.versions import Applied
from nightschool.sessions.log import SessionLog

__all__ = ["REGISTRY_SESSION", "record_applied"]

REGISTRY_SESSION: Final = derived_id("session", "registry of agents")
"""The session in which a data folder keeps them."""


async def record_applied(log: SessionLog, applied: Iterable[Applied]) -> None:
    """Append what was applied; what the log has already is not appended again.

    Raises:
        StoreError: nothing was appended.
    """
    events = [_event(each) for each in applied]
    if events:
        metadata = {"role": "registry", "source": "registry"}
        snapshot = AgentSnapshot(name="registry", model="code")
        writer = await log.create(
            REGISTRY_SESSION, agent=snapshot, title="Registry of agents", metadata=metadata
        )
        await writer.emit_event(*events)


def _event(applied: Applied) -> AgentApplied:
    agent = applied.agent
    return AgentApplied(
        id=derived_id("event", REGISTRY_SESSION, agent.name, agent.version),
        processed_at=applied.applied_at,
        agent_id=agent.name,
        name=agent.name,
        version=agent.version,
        digest=hashlib.sha256(applied.text.encode()).hexdigest(),
        model=agent.model,
        tools=agent.tools,
        permissions=agent.permissions,
    )
