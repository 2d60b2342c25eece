"""nightschool: run many agents, grade them, let them learn, and say what each part is worth."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
