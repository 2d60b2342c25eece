"""`python -m nightschool.dashboard [--port PORT] [--data FOLDER]`."""

from __future__ import annotations

import sys

from nightschool.dashboard.server import serve

__all__: list[str] = []

if __name__ == "__main__":
    serve(sys.argv[1:])
