"""What worker processes do: parse files into the cache, and assemble releases from it."""

from __future__ import annotations

import gc
import marshal
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..kb.deprecation_text import compile_phrases
from ..kb.observations import ModuleRead, ModuleStatus
from .assemble import Assembler, RowCache
from .cache import Cache
from .extract import extract
from .facts import ModuleFacts
from .layout import Role
from .namespaces import ModuleEntry, Release
from .plans import Assembled, Parsed, Plan, PlannedFile, SourceFile
from .sources import SourceError

MEMORY_LIMIT = 4 << 30
"""Bytes of address space that one worker may use."""
_REMEMBERED = 200_000
"""Docstrings that a worker remembers to have written: the releases of a project share nearly all."""
RECURSION_LIMIT = 12_000

_SUFFIXES: dict[str, str] = {Role.CYTHON: ".pyx", Role.DECLARED: ".pxd"}
compile_phrases()  # once, for all the workers that are forked from where this is loaded
_UNREADABLE = "!"
"""In place of facts: the file was read, and this is why it says nothing."""


class _Worker:
    """The state of one worker process."""

    cache: Cache
    known: dict[str, set[bytes]]
    loaded: dict[bytes, Any]
    rows: RowCache
    written: set[str]
    """Docstrings that this process has put into the cache already."""


_worker = _Worker()


def start_worker(cache_path: str) -> None:
    """Set the bounds of this process and open the cache."""
    # Syntax trees and facts hold no cycles: counting references frees them all.
    gc.disable()
    sys.setrecursionlimit(RECURSION_LIMIT)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, hard))
    _worker.cache = Cache(Path(cache_path))
    _worker.known = {}
    _worker.loaded = {}
    _worker.rows = RowCache()
    _worker.written = set()


def parse_files(files: Sequence[SourceFile]) -> Parsed:
    """Parse files and put their facts into the cache."""
    started = time.process_time()
    facts: dict[bytes, bytes] = {}
    docstrings: dict[str, str] = {}
    readable = 0
    for file in files:
        try:
            suffix = _SUFFIXES.get(file.role, ".py")
            found = extract(
                file.data,
                file.module,
                is_init=file.is_init,
                is_stub=file.role == Role.STUB,
                suffix=suffix,
                pxd=file.pxd,
                included=dict(file.included),
            )
            facts[file.key] = found.dump()
            docstrings.update(pair for pair in found.texts if pair[0] not in _worker.written)
            readable += 1
        except SourceError as error:
            facts[file.key] = marshal.dumps((_UNREADABLE, str(error)))
    _worker.cache.add_facts(facts, docstrings)
    if len(_worker.written) > _REMEMBERED:
        _worker.written.clear()
    _worker.written.update(docstrings)
    return Parsed(readable, time.process_time() - started)


def assemble(project: str, plan: Plan) -> Assembled:
    """Join the facts of a release.  Where facts are not there, `missing` names them and the rest is empty."""
    started = time.process_time()
    loaded, missing = _load([file.key for file in plan.files if file.reason is None])
    if missing:
        return Assembled((), [], tuple(missing))
    entries, modules = _entries(plan, loaded)
    known = _worker.known.setdefault(project, set())
    _worker.rows.keep({entry.key for entry in entries})
    assembler = Assembler(Release(entries), known, _worker.rows)
    # Equal values as one object: pickling then sends each once.
    same: dict[Any, Any] = {}
    blocks: list[tuple[bytes, Any]] = []
    for digest, block in assembler.blocks():
        rows = None
        if block is not None:
            plain = [(row.symbol, tuple(row.state), row.line) for row in block.rows]
            rows = (
                block.file,
                [(symbol, same.setdefault(state, state), line) for symbol, state, line in plain],
            )
        blocks.append((digest, rows))
    return Assembled(tuple(modules), blocks, seconds=time.process_time() - started)


def _load(keys: list[bytes]) -> tuple[dict[bytes, Any], list[bytes]]:
    """Facts by key (or the reason why there are none); those of the last release are kept in memory."""
    loaded = {key: _worker.loaded[key] for key in keys if key in _worker.loaded}
    for key, data in _worker.cache.facts(key for key in keys if key not in loaded).items():
        plain = marshal.loads(data)
        loaded[key] = plain[1] if plain[0] == _UNREADABLE else ModuleFacts.load(data)
    _worker.loaded = loaded
    return loaded, [key for key in keys if key not in loaded]


def _entries(plan: Plan, loaded: dict[bytes, Any]) -> tuple[list[ModuleEntry], list[ModuleRead]]:
    entries: dict[str, ModuleEntry] = {}
    reads: list[ModuleRead] = []
    for file in plan.files:
        entry = entries.setdefault(file.module, ModuleEntry(file.module, ""))
        entry.is_init |= file.is_init
        entry.key += file.key
        facts = loaded.get(file.key) if file.reason is None else file.reason
        reads.append(_add_file(entry, file, facts))
    for module, path in plan.skipped:
        entries.setdefault(module, ModuleEntry(module, path, opaque="a test suite, left out by rule"))
        reads.append(
            ModuleRead(module, path, ModuleStatus.SKIPPED.value, None, "a test suite, left out by rule")
        )
    for module in plan.native_packages:
        known = entries.get(module)
        if known is not None and known.opaque is None:
            known.opaque = "compiled modules are built from the native sources of this source distribution"
    return list(entries.values()), reads


def _add_file(entry: ModuleEntry, file: PlannedFile, facts: Any) -> ModuleRead:
    """Give an entry one of its files; they come in the order of `Role`: source, Cython, stub, binary."""
    if file.role == Role.COMPILED:
        return _add_compiled(entry, file)
    if not isinstance(facts, ModuleFacts):
        if entry.facts is None:
            entry.path = entry.path or file.path
            entry.opaque = f"{file.path} could not be read: {facts}"
        return ModuleRead(file.module, file.path, ModuleStatus.FAILED.value, None, str(facts))
    if file.role in (Role.STUB, Role.DECLARED):
        entry.stub, entry.stub_path = facts, file.path
    elif entry.facts is None:
        entry.facts, entry.path, entry.opaque = facts, file.path, None
    detail = f"{facts.errors} places could not be parsed" if facts.errors else None
    return ModuleRead(file.module, file.path, ModuleStatus.OK.value, facts.parser, detail)


def _add_compiled(entry: ModuleEntry, file: PlannedFile) -> ModuleRead:
    """A binary tells nothing.  Beside a stub it says that the stub may not list everything."""
    status = ModuleStatus.COMPILED.value
    if entry.facts is not None:
        return ModuleRead(file.module, file.path, status, None, "read through its source")
    if entry.stub is not None:
        shown = "declarations (.pxd)" if entry.stub_path.endswith(".pxd") else "stub"
        entry.opaque = f"a compiled extension, whose {shown} may not list every name"
        return ModuleRead(file.module, file.path, status, None, f"read through its {shown}")
    entry.path = entry.path or file.path
    entry.opaque = "a compiled extension without stub or source"
    return ModuleRead(file.module, file.path, status, None, entry.opaque)
