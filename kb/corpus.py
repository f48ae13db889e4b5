"""The documents of a project as a search engine wants them: each distinct text once, however many
releases and paths carry it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from .docstrings import stored_docstrings
from .errors import NotIndexed
from .examples import Example, examples_of
from .loading import read_releases
from .prose import clean, summary_of
from .public_paths import best_first, is_public
from .schema import DOCSTRINGS_SINCE, EXAMPLES_SINCE
from .store import Connection, fetch, schema_version

CORPUS_VERSION = 1
"""Raised whenever the same file gives other documents."""
_TEXTS = 500
"""Docstrings that are fetched at once."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text about one object: what it is called, how it is called up, what its docstring says.

    Two releases, or two paths, share a document where the name of the object in its class, its signature
    and its docstring are the same.
    """

    key: bytes
    """16 bytes; equal where `names[0]`, kind, signature and docstring are equal."""
    project: str
    names: tuple[str, ...]
    """Dotted public paths, the one to be shown first."""
    kind: str
    """module, class, function, method, property or attribute."""
    signature: str
    """As `inspect.signature` prints it, empty where there is none."""
    summary: str
    docstring: str
    """Cleaned for reading; empty where there is none."""
    examples: tuple[Example, ...]
    spans: tuple[tuple[int, int, int], ...]
    """(index of a name, first ordinal, one past the last), sorted: in these releases the name carries the
    text.  Ordinals are those of `ordinals`."""


class _State(NamedTuple):
    kind: str
    signature: str
    target: str | None
    doc: str
    visible: bool


class _Text(NamedTuple):
    docstring: str
    summary: str
    examples: tuple[Example, ...]


_NO_TEXT = _Text("", "", ())
_Group = dict[str, list[tuple[int, int]]]
"""Path -> half-open runs of ordinals."""
_Key = tuple[str, str, str, str]
"""Label, kind, signature, hash of the docstring."""


def ordinals(connection: Connection, project: str) -> list[str]:
    """The versions that could be read, in PEP 440 order, pre-releases included: ordinal -> version.

    Raises NotIndexed where the project is not there.
    """
    releases = read_releases(partial(fetch, connection), _pid(connection, project))
    return [release.version for release in releases if release.status == "indexed"]


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents of a project as one state of the file has them."""

    connection: Connection
    project: str

    def fingerprint(self) -> str:
        """32 hex digits, equal where the documents are: what is derived from them is out of date by it."""
        pid = _pid(self.connection, self.project)
        told = [
            CORPUS_VERSION,
            fetch(self.connection, "SELECT * FROM internal.projects WHERE pid = ?", [pid]),
            fetch(self.connection, "SELECT * FROM internal.releases WHERE pid = ? ORDER BY ALL", [pid]),
            fetch(
                self.connection,
                "SELECT count(*), bit_xor(hash(block, digest, file, mask)) "
                "FROM internal.blocks WHERE pid = ?",
                [pid],
            ),
        ]
        return hashlib.blake2b(repr(told).encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()

    def versions(self) -> list[str]:
        """As `ordinals`."""
        return ordinals(self.connection, self.project)

    def documents(self) -> Iterator[Document]:
        """As `documents`."""
        return documents(self.connection, self.project)


def documents(connection: Connection, project: str) -> Iterator[Document]:
    """All documents of a project, in the order of their first names.

    Private names and what is only reachable through them are left out.

    Raises NotIndexed where the project is not there.
    """
    pid = _pid(connection, project)
    groups = _groups(connection, pid)
    first = {key: best_first(group)[0] for key, group in groups.items()}
    order = sorted(groups, key=lambda key: (first[key], key))
    texts = _Texts(connection, pid)
    waiting: list[_Key] = []
    for key in order:
        if len(waiting) >= _TEXTS and first[key] != first[waiting[-1]]:
            yield from _documents(project, waiting, groups, first, texts)
            waiting = []
        waiting.append(key)
    yield from _documents(project, waiting, groups, first, texts)


def _documents(
    project: str, keys: Sequence[_Key], groups: dict[_Key, _Group], first: dict[_Key, str], texts: _Texts
) -> Iterator[Document]:
    """Documents of some groups; those that differ in what is no prose, or in a private place, are one."""
    texts.load({key[3] for key in keys if key[3]})
    same: dict[tuple[str, str, str, str], tuple[_Text, _Group]] = {}
    for key in keys:
        text = texts.get(key[3])
        _, group = same.setdefault((first[key], *key[1:3], text.docstring), (text, {}))
        for path, runs in groups.pop(key).items():
            group.setdefault(path, []).extend(runs)
    for (_, kind, signature, _), (text, group) in same.items():
        yield _document(project, kind, signature, text, group)


def _pid(connection: Connection, project: str) -> int:
    rows = fetch(connection, "SELECT pid FROM internal.projects WHERE project = ?", [project])
    if not rows:
        raise NotIndexed(f"{project} is not indexed", hint=f"apikb index {project}")
    return int(rows[0][0])


def _document(project: str, kind: str, signature: str, text: _Text, group: _Group) -> Document:
    names = best_first(group)
    content = "\0".join((names[0], kind, signature, text.docstring))
    return Document(
        key=hashlib.blake2b(content.encode(), digest_size=16).digest(),
        project=project,
        names=names,
        kind=kind,
        signature=signature,
        summary=text.summary,
        docstring=text.docstring,
        examples=text.examples,
        spans=tuple(
            (index, low, high) for index, name in enumerate(names) for low, high in _merged(group[name])
        ),
    )


def _merged(runs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Half-open runs, sorted, those that touch as one."""
    low = high = -1
    for start, stop in sorted(runs):
        if start <= high:
            high = max(high, stop)
            continue
        if high > low:
            yield low, high
        low, high = start, stop
    if high > low:
        yield low, high


class _Texts:
    """Docstrings by hash, cleaned, with their summary and their examples; one part of them at a time."""

    def __init__(self, connection: Connection, pid: int) -> None:
        self.connection = connection
        self.pid = pid
        version = schema_version(connection) or 0
        self.has_docstrings = version >= DOCSTRINGS_SINCE
        self.examples = _stored_examples(connection, pid) if version >= EXAMPLES_SINCE else None
        self.known: dict[str, _Text] = {}

    def load(self, names: set[str]) -> None:
        """Have the texts of these hashes at hand; those of a part before are forgotten unless asked again."""
        self.known = {name: self.known[name] for name in names & self.known.keys()}
        missing = sorted(names - self.known.keys())
        if not self.has_docstrings or not missing:
            return
        for name, text in stored_docstrings(partial(fetch, self.connection), self.pid, missing).items():
            if text is None:
                continue
            cleaned = clean(text)
            examples = examples_of(text) if self.examples is None else self.examples.get(name, ())
            self.known[name] = _Text(cleaned, summary_of(cleaned), tuple(examples))

    def get(self, name: str) -> _Text:
        """What is known of a docstring; nothing where there is none."""
        return self.known.get(name, _NO_TEXT)


def _stored_examples(connection: Connection, pid: int) -> dict[str, list[Example]]:
    made = {
        number: Example(code, output, compiles, kind)
        for number, kind, code, output, compiles in fetch(
            connection,
            "SELECT example, kind, code, output, compiles FROM internal.examples WHERE pid = ?",
            [pid],
        )
    }
    found: dict[str, list[Example]] = {}
    for name, number in fetch(
        connection,
        "SELECT hash, example FROM internal.docstring_examples WHERE pid = ? ORDER BY hash, position",
        [pid],
    ):
        found.setdefault(name, []).append(made[number])
    return found


def _groups(connection: Connection, pid: int) -> dict[_Key, _Group]:
    """What the paths of a project say, by text."""
    states = _states(connection, pid)
    places = _places(connection, pid)
    public: dict[str, bool] = {}
    targets: dict[str, str] = {}
    found: dict[_Key, _Group] = {}
    for symbol, number, first, last in fetch(
        connection, "SELECT symbol, state, first, last FROM internal.runs WHERE pid = ? AND role = 0", [pid]
    ):
        state = states.get(number)
        if state is None:
            continue
        shown = public.get(symbol)
        if shown is None:
            shown = public[symbol] = is_public(symbol)
        if not shown:
            continue
        low, high = places[first], places[last + 1]
        if low == high:
            continue
        label = _label(symbol, state, targets)
        key = (label, state.kind, state.signature, state.doc)
        found.setdefault(key, {}).setdefault(symbol, []).append((low, high))
    return found


def _places(connection: Connection, pid: int) -> list[int]:
    """Place in the PEP 440 order of all releases -> how many before it were read."""
    found = [0]
    for release in read_releases(partial(fetch, connection), pid):
        found.append(found[-1] + (release.status == "indexed"))
    return found


_LABELS = """CASE WHEN data LIKE '%"labels"%' THEN
regexp_matches(data, '"labels":\\[[^\\]]*"property"') ELSE false END"""
_STATES = f"""SELECT state, kind, visibility <> 'private', coalesce(signature, ''), target,
regexp_extract(data, '"doc":"([0-9a-f]{{16}})"', 1), {_LABELS}
FROM internal.states WHERE pid = ? AND status = 'present'"""


def _states(connection: Connection, pid: int) -> dict[int, _State]:
    """The states that are seen and public, by number."""
    return {
        number: _State("property" if prop else kind, signature, target, doc, visible)
        for number, kind, visible, signature, target, doc, prop in fetch(connection, _STATES, [pid])
        if visible
    }


def _label(symbol: str, state: _State, targets: dict[str, str]) -> str:
    """What tells one object from others of the same text: its name within its class, else its whole path.

    An object that moves keeps its name, so the text of both places is one.
    """
    path = symbol if state.target is None else state.target
    label = targets.get(path)
    if label is None:
        above, _, name = path.rpartition(".")
        parent = above.rpartition(".")[2]
        label = targets[path] = f"{parent}.{name}" if parent[:1].isupper() else name
    return label if state.doc else path
