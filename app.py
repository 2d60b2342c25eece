"""The dashboard: `make dashboard`, or `streamlit run app.py -- --data FOLDER` for another data folder."""

from __future__ import annotations

import sys

from nightschool.dashboard.navigation import start

start(sys.argv[1:])
