"""What was extracted before: facts by content, and how each artifact was laid out.

One SQLite file, because several processes read and write it at once and any of them
may be killed.  It can be deleted at any time; what it held is then read again.
"""

from __future__ import annotations

import marshal
import sqlite3
import time
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ..kb.errors import IndexingError
from .facts import EXTRACTOR_VERSION

# Rows as long as facts and docstrings are only appended, and the short keys kept beside them: in the order of
# their hashes every one of them would land in another page, which takes three times as long to write.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (key BLOB PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS docstrings (number INTEGER UNIQUE NOT NULL, text BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS contents (sha256 TEXT PRIMARY KEY, size INTEGER, crc32 INTEGER) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS manifests (key TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
"""
_PATIENCE = 120.0
"""Seconds to wait for other processes, each of which writes for a moment only."""
_MANY = 500
"""Keys in one query; SQLite allows more, but long statements are slow to prepare."""


def facts_key(sha256: str, module: str, *, is_init: bool, role: str, pxd: str | None = None) -> bytes:
    """The key of one file's facts.

    Relative imports are resolved while the file is read, so the same content under another
    module name has other facts.
    """
    text = f"{EXTRACTOR_VERSION}\0{sha256}\0{module}\0{is_init}\0{role}\0{pxd}"
    return blake2b(text.encode(), digest_size=16).digest()


def _number(name: str) -> int:
    """The hash of a docstring as the integer that SQLite finds rows by."""
    return int.from_bytes(bytes.fromhex(name), "big", signed=True)


class Cache:
    """A connection to the cache.  Use one in each process and thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            self._set_up()
        except (sqlite3.Error, OSError) as error:
            raise IndexingError(
                f"the cache {path} cannot be used: {error}",
                hint="delete it (it can be made again), or name another folder with APIKB_CACHE",
            ) from error

    def _set_up(self) -> None:
        """SQLite does not wait when two processes turn the same new file to WAL: so this does."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL")
                self._connection.execute("PRAGMA synchronous=NORMAL")
                self._connection.executescript(_SCHEMA)
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def missing(self, keys: Iterable[bytes]) -> set[bytes]:
        """Which of the keys have no facts."""
        wanted = list(dict.fromkeys(keys))
        return set(wanted) - {key for key, _ in self._rows("SELECT key, 1 FROM facts WHERE key IN", wanted)}

    def facts(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Facts by key, as they were dumped."""
        return dict(self._rows("SELECT key, data FROM facts WHERE key IN", list(dict.fromkeys(keys))))

    def add_facts(self, facts: Mapping[bytes, bytes], docstrings: Mapping[str, str] | None = None) -> None:
        """Add facts, and the docstrings that they name by hash; those already there stay."""
        texts = [(_number(name), text.encode()) for name, text in (docstrings or {}).items()]
        self._write(
            ("INSERT OR IGNORE INTO docstrings VALUES (?, ?)", texts),
            ("INSERT OR IGNORE INTO facts VALUES (?, ?)", list(facts.items())),
        )

    def docstrings(self, names: Iterable[str]) -> dict[str, str]:
        """Docstrings by hash, those of them that are there."""
        numbers = {_number(name): name for name in names}
        rows = self._rows("SELECT number, text FROM docstrings WHERE number IN", list(numbers))
        return {numbers[number]: text.decode() for number, text in rows}

    def contents(self, hashes: Iterable[str]) -> dict[str, tuple[int, int]]:
        """(size, CRC32) of contents that were hashed here, by sha256."""
        rows = self._rows(
            "SELECT sha256, size, crc32 FROM contents WHERE sha256 IN", list(dict.fromkeys(hashes))
        )
        return {sha256: (size, crc32) for sha256, size, crc32 in rows}

    def add_contents(self, contents: Iterable[tuple[str, int, int]]) -> None:
        """Add (sha256, size, CRC32) of contents whose hash was computed, not claimed."""
        self._write(("INSERT OR IGNORE INTO contents VALUES (?, ?, ?)", list(contents)))

    def manifest(self, key: str) -> Any | None:
        """How an artifact was laid out, None where it was not read before."""
        for _, data in self._rows(
            "SELECT key, data FROM manifests WHERE key IN", [f"{EXTRACTOR_VERSION}:{key}"]
        ):
            return marshal.loads(data)
        return None

    def add_manifest(self, key: str, manifest: Any) -> None:
        """Keep how an artifact was laid out; plain tuples, strings and numbers only."""
        rows = [(f"{EXTRACTOR_VERSION}:{key}", marshal.dumps(manifest))]
        self._write(("INSERT OR REPLACE INTO manifests VALUES (?, ?)", rows))

    def _rows(self, query: str, values: list[Any]) -> Iterable[Any]:
        for start in range(0, len(values), _MANY):
            part = values[start : start + _MANY]
            marks = ",".join("?" * len(part))
            yield from self._translated(f"{query} ({marks})", part)

    def _translated(self, query: str, values: list[Any]) -> list[Any]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self._error(error) from error

    def _write(self, *batches: tuple[str, list[Any]]) -> None:
        """Write all the rows or none."""
        if not any(rows for _, rows in batches):
            return
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for query, rows in batches:
                self._connection.executemany(query, rows)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise self._error(error) from error

    def _error(self, error: sqlite3.Error) -> IndexingError:
        return IndexingError(
            f"the cache {self.path} failed: {error}", hint="make room or delete it, and run again"
        )
