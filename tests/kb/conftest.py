"""Small projects, written down as `{version: {symbol: state}}`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from apikb.kb.lookup import KnowledgeBase
from apikb.kb.observations import Block, ModuleRead, ProjectObservation, ReleaseObservation, Row
from apikb.kb.releases import Release, ReleaseStatus
from apikb.kb.store import publish
from apikb.kb.symbols import Parameter, Signature, SymbolState

Content = Mapping[str, SymbolState]


def module(**fields: object) -> SymbolState:
    return SymbolState(kind="module", **fields)  # type: ignore[arg-type]


def klass(*mro: str, **fields: object) -> SymbolState:
    return SymbolState(kind="class", mro=mro, **fields)  # type: ignore[arg-type]


def function(*names: str, **fields: object) -> SymbolState:
    parameters = tuple(Parameter(name.strip("*"), _kind(name)) for name in names)
    return SymbolState(kind="function", signature=Signature(parameters), **fields)  # type: ignore[arg-type]


def _kind(name: str) -> str:
    if name.startswith("**"):
        return "variadic keyword"
    return "variadic positional" if name.startswith("*") else "positional or keyword"


def observe(
    releases: Mapping[str, Content | str], project: str = "lib", unread: Mapping[str, str] | None = None
) -> ProjectObservation:
    """One block per file; a text in place of content is the reason of a failure."""
    found = ProjectObservation(project)
    for version, content in releases.items():
        if isinstance(content, str):
            found.releases.append(ReleaseObservation(Release(version, ReleaseStatus.FAILED, content)))
            continue
        blocks: dict[str, list[Row]] = {}
        for line, (symbol, state) in enumerate(content.items(), 1):
            blocks.setdefault(symbol.partition(".")[0], []).append(Row(symbol, state, line))
        digests = []
        for name, rows in blocks.items():
            block = Block(f"{name}/__init__.py", tuple(rows))
            digest = hashlib.blake2b(repr(block).encode(), digest_size=8).digest()
            found.blocks[digest] = block
            digests.append(digest)
        modules = tuple(
            ModuleRead(symbol, f"{symbol}.py", "ok", "ast")
            for symbol, state in content.items()
            if state.kind == "module"
        )
        modules += tuple(ModuleRead(name, f"{name}.so", status) for name, status in (unread or {}).items())
        release = Release(version, artifact=f"{project}-{version}.whl", sha256="ab" * 32, size=10)
        found.releases.append(ReleaseObservation(release, modules, tuple(digests)))
    return found


Opener = Callable[..., KnowledgeBase]


@pytest.fixture
def open_kb(tmp_path: Path) -> Opener:
    """Publish projects and open the file."""

    def make(*observations: ProjectObservation) -> KnowledgeBase:
        publish(tmp_path / "kb.duckdb", observations)
        return KnowledgeBase.open(tmp_path / "kb.duckdb")

    return make


class Build:
    """The builders, for tests: test modules cannot import one another."""

    module = staticmethod(module)
    klass = staticmethod(klass)
    function = staticmethod(function)
    observe = staticmethod(observe)


@pytest.fixture(scope="session")
def build() -> type[Build]:
    return Build
