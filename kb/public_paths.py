"""Which of the paths of one object a user should be shown.  Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

_BUNDLED = {"_vendor", "vendor", "vendored", "externals", "extern", "third_party", "thirdparty", "packages"}
"""Folders in which packages keep copies of other packages, by convention of the field."""


def is_public(path: str) -> bool:
    """Whether no part of a path is private; `__call__` and its like are no names that are written.

    >>> is_public("a.b.C.d"), is_public("a._b.C"), is_public("a.B.__len__")
    (True, False, False)
    """
    return "._" not in path and not path.startswith("_")


def best_first(runs: Mapping[str, Iterable[tuple[int, int]]]) -> tuple[str, ...]:
    """Paths with the releases in which they are valid (half-open), the one to be shown first.

    A path that is still there goes before one that is gone, then one outside of bundled copies, then the
    shortest: fewest parts, fewest characters.

    >>> best_first({"a.b.core.f": [(0, 9)], "a.f": [(3, 9)], "f.f": [(0, 2)]})
    ('a.f', 'a.b.core.f', 'f.f')
    """
    ends = {path: max(high for _, high in spans) for path, spans in runs.items()}
    newest = max(ends.values(), default=0)
    return tuple(sorted(runs, key=lambda path: (ends[path] < newest, *_rank(path))))


def _rank(path: str) -> tuple[bool, int, int, str]:
    parts: Sequence[str] = path.split(".")
    return not _BUNDLED.isdisjoint(parts[1:]), len(parts), len(path), path
