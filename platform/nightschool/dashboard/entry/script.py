"""What Streamlit runs for every visit and every click."""

from __future__ import annotations

import sys

from nightschool.dashboard.navigation import start

__all__: list[str] = []

if __name__ == "__main__":
    start(sys.argv[1:])
