"""Answers: the costliest fault is a false absent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from apikb.kb.answers import Answer, SpecifierAnswer
from apikb.kb.errors import ApikbError, NotIndexed
from apikb.kb.lookup import KnowledgeBase
from apikb.kb.observations import ReleaseObservation
from apikb.kb.releases import Release
from apikb.kb.symbols import Deprecation

Opener = Callable[..., KnowledgeBase]
Build = Any


def ask(kb: KnowledgeBase, symbol: str, version: str | None = None) -> Answer:
    found = kb.lookup(symbol, version=version)
    assert isinstance(found, Answer)
    return found


@pytest.fixture
def kb(build: Build, open_kb: Opener) -> KnowledgeBase:
    base = {
        "lib": build.module(),
        "lib.base": build.module(),
        "lib.base.Base": build.klass("object"),
        "lib.base.Base.inherited": build.function("self", "x"),
        "lib.base._Hidden": build.klass("lib.base.Base", visibility="private"),
        "lib.Heir": build.klass("lib.base.Base"),
        "lib.Alias": build.klass("lib.base.Base", target="lib.Heir", visibility="exported", via="import"),
        "lib.Error": build.klass("builtins.ValueError"),
        "lib.Foreign": build.klass("torch.nn.Module"),
        "lib.np": build.module(target="numpy", visibility="private", via="import"),
        "lib.tools": build.module(target="lib.base", visibility="private", via="import"),
        "lib.fast": build.module(opaque="lib.fast is compiled", removed_names=("gone",)),
        "lib.keywords": build.function("a", "**options"),
        "lib.VALUE": build.observe and build.module()._replace(kind="attribute", value="1"),
    }
    mark = Deprecation("warning", "use lib.new", since="1.1", replacement="lib.new", line=4)
    dead = build.function()._replace(status="tombstone", message="old was removed; use lib.new")
    return open_kb(
        build.observe(
            {
                "1.0": {**base, "lib.old": build.function("a")},
                "1.1": {
                    **base,
                    "lib.old": build.function("a", "b", deprecations=(mark,)),
                    "lib.new": build.function("a"),
                },
                "1.2": "the wheel is broken",
                "2.0.0": {**base, "lib.old": dead, "lib.new": build.function("a")},
                "2.1rc1": {**base, "lib.new": build.function("a"), "lib.soon": build.function()},
                "2.1": {**base, "lib.new": build.function("a")},
            },
            unread={"lib.ext": "compiled"},
        )
    )


@pytest.mark.parametrize(
    ("symbol", "version", "status"),
    [
        ("lib.old", "1.0", "present"),
        ("lib.old", "v1.1", "present"),
        ("lib.old", "2.0", "tombstone"),
        ("lib.old", "2.1", "absent"),
        ("lib:old", "1.0", "present"),
        ("lib.new", "1.0", "absent"),
        ("lib.new", None, "present"),
        ("lib.soon", "2.1rc1", "present"),
        ("lib.soon", None, "absent"),
        ("lib.Heir.inherited", None, "present"),
        ("lib.Alias.inherited", None, "present"),
        ("lib.base._Hidden.inherited", None, "present"),
        ("lib.tools.Base.inherited", None, "present"),
        ("lib.tools.Base.nothing", None, "absent"),
        ("lib.Heir.__eq__", None, "present"),
        ("lib.Heir.nothing", None, "absent"),
        ("lib.Error.with_traceback", None, "present"),
        ("lib.Error.nothing", None, "absent"),
        ("lib.Foreign.forward", None, "unknown"),
        ("lib.np.array", None, "unknown"),
        ("lib.fast.run", None, "unknown"),
        ("lib.fast.run.deeper", None, "unknown"),
        ("lib.fast.gone", None, "absent"),
        ("lib.ext", None, "unknown"),
        ("lib.ext.run", None, "unknown"),
        ("lib.VALUE.attribute", None, "unknown"),
        ("lib.nowhere.at.all", None, "absent"),
        ("lib.old(b)", "1.0", "absent"),
        ("lib.old(b)", "1.1", "present"),
        ("lib.old(b)", "2.0", "tombstone"),
        ("lib.keywords(a)", None, "present"),
        ("lib.keywords(verbose)", None, "unknown"),
        ("lib.nothing(a)", None, "absent"),
    ],
)
def test_status(kb: KnowledgeBase, symbol: str, version: str | None, status: str) -> None:
    found = ask(kb, symbol, version)
    assert found.status == status, found
    if status != "present":
        assert found.reason
    assert found.evidence is not None and found.evidence.artifact == f"lib-{found.version}.whl"


def test_what_an_answer_carries(kb: KnowledgeBase) -> None:
    found = ask(kb, "lib.old", "1.1")
    assert (found.signature, found.replacement) == ("(a, b)", "lib.new")
    assert found.deprecation is not None and found.deprecation.since == "1.1"
    assert found.evidence is not None
    assert (found.evidence.file, found.evidence.line) == ("lib/__init__.py", 15)
    (span,) = found.spans
    assert (span.added, span.added_exact, span.added_after) == ("1.0", False, None)
    assert (span.deprecated, span.removed, span.removed_exact, span.last_seen) == (
        "1.1",
        "2.0.0",
        False,
        "1.1",
    )


def test_a_tombstone_says_since_when_and_what_instead(kb: KnowledgeBase) -> None:
    found = ask(kb, "lib.old", "2")
    assert (found.tombstone_since, found.replacement) == ("2.0.0", "lib.new")
    assert found.reason == "old was removed; use lib.new"
    assert ask(kb, "lib.old").replacement == "lib.new"


def test_absence_is_proven_and_wrong_names_are_helped(kb: KnowledgeBase) -> None:
    found = ask(kb, "lib.neww")
    assert found.reason == "module lib was read (lib/__init__.py), and does not bind neww"
    assert "lib.new" in found.suggestions
    assert ask(kb, "lib.heir").suggestions[0] == "lib.Heir"
    assert "it exists in 1.1 to 2.1" in ask(kb, "lib.new", "1.0").notes
    assert ask(kb, "lib.soon").notes == ("it exists in pre-releases only",)
    assert ask(kb, "lib.old(c)", "1.1").suggestions == ()


def test_origins(kb: KnowledgeBase) -> None:
    assert ask(kb, "lib.Alias").alias_of == "lib.Heir"
    assert ask(kb, "lib.Alias.inherited").inherited_from == "lib.base.Base.inherited"
    assert ask(kb, "lib.tools.Base.inherited").alias_of == "lib.base.Base.inherited"
    symbols = {row[0] for row in kb.sql("SELECT symbol FROM symbols_at('lib', '2.1')").rows}
    assert {"lib.Heir.inherited", "lib.Alias.inherited", "lib.base.Base.inherited"} <= symbols


def test_a_specifier_asks_all_matching_releases(kb: KnowledgeBase) -> None:
    found = kb.lookup("lib.old", version=">=1.0,<3")
    assert isinstance(found, SpecifierAnswer)
    assert found.present == ("1.0", "1.1")
    assert found.tombstone == ("2.0.0",)
    assert found.absent == ("2.1",)
    assert found.unknown == ("1.2",)
    assert (found.verdict, found.newest.version) == ("some", "2.1")
    assert kb.lookup("lib.new", version="~=1.1.0").verdict == "all"  # type: ignore[union-attr]


def test_a_specifier_means_no_prerelease_that_it_does_not_name(build: Build, open_kb: Opener) -> None:
    """`packaging` by itself falls back to them where nothing else matches."""
    finals = {"1.0": {"lib": build.module()}}
    soon = {"lib": build.module(), "lib.soon": build.function()}
    with open_kb(build.observe({**finals, "2.0rc1": soon})) as kb:
        with pytest.raises(NotIndexed, match=r"which no range means, are 2\.0rc1") as caught:
            kb.lookup("lib.soon", version=">1.0")
        assert caught.value.hint == "ask for one by name: --version 2.0rc1"
        with pytest.raises(NotIndexed, match=r"no indexed release of lib matches <1\.0$"):
            kb.lookup("lib.soon", version="<1.0")
        early = kb.lookup("lib.soon", version=">=2.0rc1")
        assert isinstance(early, SpecifierAnswer)
        assert early.present == ("2.0rc1",)


@pytest.mark.parametrize(
    ("version", "named"),
    [("1.2", "the wheel is broken"), ("1.5", "1.0, 1.1, 2.0.0"), ("9", "2.1"), (">=9", "no indexed release")],
)
def test_a_release_that_is_not_there_is_an_error(kb: KnowledgeBase, version: str, named: str) -> None:
    with pytest.raises(NotIndexed, match=named):
        kb.lookup("lib.old", version=version)


def test_bad_questions(kb: KnowledgeBase) -> None:
    with pytest.raises(ApikbError, match="is not a version"):
        kb.lookup("lib.old", version="latest")
    for symbol in ("", "lib..x", "lib.x(", "a b", "1.x"):
        with pytest.raises(ApikbError, match="is not a symbol"):
            kb.lookup(symbol)
    with pytest.raises(NotIndexed, match="did you mean lib") as caught:
        kb.lookup("libb.x")
    assert caught.value.hint == "apikb index libb"


def test_import_names_lead_to_projects(build: Build, open_kb: Opener) -> None:
    kb = open_kb(
        build.observe({"9.0": {"PIL": build.module(), "PIL.Image": build.module()}}, "pillow"),
        build.observe({"1.0": {"attr": build.module(), "attrs": build.module()}}, "attrs"),
        build.observe({"1.0": {"shared": build.module(), "shared.a": build.module()}}, "one"),
        build.observe({"1.0": {"shared": build.module(), "shared.b": build.module()}}, "two"),
    )
    assert kb.resolve_project("PIL.Image") == "pillow"
    assert kb.resolve_project("attr.s") == "attrs"
    assert kb.resolve_project("shared.b") == "two"
    assert kb.resolve_project("x", "Pillow") == "pillow"
    with pytest.raises(ApikbError, match="provided by one, two"):
        kb.resolve_project("shared.c")
    with pytest.raises(NotIndexed, match="imported as PIL"):
        kb.resolve_project("pillow.Image")
    assert kb.info("attrs").import_names == ("attr", "attrs")


def test_a_path_that_is_function_and_module(build: Build, open_kb: Opener) -> None:
    content = {"p": build.module(), "p.lag": build.module(), "p.lag.lag": build.function("x")}
    observed = build.observe({"1.0": content})
    block = next(iter(observed.blocks.values()))
    rows = (*block.rows, block.rows[2]._replace(symbol="p.lag"))
    observed.blocks = {digest: block._replace(rows=rows) for digest in observed.blocks}
    kb = open_kb(observed)
    assert ask(kb, "p.lag").kind == "function"
    assert ask(kb, "p.lag.lag").status == "present"
    assert kb.sql("SELECT kind FROM spans WHERE symbol = 'p.lag' ORDER BY kind").rows == [
        ("function",),
        ("module",),
    ]


def test_what_moves_behind_an_alias_is_not_removed(build: Build, open_kb: Opener) -> None:
    """An object that becomes an alias, or a method that moves to a base class, is no removal."""
    before = {"p": build.module(), "p.m": build.module(), "p.m.f": build.function("x"),
              "p.C": build.klass(), "p.C.run": build.function("self")}  # fmt: skip
    after = {"p": build.module(), "p._m": build.module(), "p._m.f": build.function("x"),
             "p.m": build.module(target="p._m", visibility="private"),
             "p.B": build.klass(), "p.B.run": build.function("self"), "p.C": build.klass("p.B")}  # fmt: skip
    kb = open_kb(build.observe({"1.0": before, "2.0": after}))
    for symbol in ("p.m.f", "p.C.run"):
        assert ask(kb, symbol).status == "present"
        assert kb.sql(f"SELECT removed FROM spans WHERE symbol = '{symbol}'").rows == [(None,)]
    assert [change.symbol for change in kb.diff("lib", "1.0", "2.0", changes=["removed", "changed"])] == []


def test_diff_tells_what_breaks(build: Build, open_kb: Opener) -> None:
    def content(**functions: Any) -> dict[str, Any]:
        return {"p": build.module(), **{f"p.{name}": state for name, state in functions.items()}}

    kb = open_kb(
        build.observe(
            {
                "1": content(
                    a=build.function("x"),
                    b=build.function("x", "y"),
                    c=build.function("x"),
                    d=build.function(),
                ),
                "2": content(
                    a=build.function("x", "z"),
                    b=build.function("y", "x"),
                    c=build.function("x", "**k"),
                    e=build.function(),
                ),
            }
        )
    )
    found = {change.symbol: (change.change, change.breaking) for change in kb.diff("lib", "1", "2")}
    assert found == {
        "p.a": ("changed", True),
        "p.b": ("changed", True),
        "p.c": ("changed", False),
        "p.d": ("removed", True),
        "p.e": ("added", False),
    }
    assert [change.symbol for change in kb.diff("lib", "1", "2", symbol="p.d")] == ["p.d"]
    assert [change.change for change in kb.diff("lib", "2", "1", changes=["removed"])] == ["removed"]


def test_history_tells_everything_in_order(kb: KnowledgeBase) -> None:
    history = kb.history("lib.old")
    assert [(event.version, event.kind) for event in history.events] == [
        ("1.0", "added"),
        ("1.1", "deprecated"),
        ("1.1", "parameter-added"),
        ("2.0.0", "tombstone"),
        ("2.0.0", "moved"),
    ]
    assert dict(history.statuses)["1.1"] == "deprecated"
    assert dict(history.statuses)["2.1"] == "absent"
    assert kb.history("lib.soon", pre=True).spans[0].added == "2.1rc1"
    assert kb.history("lib.soon").spans == ()


def test_flapping_gives_several_spans(build: Build, open_kb: Opener) -> None:
    on = {"p": build.module(), "p.f": build.function()}
    off = {"p": build.module()}
    kb = open_kb(build.observe({"2.2.5": on, "2.3.0": off, "2.3.1": on, "3.0": off}))
    spans = [(span.added, span.removed) for span in ask(kb, "p.f", "2.3.0").spans]
    assert spans == [("2.2.5", "2.3.0"), ("2.3.1", "3.0")]


def test_a_yanked_release_counts_and_is_flagged(build: Build, open_kb: Opener) -> None:
    observed = build.observe({"1.0": {"p": build.module()}})
    (release,) = observed.releases
    yanked = Release("1.0", artifact="lib-1.0.whl", yanked=True, yanked_reason="wrong tag")
    observed.releases = [ReleaseObservation(yanked, release.modules, release.blocks)]
    found = ask(open_kb(observed), "p")
    assert found.yanked
    assert found.notes == ("1.0 was yanked: wrong tag",)


def test_moves(build: Build, open_kb: Opener) -> None:
    """What is removed and what is added in its place are linked, with the evidence."""
    mark = Deprecation("warning", "use `shiny` instead", replacement="shiny")
    renamed = build.function("x")._replace(deprecations=(mark,))
    same = build.function("y")._replace(doc="0123456789abcdef")
    before = {"p": build.module(), "p.rusty": renamed, "p.a": build.module(), "p.a.same": same,
              "p.Markup": build.klass()._replace(target="markupsafe.Markup", via="import")}  # fmt: skip
    after = {"p": build.module(), "p.shiny": build.function("x"), "p.a": build.module(),
             "p.b": build.module(), "p.b.same": same}  # fmt: skip
    kb = open_kb(build.observe({"1.0": before, "2.0": after}))
    rows = kb.sql("SELECT symbol, moved_to, version FROM moves ORDER BY symbol").rows
    assert rows == [
        ("p.Markup", "markupsafe.Markup", "2.0"),
        ("p.a.same", "p.b.same", "2.0"),
        ("p.rusty", "p.shiny", "2.0"),
    ]
    assert ask(kb, "p.rusty").replacement == "p.shiny"
    assert ask(kb, "p.Markup").replacement == "markupsafe.Markup"


def test_nothing_moves_where_nothing_is_alike(build: Build, open_kb: Opener) -> None:
    before = {"p": build.module(), "p.f": build.function("x")}
    after = {"p": build.module(), "p.g": build.function("x")}
    kb = open_kb(build.observe({"1.0": before, "2.0": after}))
    assert kb.sql("SELECT * FROM moves").rows == []


def test_a_rename_in_place_needs_the_same_docstring_and_no_rival(build: Build, open_kb: Opener) -> None:
    same = build.function("x")._replace(doc="0123456789abcdef")
    shared = build.function("y")._replace(doc="fedcba9876543210")
    before = {"p": build.module(), "p.f": same, "p.h": shared}
    after = {"p": build.module(), "p.g": same, "p.i": shared, "p.j": shared}
    rows = open_kb(build.observe({"1.0": before, "2.0": after})).sql("SELECT * FROM moves").rows
    assert [row[1:4] for row in rows] == [("p.f", "p.g", "2.0")]


def test_a_name_that_raises_tells_what_to_write_now(build: Build, open_kb: Opener) -> None:
    gone = build.function("x")._replace(status="tombstone", message="Use the `p.new.f` function instead.")
    new = {"p.new": build.module(), "p.new.f": build.function("x")}
    before = {"p": build.module(), "p.f": build.function("x"), **new}
    kb = open_kb(build.observe({"1.0": before, "2.0": {"p": build.module(), "p.f": gone, **new}}))
    answer = ask(kb, "p.f")
    assert (answer.status, answer.replacement) == ("tombstone", "p.new.f")
    assert ("2.0", "moved", "to p.new.f") in [(e.version, e.kind, e.detail) for e in kb.history("p.f").events]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("new", "p.C.new"),
        (".new", "p.C.new"),
        ("C.new", "p.C.new"),
        ("short.C.new", "p.C.new"),
        ("p.C.new", "p.C.new"),
        ("elsewhere.thing", "elsewhere.thing"),
        ("p.C", "p.C"),
        ("old", "old"),
    ],
)
def test_the_replacement_of_what_is_deprecated_is_a_path(
    build: Build, open_kb: Opener, said: str, meant: str
) -> None:
    """As far as there is such a path; else it is told as it is written."""
    mark = Deprecation("warning", "use it", replacement=said)
    docs = Deprecation("docstring", "more", since="1.0")
    content = {
        "p": build.module(),
        "p.C": build.klass(),
        "p.C.old": build.function("x")._replace(deprecations=(docs, mark)),
        "p.C.new": build.function("x"),
    }
    kb = open_kb(build.observe({"1.0": content}))
    answer = ask(kb, "p.C.old")
    assert answer.replacement == meant
    assert answer.deprecation == Deprecation("warning", "use it", since="1.0", replacement=said)
    rows = kb.sql("SELECT mechanism, message, claimed_since, replacement FROM deprecations").rows
    assert rows == [("warning", "use it", "1.0", said)]


def test_a_deprecation_that_is_taken_back_has_a_span_of_its_own(build: Build, open_kb: Opener) -> None:
    mark = Deprecation("decorator", "use g", replacement="g")
    plain, marked = build.function("x"), build.function("x")._replace(deprecations=(mark,))
    releases = {
        version: {"p": build.module(), "p.f": state}
        for version, state in (("1.0", plain), ("2.0", marked), ("3.0", plain), ("4.0", marked))
    }
    kb = open_kb(build.observe(releases))
    rows = kb.sql("SELECT since, until FROM deprecations ORDER BY since").rows
    assert rows == [("2.0", "3.0"), ("4.0", None)]
    events = [(event.version, event.kind) for event in kb.history("p.f").events]
    assert events == [("1.0", "added"), ("2.0", "deprecated"), ("3.0", "undeprecated"), ("4.0", "deprecated")]
    assert kb.history("p.f").spans[0].removed is None
