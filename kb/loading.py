"""Reading a project's observations back from the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .codec import decode_state
from .masks import bits, span_mask
from .observations import Block, ModuleRead, ProjectObservation, ReleaseObservation, Row
from .releases import Release, ReleaseStatus
from .symbols import SymbolState

Query = Callable[[str, Sequence[object]], list[tuple[Any, ...]]]


def read_observation(query: Query, project: str) -> ProjectObservation | None:
    """Rebuild what was published; None where the project is not there."""
    found = query("SELECT pid FROM internal.projects WHERE project = ?", [project])
    if not found:
        return None
    pid = found[0][0]
    releases = read_releases(query, pid)
    modules = _modules(query, pid, len(releases))
    digests: list[list[bytes]] = [[] for _ in releases]
    blocks: dict[bytes, Block] = {}
    rows = _rows(query, pid)
    for number, digest, file, mask in query(
        "SELECT block, digest, file, mask FROM internal.blocks WHERE pid = ?", [pid]
    ):
        key = bytes(digest)
        blocks[key] = Block(file, tuple(rows.pop(number, ())))
        for ordinal in bits(int.from_bytes(mask, "little")):
            digests[ordinal].append(key)
    observed = [
        ReleaseObservation(release, tuple(sorted(modules[n], key=_module_key)), tuple(sorted(digests[n])))
        for n, release in enumerate(releases)
    ]
    return ProjectObservation(project, observed, blocks)


def _module_key(module: ModuleRead) -> tuple[str, ...]:
    return tuple(str(part) for part in module)


def read_releases(query: Query, pid: int) -> list[Release]:
    """The releases of a project in PEP 440 order."""
    rows = query(
        "SELECT version, status, reason, yanked, yanked_reason, uploaded_at, requires_python, artifact, "
        "sha256, size, fetched, reader FROM internal.releases WHERE pid = ? ORDER BY ordinal",
        [pid],
    )
    return [Release(version, ReleaseStatus(status), *rest) for version, status, *rest in rows]


def _modules(query: Query, pid: int, count: int) -> list[list[ModuleRead]]:
    found: list[list[ModuleRead]] = [[] for _ in range(count)]
    for *fields, low, high in query(
        "SELECT module, file, status, parser, detail, first, last FROM internal.modules WHERE pid = ?", [pid]
    ):
        module = ModuleRead(*fields)
        for ordinal in bits(span_mask(low, high)):
            found[ordinal].append(module)
    return found


def _rows(query: Query, pid: int) -> dict[int, list[Row]]:
    states: dict[int, SymbolState] = {
        number: decode_state(data)
        for number, data in query("SELECT state, data FROM internal.states WHERE pid = ?", [pid])
    }
    found: dict[int, list[Row]] = {}
    for block, symbol, state, line in query(
        "SELECT block, symbol, state, line FROM internal.rows WHERE pid = ? ORDER BY block, position", [pid]
    ):
        found.setdefault(block, []).append(Row(symbol, states[state], line))
    return found
