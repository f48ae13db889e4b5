"""apikb: a knowledge base of the lifespans of Python APIs."""

from __future__ import annotations

__version__ = "0.1.0"
