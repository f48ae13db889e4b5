"""A small real knowledge base: hand-made observations, published as an indexer would publish them."""

from __future__ import annotations

import hashlib
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from apikb.kb.observations import Block, ModuleRead, ProjectObservation, ReleaseObservation, Row
from apikb.kb.releases import Release, ReleaseStatus
from apikb.kb.store import publish
from apikb.kb.symbols import Deprecation, Kind, Parameter, Signature, Status, SymbolState, Visibility

# A run in the background of a shell ignores Ctrl-C, and what it starts would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

MODULE = SymbolState(kind=Kind.MODULE, visibility=Visibility.PUBLIC)
RUN = Parameter("self", "positional or keyword"), Parameter("host", "positional or keyword", "None")
FUNCTION = SymbolState(
    kind=Kind.FUNCTION,
    visibility=Visibility.EXPORTED,
    signature=Signature((Parameter("app", "keyword-only", "1"),)),
)
MARKUP = SymbolState(
    kind=Kind.CLASS, visibility=Visibility.EXPORTED, signature=Signature(), doc="0123456789abcdef"
)
MARKUP_OLD = MARKUP._replace(
    deprecations=(
        Deprecation(
            "getattr",
            "'flask.Markup' is deprecated\n    and will be removed in Flask 2.4. Use 'markupsafe.Markup'.",
            since="2.3",
            removal="2.4",
            replacement="markupsafe.Markup",
            line=40,
        ),
    )
)
FLASK = SymbolState(kind=Kind.CLASS, visibility=Visibility.EXPORTED, signature=Signature(RUN[1:]))
HOSTILE = SymbolState(value="'\x1b]0;owned\x07 \u202e'", visibility=Visibility.PUBLIC)
HOSTILE_FUNCTION = FUNCTION._replace(
    visibility=Visibility.PUBLIC,
    signature=Signature((Parameter("x", "positional or keyword", "'\x1b[31mred\x9b2J\u202e'"),)),
    deprecations=(Deprecation("warning", "\x1b]0;owned\x07 gone\u2028soon", replacement="\x1b[2Jb"),),
)
TOMBSTONE = FUNCTION._replace(
    status=Status.TOMBSTONE, message="json_available was removed; \x1b[1mgone\x1b[0m"
)


DOCSTRINGS = {
    MARKUP.doc: "A string that is safe to put in HTML.\x1b[31m\n\n.. versionadded:: 2.3.0\n\n"
    ">>> Markup('<b>')\nMarkup('<b>')\n\n>>> Markup.escape('<')\nMarkup('&lt;')",
}


def docstrings(names: Sequence[str]) -> dict[str, str]:
    """The texts of the docstrings that the states name."""
    return {name: DOCSTRINGS[name] for name in names if name in DOCSTRINGS}


def method(*parameters: Parameter) -> SymbolState:
    """A method with `self`."""
    return SymbolState(kind=Kind.METHOD, signature=Signature((RUN[0], *parameters)))


def observe(
    project: str,
    releases: Mapping[str, Mapping[str, SymbolState] | Release],
    dates: Mapping[str, str] | None = None,
    modules: Mapping[str, Sequence[ModuleRead]] | None = None,
) -> ProjectObservation:
    """Make an observation of a project with one module: a block a release, equal ones shared.

    A release maps every path to its state, or is a `Release` that could not be read.
    `modules` maps a version to modules of it that were not read.
    """
    made = ProjectObservation(project, docstrings=docstrings)
    for version, content in releases.items():
        if isinstance(content, Release):
            made.releases.append(ReleaseObservation(content))
            continue
        rows = [Row(project, MODULE, 0)]
        rows += [Row(path, state, number) for number, (path, state) in enumerate(content.items(), 10)]
        file = f"{project}/__init__.py"
        block = Block(file, tuple(rows))
        digest = hashlib.sha256(repr(block).encode()).digest()
        made.blocks[digest] = block
        artifact = f"{project}-{version}-py3-none-any.whl"
        release = Release(
            version,
            artifact=artifact,
            sha256=hashlib.sha256(artifact.encode()).hexdigest(),
            size=100_000,
            fetched=20_000,
            uploaded_at=(dates or {}).get(version),
        )
        read = [ModuleRead(project, file, parser="ast"), *(modules or {}).get(version, ())]
        made.releases.append(ReleaseObservation(release, tuple(read), (digest,)))
    return made


def small_flask() -> ProjectObservation:
    """What is known of flask, made small: Markup flaps, escape moves, json_available becomes a tombstone."""
    port = Parameter("port", "positional or keyword", "None")
    old = {
        "flask.Flask": FLASK,
        "flask.Flask.run": method(RUN[1], port, Parameter("use_x", "keyword-only", "False")),
        "flask.Flask.open_session": method(),
        "flask.escape": FUNCTION._replace(doc="00112233445566aa"),
        "flask.json_available": FUNCTION,
        "flask._private": FUNCTION._replace(visibility=Visibility.PRIVATE),
        "flask.Markup": MARKUP,
    }
    without = {path: state for path, state in old.items() if path != "flask.Markup"}
    new = {
        **without,
        "flask.Flask.run": method(RUN[1], port, Parameter("debug", "keyword-only", "None", "bool | None")),
        "flask.json_available": TOMBSTONE,
        "flask.hostile": HOSTILE,
        "flask.hostile_function": HOSTILE_FUNCTION,
    }
    last = {path: state for path, state in new.items() if path != "flask.escape"}
    last["flask.html_escape"] = old["flask.escape"]
    last["flask._speedups"] = MODULE._replace(opaque="a compiled extension without stub or source")
    return observe(
        "flask",
        {
            "0.1": Release("0.1", ReleaseStatus.SKIPPED, "no artifact"),
            "2.2.3": old,
            "2.2.5": old,
            "2.3.0": new,
            "2.3.1": {**new, "flask.Markup": MARKUP_OLD},
            "2.3.2": {**new, "flask.Markup": MARKUP_OLD},
            "2.3.3": Release("2.3.3", ReleaseStatus.FAILED, "truncated download \x1b[31m"),
            "3.0.0rc1": last,
            "3.0.0": last,
        },
        dates={
            "2.2.3": "2023-02-15T22:43:57Z",
            "2.2.5": "2023-05-02T14:42:34Z",
            "2.3.0": "2023-04-25T19:40:10Z",
        },
        modules={
            "3.0.0": [
                ModuleRead("flask._speedups", "flask/_speedups.so", "compiled", None, "no stub"),
                ModuleRead("flask.tests", "flask/tests/__init__.py", "skipped"),
            ]
        },
    )


def small_click() -> ProjectObservation:
    """A second project, without surprises."""
    first = {"click.command": FUNCTION}
    return observe("click", {"7.0": first, "8.0": {**first, "click.Command": FLASK}})


@pytest.fixture(scope="session")
def demo_kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published file; read only."""
    path = tmp_path_factory.mktemp("kb") / "kb.duckdb"
    publish(path, [small_flask(), small_click()])
    return path
