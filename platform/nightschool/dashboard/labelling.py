"""The one way in which the dashboard writes: a person's label, appended to the log.

Everything else that the pages do is reading. The journal is opened for this one append and closed again; see
`docs/decisions/0015-labels-are-events.md`.
"""

from __future__ import annotations

from functools import partial

import anyio

from nightschool.bootstrap import open_workspace
from nightschool.experiments.labelling import record_label
from nightschool.outcomes.labels import Label
from nightschool.settings import Settings

__all__ = ["write_label"]


def write_label(settings: Settings, session_id: str, label: Label) -> None:
    """Append a label to the session whose result it judges.

    Raises:
        NotFound: the session is not in the journal.
        StoreError: nothing was stored; the kind says why.
    """
    with open_workspace(settings) as workspace:
        anyio.run(partial(record_label, label=label), workspace.log, session_id)
