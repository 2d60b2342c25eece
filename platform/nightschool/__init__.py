"""nightschool: run many agents, grade them, let them learn, and say what each part is worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # takes a second to import: too long for a version number
    from nightschool.warehouse.reader import Reader

__all__ = ["__version__", "open_warehouse"]

__version__ = "0.1.0"


def open_warehouse(data: str | Path | None = None) -> Reader:
    """Return a read-only reader of a data folder's log, for notebooks and scripts; close it, or use `with`.

    It sees every event committed when a question begins, while a run goes on too, and keeps none waiting.

        with nightschool.open_warehouse() as log:
            frame = log.query("SELECT arm, avg(accuracy) AS accuracy FROM v1_trials GROUP BY arm")

    Answers are polars frames; `frame.to_pandas()` and `frame.to_arrow()` hand them on.

    Args:
        data: the data folder; else what ``NIGHTSCHOOL_DATA`` names, else ``data``.

    Raises:
        NotFound: there is no data folder with a journal yet.
        StoreCorrupt: what is in it is not what was written.
    """
    from nightschool.bootstrap import connect_reader
    from nightschool.settings import read_settings

    return connect_reader(read_settings(data=None if data is None else Path(data)))
