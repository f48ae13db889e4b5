"""The rows that one project has in the tables of the file, in chunks ready for bulk insert.

This module and `store` are the ones that know Arrow.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice

import pyarrow as pa

from .codec import encode_state
from .examples import examples_of
from .fold import Folded, block_masks, fold_blocks, ordered_observations
from .inheritance import inherit
from .keys import bucket_of, global_number
from .masks import runs
from .moves import Moves
from .observations import ModuleRead, ProjectObservation, Texts
from .opacity import Opacity
from .schema import TABLES
from .summary import Lifeline, Record, Summary
from .symbols import Status

CHUNK = 20_000
"""Rows of a table that are gathered before they go to the database."""
TEXTS = 500
"""Docstrings that are in memory at once."""

Sink = Callable[[str, pa.Table], None]

_ARROW = {
    "INTEGER": pa.int32(),
    "TINYINT": pa.int8(),
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "VARCHAR": pa.string(),
    "BLOB": pa.binary(),
}
STATE, OPAQUE, COMPLETE, PLACE = 0, 1, 2, 3
"""What a row of `internal.runs` says: a state; that names below are hidden; that all members are listed;
in which file (`text`) and line (`state`) the path was read."""


class Writer:
    """Gathers records by table and hands them to the sink in chunks."""

    def __init__(self, pid: int, sink: Sink) -> None:
        self.pid = pid
        self.sink = sink
        self.pending: dict[str, list[Record]] = {name: [] for name in TABLES}

    def write(self, table: str, records: Iterable[Record]) -> None:
        """Add records without their project number."""
        pending = self.pending[table]
        pending.extend(records)
        if len(pending) >= CHUNK:
            self._flush(table)

    def write_all(self, table: str, records: Iterable[Record]) -> None:
        """Add many records without holding them all."""
        stream = iter(records)
        while part := list(islice(stream, CHUNK)):
            self.write(table, part)

    def close(self) -> None:
        """Hand over what is left."""
        for table in self.pending:
            self._flush(table)

    def _flush(self, table: str) -> None:
        records = self.pending[table]
        if records:
            self.sink(table, to_arrow(table, self.pid, records))
            self.pending[table] = []


def to_arrow(table: str, pid: int, records: list[Record]) -> pa.Table:
    """An Arrow table of records; the first column is the project's number."""
    (_, pid_kind), *columns = TABLES[table]
    arrays = [pa.array([pid] * len(records), _ARROW[pid_kind])]
    names = ["pid"]
    for (name, kind), values in zip(columns, zip(*records, strict=True), strict=True):
        names.append(name)
        arrays.append(pa.array(values, _ARROW[kind]))
    return pa.table(arrays, names=names)


def write_project(
    pid: int, observation: ProjectObservation, sink: Sink, texts: Texts, *, consume: bool = False
) -> None:
    """Fold a project and hand all its rows to `sink`; `texts` has the docstrings that it names.

    `consume` empties the observation as soon as it is written: of a large project that
    is a third of the memory.
    """
    with collector_off():
        _write(Writer(pid, sink), observation, texts, consume)


@contextmanager
def collector_off() -> Iterator[None]:
    """Millions of tuples without a cycle: the collector would walk them again and again for nothing."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _write(writer: Writer, observation: ProjectObservation, texts: Texts, consume: bool) -> None:
    pid = writer.pid
    folded = fold_blocks(observation)
    observed = _Observed(pid, folded, observation, writer)
    inherit(folded)
    numbering = observed.numbering = _numbering(pid, folded)
    files = observed.write()
    del observed
    if consume:
        observation.blocks.clear()
    symbols = _Derived(folded, writer, files, numbering).write()
    _write_docstrings(writer, folded, numbering, texts)
    _write_project_row(writer, observation, folded, symbols)
    writer.close()


def _numbering(pid: int, folded: Folded) -> list[int]:
    """Numbers for the states, in the order of the symbols: those of one symbol then lie side by side."""
    order: dict[int, None] = {}
    for table in (folded.members, folded.modules):
        for path in sorted(table):
            order.update(dict.fromkeys(table[path]))
    order.update(dict.fromkeys(range(len(folded.states))))
    numbering = [0] * len(folded.states)
    for place, number in enumerate(order):
        numbering[number] = global_number(pid, place)
    return numbering


def _write_docstrings(writer: Writer, folded: Folded, numbering: list[int], texts: Texts) -> None:
    """Each text once, in the order of the symbols: the versions of one docstring lie side by side."""
    order = sorted(range(len(folded.states)), key=numbering.__getitem__)
    docs = (folded.states[number].doc for number in order)
    names = iter(dict.fromkeys(doc for doc in docs if doc is not None))
    examples = _Examples(writer)
    while part := list(islice(names, TEXTS)):
        found = texts(part)
        records: list[Record] = [(name, found[name]) for name in part if name in found]
        if records:
            writer.sink("docstrings", to_arrow("docstrings", writer.pid, records))
            examples.write((name, found[name]) for name in part if name in found)


def write_examples(pid: int, texts: Iterable[tuple[str, str]], sink: Sink) -> None:
    """Hand the examples of docstrings, given as (hash, text), to `sink`."""
    with collector_off():
        writer = Writer(pid, sink)
        _Examples(writer).write(texts)
        writer.close()


class _Examples:
    """Writes examples: each once, however many docstrings have it."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.numbers: dict[tuple[str, str, str], int] = {}

    def write(self, texts: Iterable[tuple[str, str]]) -> None:
        """The examples of docstrings, given as (hash, text)."""
        for name, text in texts:
            for position, example in enumerate(examples_of(text)):
                key = (str(example.kind), example.code, example.output)
                number = self.numbers.get(key)
                if number is None:
                    number = self.numbers[key] = len(self.numbers)
                    self.writer.write("examples", [(number, *key, example.compiles)])
                self.writer.write("docstring_examples", [(name, position, number)])


def _write_project_row(writer: Writer, observation: ProjectObservation, folded: Folded, symbols: int) -> None:
    tops = sorted({path.partition(".")[0] for path in folded.paths()})
    axis = folded.axis
    newest = next(
        (r.version for r in reversed(axis.releases) if r.status == "indexed" and not r.is_prerelease), None
    )
    now = datetime.now(UTC).isoformat(timespec="seconds")
    counts = (axis.read.bit_count(), len(axis.releases))
    writer.write("projects", [(observation.project, "\n".join(tops), symbols, now, newest, *counts)])


class _Observed:
    """Writes what was read, so that it can be read back exactly."""

    def __init__(self, pid: int, folded: Folded, observation: ProjectObservation, writer: Writer) -> None:
        self.pid = pid
        self.folded = folded
        self.observation = observation
        self.writer = writer
        self.ordered = ordered_observations(observation)
        self.masks = block_masks(self.ordered)
        self.numbering: list[int] = []
        self.numbers: dict[int, int] = {}
        for digest in self.masks:
            for _, state, _ in observation.blocks[digest].rows:
                if id(state) not in self.numbers:
                    self.numbers[id(state)] = folded.intern(state)

    def write(self) -> dict[tuple[str, object], str]:
        """Write; the answer tells in which file a deprecated or dead state was last read."""
        self.writer.write("releases", self._releases())
        self.writer.write_all("modules", self._modules())
        masks = self.masks
        blocks = sorted(masks, key=lambda digest: (self.observation.blocks[digest].file, digest))
        files: dict[tuple[str, object], str] = {}
        self.writer.write_all("blocks", self._blocks(blocks, masks))
        self.writer.write_all("rows", self._rows(blocks, files))
        self.writer.write_all("runs", self._places(blocks, masks))
        return files

    def _releases(self) -> Iterator[Record]:
        for ordinal, item in enumerate(self.ordered):
            release = item.release
            yield (
                ordinal,
                release.version,
                str(release.status),
                release.reason,
                release.is_prerelease,
                release.yanked,
                release.yanked_reason,
                release.uploaded_at,
                release.requires_python,
                release.artifact,
                release.sha256,
                release.size,
                release.fetched,
                release.reader,
            )

    def _modules(self) -> Iterator[Record]:
        masks: dict[ModuleRead, int] = {}
        for ordinal, item in enumerate(self.ordered):
            for module in item.modules:
                masks[module] = masks.get(module, 0) | 1 << ordinal
        for module in sorted(masks, key=lambda item: tuple(str(part) for part in item)):
            for low, high in runs(masks[module], self.folded.axis.all):
                yield (
                    module.module,
                    module.file,
                    str(module.status),
                    module.parser,
                    module.detail,
                    low,
                    high,
                )

    def _blocks(self, blocks: list[bytes], masks: dict[bytes, int]) -> Iterator[Record]:
        size = len(self.ordered) // 8 + 1
        for number, digest in enumerate(blocks):
            block = self.observation.blocks[digest]
            mask = masks[digest].to_bytes(size, "little")
            yield (global_number(self.pid, number), digest, block.file, mask)

    def _places(self, blocks: list[bytes], masks: dict[bytes, int]) -> Iterator[Record]:
        read = self.folded.axis.read
        buckets: dict[str, int] = {}
        for digest in blocks:
            block = self.observation.blocks[digest]
            for low, high in runs(masks[digest] & read, read):
                for symbol, _, line in block.rows:
                    parent = symbol.rpartition(".")[0]
                    bucket = buckets.get(parent)
                    if bucket is None:
                        bucket = buckets[parent] = bucket_of(parent)
                    yield (bucket, symbol, PLACE, line, low, high, block.file)

    def _rows(self, blocks: list[bytes], files: dict[tuple[str, object], str]) -> Iterator[Record]:
        pid, numbering, numbers = self.pid, self.numbering, self.numbers
        for block_number, digest in enumerate(blocks):
            block = self.observation.blocks[digest]
            for position, (symbol, state, line) in enumerate(block.rows):
                if state.deprecations:
                    files[symbol, state.deprecations] = block.file
                yield (
                    global_number(pid, block_number),
                    position,
                    symbol,
                    numbering[numbers[id(state)]],
                    line,
                )


class _Derived:
    """Writes what follows from the observations."""

    def __init__(
        self, folded: Folded, writer: Writer, files: dict[tuple[str, object], str], numbering: list[int]
    ) -> None:
        self.numbering = numbering
        self.folded = folded
        self.writer = writer
        self.opacity = Opacity(folded)
        self.summary = Summary(folded, self.opacity, files)
        self.moves = Moves(folded)
        self._lines: dict[str, Lifeline] = {}
        self._texts: dict[int, str] = {}

    def _text(self, number: int) -> str:
        text = self._texts.get(number)
        if text is None:
            if len(self._texts) > CHUNK:
                self._texts.clear()
            text = self._texts[number] = encode_state(self.folded.states[number])
        return text

    def write(self) -> int:
        """Write everything; the answer is the number of symbols."""
        paths = sorted(self.folded.paths())
        parents = {path.rpartition(".")[0] for path in paths}
        for path in paths:
            self._write_path(path, path in parents)
        for path in self.folded.unread.keys() - set(paths):
            self.writer.write("runs", self._runs(path))
        self.writer.write_all("states", self._states())
        self.writer.write_all("moves", self.moves.records())
        return len(paths)

    def _write_path(self, path: str, is_parent: bool) -> None:
        write, summary = self.writer.write, self.summary
        parent = self._lines.get(path.rpartition(".")[0])
        write("runs", self._runs(path))
        for index, line in enumerate(summary.lifelines(path)):
            if index == 0 and is_parent:
                self._lines[path] = line
            write("spans", summary.spans(line))
            self._write_callable(line)
            self._write_documented(line)
            if any(summary.facts(number).marks for number, _ in line.items):
                write("deprecations", summary.deprecations(line))
            if line.tombstone:
                write("tombstones", summary.tombstones(line))
            write("changes", summary.changes(line, parent))
            self.moves.collect(line, parent)

    def _write_callable(self, line: Lifeline) -> None:
        number, signatures, parameters = self.summary.callable_set(line)
        if number is not None:
            self.writer.write("callables", [(line.symbol, number)])
            self.writer.write("signatures", signatures)
            self.writer.write("parameters", parameters)

    def _write_documented(self, line: Lifeline) -> None:
        number, runs = self.summary.docstring_set(line)
        if number is not None:
            self.writer.write("documented", [(line.symbol, number)])
            self.writer.write("docstring_runs", runs)

    def _runs(self, path: str) -> Iterator[Record]:
        bucket = bucket_of(path.rpartition(".")[0])
        read = self.folded.axis.read
        for number, mask in self.folded.items(path):
            state = self.numbering[number]
            # The state itself, not only its number: a look-up is spared a second query.
            text = self._text(number)
            for low, high in runs(mask, read):
                yield (bucket, path, STATE, state, low, high, text)
        for mask, reason in self._reasons(path):
            for low, high in runs(mask & read, read):
                yield (bucket, path, OPAQUE, None, low, high, reason)
        complete = self.folded.complete.get(path, 0)
        for low, high in runs(complete, read):
            yield (bucket, path, COMPLETE, None, low, high, None)

    def _reasons(self, path: str) -> Iterator[tuple[int, str]]:
        """Only what a look-up cannot see in the states themselves."""
        for reason, mask in self.folded.unread.get(path, {}).items():
            yield mask, reason
        for number, mask in self.folded.items(path):
            state = self.folded.states[number]
            if state.kind == "class" and state.status == Status.PRESENT:
                for where, reason in self.opacity.class_reasons(path, state):
                    if where & mask:
                        yield where & mask, reason

    def _states(self) -> Iterator[Record]:
        for number in sorted(range(len(self.folded.states)), key=self.numbering.__getitem__):
            state = self.folded.states[number]
            yield (
                self.numbering[number],
                self._text(number),
                str(state.status),
                str(state.kind),
                str(state.visibility),
                self.summary.facts(number).signature,
                self.summary.facts(number).deprecated,
                state.target,
                state.via,
            )
