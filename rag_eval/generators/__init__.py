"""Generators: what writes the outputs that are scored.  `generator_named` makes one by its name."""

from __future__ import annotations

from .interface import Generated, Generator, Sampling
from .named import generator_named

__all__ = ["Generated", "Generator", "Sampling", "generator_named"]
