"""All events as one type, and the one way in and out of JSON.

An event of a type this version does not know is kept whole as `UnknownEvent`, so that a log written
by a newer nightschool passes through an older one undamaged.
"""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any, Final

from pydantic import ValidationError

from nightschool.core.errors import Malformed
from nightschool.events import (
    agent,
    calibration,
    dream,
    effect,
    experiment,
    lock,
    memory,
    plan,
    registry,
    session,
    span,
    user,
    workflow_run,
)
from nightschool.events.base import EventBase

__all__ = ["EVENT_TYPES", "Event", "UnknownEvent", "dump_event", "parse_event"]


class UnknownEvent(EventBase):
    """An event of a type this version does not know, kept with all its fields."""


Event = EventBase
"""Any event; narrow it with ``isinstance`` or by ``type``."""


def _kinds(module: ModuleType) -> dict[str, type[EventBase]]:
    kinds = (getattr(module, name) for name in module.__all__)
    events = (kind for kind in kinds if isinstance(kind, type) and issubclass(kind, EventBase))
    return {kind.model_fields["type"].default: kind for kind in events}


EVENT_TYPES: Final[dict[str, type[EventBase]]] = {
    name: kind
    for module in (
        user,
        agent,
        session,
        span,
        workflow_run,
        plan,
        lock,
        registry,
        experiment,
        calibration,
        memory,
        dream,
        effect,
    )
    for name, kind in _kinds(module).items()
}
"""Every event type this version knows, by wire name."""


def parse_event(data: str | bytes | dict[str, Any]) -> Event:
    """Read one event from JSON text or an already parsed object.

    Raises:
        Malformed: not a JSON object, no ``type``, or fields that do not fit the type.
    """
    try:
        fields = data if isinstance(data, dict) else json.loads(data)
    except ValueError as error:
        raise Malformed(f"event is not JSON: {error}") from error
    if not isinstance(fields, dict) or not isinstance(fields.get("type"), str):
        raise Malformed("event has no `type`; give it one of the types in docs/reference/events.md")
    kind = EVENT_TYPES.get(fields["type"], UnknownEvent)
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise Malformed(
            f"event {fields['type']}: field `{field}`: {first['msg']}", type=fields["type"], field=field
        ) from error


def dump_event(event: Event) -> str:
    """Write one event as JSON text; absent optional fields are left out."""
    return event.model_dump_json(exclude_none=True)
