"""The second way in which the dashboard writes: a person's word on a tool call, appended to the log.

Only where the settings say so (`Settings.answers`): unlike a label, a word lets an agent act. The journal is
opened for this one append and closed again; see `docs/decisions/0018-a-word-goes-through-the-log.md`.
"""

from __future__ import annotations

from functools import partial

import anyio

from nightschool.bootstrap import open_workspace
from nightschool.core.errors import InvalidInput
from nightschool.events.user import UserToolConfirmation
from nightschool.sessions.permission import Answer, answer_call
from nightschool.settings import Settings

__all__ = ["write_answer"]


def write_answer(
    settings: Settings, session_id: str, tool_use_id: str, answer: Answer
) -> UserToolConfirmation:
    """Give a word on a call and return the one that holds, perhaps somebody else's.

    Raises:
        InvalidInput: this dashboard only reads, or the call takes no word.
        NotFound: the session is not in the journal.
        StoreError: nothing was stored; the kind says why.
    """
    if not settings.answers:
        raise InvalidInput("this dashboard only reads; start it with `nightschool open --answers`")
    with open_workspace(settings) as workspace:
        say = partial(answer_call, workspace.log, session_id, tool_use_id, answer)
        return anyio.run(say)
