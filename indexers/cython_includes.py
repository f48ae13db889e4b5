"""Files that Cython sources include: which of an artifact's files an `include` statement means."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

_INCLUDE = re.compile(rb"^[ \t]*include[ \t]+[rbuRBU]?['\"]([^'\"\n]{1,200})['\"]", re.MULTILINE)
_MOST_FILES = 128
_MOST_BYTES = 8 << 20
_MAX_DEPTH = 8

Reader = Callable[[list[str]], Iterable[tuple[str, bytes]]]
"""Reads members of an artifact by their paths."""


def included_names(data: bytes) -> list[str]:
    """What the `include` statements of a source name, as written."""
    found = (match.decode("utf-8", "replace") for match in _INCLUDE.findall(data))
    return list(dict.fromkeys(found))


def resolve_include(name: str, source: str, candidates: Sequence[str]) -> str | None:
    """The path that a name means: beside the including file, else the one path that ends in the name."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(source), name))
    if beside in candidates:
        return beside
    tail = posixpath.normpath(name).lstrip("./")
    matching = [path for path in candidates if path == tail or path.endswith(f"/{tail}")]
    return matching[0] if len(matching) == 1 else None


def read_includes(
    sources: Mapping[str, bytes], candidates: Sequence[str], read: Reader
) -> dict[str, dict[str, bytes]]:
    """For each source, by its path, the files that it includes, directly or not, by the names written there.

    Bounded: what lies beyond the bounds is left out, and its names stay unknown.
    """
    contents: dict[str, bytes] = {}
    wanted = {
        (path, name, resolve_include(name, path, candidates))
        for path, data in sources.items()
        for name in included_names(data)
    }
    found: dict[str, dict[str, str]] = {path: {} for path in sources}
    pending = sorted((root, name, path) for root, name, path in wanted if path is not None)
    for _ in range(_MAX_DEPTH):
        new = [path for path in dict.fromkeys(path for _, _, path in pending) if path not in contents]
        contents.update(read(new[: _MOST_FILES - len(contents)]) if new else ())
        if sum(map(len, contents.values())) > _MOST_BYTES:
            return {}
        deeper = []
        for root, name, path in pending:
            if path in contents and name not in found[root]:
                found[root][name] = path
                for inner in included_names(contents[path]):
                    target = resolve_include(inner, path, candidates)
                    if target is not None:
                        deeper.append((root, inner, target))
        pending = deeper
        if not pending:
            break
    return {
        root: {name: contents[path] for name, path in sorted(names.items())} for root, names in found.items()
    }
