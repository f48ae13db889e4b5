"""From observations to what can be asked, through a real file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apikb.kb.lookup import KnowledgeBase
from apikb.kb.observations import Block, ModuleRead, ProjectObservation, ReleaseObservation, Row
from apikb.kb.releases import Release, ReleaseStatus
from apikb.kb.schema import VIEWS
from apikb.kb.store import load_observation, publish
from apikb.kb.symbols import Deprecation, Parameter, Signature, SymbolState

Opener = Callable[..., KnowledgeBase]
Build = Any

PLAIN = [
    SymbolState(kind="function", signature=Signature((Parameter("x", "positional or keyword"),))),
    SymbolState(kind="function", signature=Signature((Parameter("y", "keyword-only", "1"),)), doc="d" * 16),
    SymbolState(kind="function", deprecations=(Deprecation("warning", "use p.f", line=3),)),
    SymbolState(kind="class"),
    SymbolState(kind="module"),
    SymbolState(kind="module", opaque="names made by a loop", removed_names=("f",)),
    SymbolState(status="tombstone", kind="function", message="gone: use p.f"),
    SymbolState(status="unknown", message="made by a loop"),
]
HEIRS = [
    SymbolState(kind="class", mro=("p.C",), visibility="private"),
    SymbolState(kind="class", mro=("p.C",)),
    SymbolState(kind="class", mro=("other.Base", "p.C")),
]
ALIASES = [
    SymbolState(kind="class", target="p.D", visibility="exported", via="import"),
    SymbolState(kind="module", target="p.m", visibility="private"),
    SymbolState(kind="module", target="os", visibility="private"),
]
NAMES = {
    **dict.fromkeys(["p", "p.m", "p.m.f", "p.f", "p.C", "p.C.a", "p.D.a", "p.D.b", "p.E.a", "p.x.f"], PLAIN),
    "p.D": PLAIN + HEIRS,
    "p.E": PLAIN + HEIRS + ALIASES,
    "p.x": PLAIN + ALIASES,
}
CONTENTS = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(states) for name, states in NAMES.items()}
)


@st.composite
def observations(draw: st.DrawFn) -> ProjectObservation:
    found = ProjectObservation("lib")
    versions = draw(
        st.lists(st.sampled_from(["1.0", "1.1", "1.2rc1", "1.2", "2.0", "2.1"]), unique=True, min_size=1)
    )
    for version in versions:
        if draw(st.integers(0, 5)) == 0:
            found.releases.append(ReleaseObservation(Release(version, ReleaseStatus.FAILED, "broken")))
            continue
        digests = []
        for file in ("p/__init__.py", "p/m.py"):
            rows = tuple(Row(symbol, state, 1) for symbol, state in sorted(draw(CONTENTS).items()))
            block = Block(file, rows)
            digest = repr(block).encode()[-400:] + file.encode()
            found.blocks[digest] = block
            digests.append(digest)
        status = draw(st.sampled_from(["ok", "ok", "failed", "compiled"]))
        found.releases.append(
            ReleaseObservation(Release(version), (ModuleRead("p.m", "p/m.py", status),), tuple(digests))
        )
    return found


def dump(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """All views, and all that `symbols_at` says."""
    with KnowledgeBase.open(path) as kb:
        found = {view: sorted(kb.sql(f'FROM "{view}"').rows, key=repr) for view in VIEWS}
        for release in kb.releases("lib"):
            query = f"FROM symbols_at('lib', '{release.version}')"
            found[release.version] = sorted(kb.sql(query).rows, key=repr)
        return found


SLOW = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SLOW
@given(observations(), st.integers(0, 1000))
def test_order_and_repetition_of_the_input_change_nothing(
    tmp_path_factory: pytest.TempPathFactory, observed: ProjectObservation, seed: int
) -> None:
    tmp_path = tmp_path_factory.mktemp("order")
    publish(tmp_path / "a", [observed])
    shuffled = ProjectObservation(
        "lib", [*observed.releases, *observed.releases[:1]], dict(reversed(observed.blocks.items()))
    )
    Random(seed).shuffle(shuffled.releases)
    publish(tmp_path / "b", [shuffled])
    assert dump(tmp_path / "a") == dump(tmp_path / "b")


@SLOW
@given(observations(), st.integers(0, 1000))
def test_incremental_equals_from_scratch_in_any_order_of_arrival(
    tmp_path_factory: pytest.TempPathFactory, observed: ProjectObservation, seed: int
) -> None:
    """A project is folded afresh from the stored per-release observations."""
    tmp_path = tmp_path_factory.mktemp("steps")
    publish(tmp_path / "whole", [observed])
    releases = list(observed.releases)
    Random(seed).shuffle(releases)
    for release in releases:
        known = load_observation(tmp_path / "steps", "lib") or ProjectObservation("lib")
        known.releases.append(release)
        known.blocks.update({digest: observed.blocks[digest] for digest in release.blocks})
        publish(tmp_path / "steps", [known])
    assert dump(tmp_path / "steps") == dump(tmp_path / "whole")


@SLOW
@given(observations())
def test_a_lookup_and_the_views_say_the_same(
    tmp_path_factory: pytest.TempPathFactory, observed: ProjectObservation
) -> None:
    path = tmp_path_factory.mktemp("same") / "kb"
    publish(path, [observed])
    with KnowledgeBase.open(path) as kb:
        rows = kb.sql(
            "SELECT symbol, added, added_exact, added_after, deprecated, removed, removed_exact, "
            "last_seen, unknown_inside FROM spans "
            "ORDER BY symbol, (SELECT ordinal FROM releases r WHERE version = added)"
        ).rows
        maybe_doubled = {
            row[0] for row in kb.sql("SELECT DISTINCT symbol FROM spans WHERE kind = 'module'").rows
        }
        said: dict[str, list[tuple[object, ...]]] = {}
        for symbol, *span in rows:
            said.setdefault(symbol, []).append(tuple(span))
        for symbol, spans in said.items():
            found = kb.history(symbol, "lib").spans
            told = [
                (
                    s.added,
                    s.added_exact,
                    s.added_after,
                    s.deprecated,
                    s.removed,
                    s.removed_exact,
                    s.last_seen,
                    s.unknown_inside,
                )
                for s in found
            ]
            if symbol in maybe_doubled:
                assert set(told) <= set(spans), symbol
            else:
                assert told == spans, symbol


@SLOW
@given(observations())
def test_nothing_differs_from_itself(
    tmp_path_factory: pytest.TempPathFactory, observed: ProjectObservation
) -> None:
    """The null test: a release against itself changes nothing."""
    path = tmp_path_factory.mktemp("null") / "kb"
    publish(path, [observed])
    with KnowledgeBase.open(path) as kb:
        for release in kb.releases("lib"):
            if release.status == "indexed":
                assert kb.diff("lib", release.version, release.version, all=True) == []


@SLOW
@given(observations())
def test_observations_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, observed: ProjectObservation
) -> None:
    path = tmp_path_factory.mktemp("back") / "kb"
    publish(path, [observed])
    first = load_observation(path, "lib")
    assert first is not None
    known = {release.release.version: release for release in observed.releases}
    assert len(first.releases) == len(known)
    for release in first.releases:
        before = known[release.release.version]
        assert release.release == before.release
        assert set(release.blocks) == set(before.blocks)
        assert set(release.modules) == set(before.modules)
        for digest in release.blocks:
            assert first.blocks[digest] == observed.blocks[digest]
