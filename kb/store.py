"""The DuckDB file: opening it, publishing to it, reading observations back.  The only user of duckdb."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from .docstrings import stored_docstrings
from .errors import ApikbError, NotIndexed, StoreError
from .schema import (
    APPLICATION,
    DOCSTRINGS_SINCE,
    EXAMPLES_SINCE,
    MIGRATIONS,
    OLDEST_READABLE,
    SCHEMA_VERSION,
    TABLES,
    Migration,
    views_of,
)

if TYPE_CHECKING:
    from .observations import ProjectObservation, Texts

PathLike = str | os.PathLike[str]
OnWait = Callable[[str], None]

_SPOOLED = {"runs": "ORDER BY bucket, symbol, role, state, first", "rows": ""}
"""The largest tables, with the order in which they are kept."""
_READER = (
    "SET enable_external_access = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET python_enable_replacements = false",
    "SET memory_limit = '2GB'",
    "SET lock_configuration = true",
)
_WRITER = ("SET threads = 1", "SET memory_limit = '150MB'")
BLOCK_SIZE = 1 << 16
"""Bytes; of a new file."""
_MOSTLY_FREE = 0.5
_STATEMENTS = 200
"""How many parsed queries a connection keeps."""


def open_reader(path: PathLike) -> duckdb.DuckDBPyConnection:
    """Open a published file for reading, in a sandbox: no other file, no network, no settings.

    Raises `StoreError` where the file is missing, damaged, foreign or of a newer schema.
    """
    file = _existing(path)
    connection = duckdb.connect(":memory:")
    try:
        # The type is said, or DuckDB would look at a foreign file and fetch an extension to read it.
        connection.execute(f"ATTACH {_quote(file)} AS kb (READ_ONLY, TYPE duckdb)")
        connection.execute("USE kb")
        _check_schema(connection, file)
        connection.execute(";".join(_READER))
    except duckdb.Error as error:
        connection.close()
        raise _translate(error, file) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _existing(path: PathLike) -> Path:
    file = Path(path)
    if file.is_dir():
        raise StoreError(f"{file} is a directory, not a knowledge base", hint="name a file with --kb")
    if not file.exists():
        raise StoreError(f"there is no knowledge base at {file}", hint="make one with: apikb index PROJECT")
    if not os.access(file, os.R_OK):
        raise StoreError(f"{file} cannot be read: permission denied")
    return file


def _quote(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def _translate(error: Exception, file: Path) -> StoreError:
    text = " ".join(str(error).split())
    low = text.lower()
    if "no space" in low or "file too large" in low or "out of disk" in low:
        return StoreError(
            f"no space left to write {file}; the old file is untouched", hint="make room, run again"
        )
    if "not a valid duckdb" in low or ("does not exist" in low and "schema" in low):
        return StoreError(f"{file} is not a knowledge base of apikb", hint="name another file with --kb")
    if "corrupt" in low or "checksum" in low or "serializ" in low:
        return StoreError(
            f"{file} is damaged: {text[:200]}", hint="restore a copy, or remove it and index again"
        )
    if "newer version" in low or "older version" in low or "different duckdb version" in low:
        return StoreError(f"{file} was written by another version of DuckDB: {text[:200]}")
    return StoreError(f"{file} cannot be used: {text[:300]}")


def schema_version(connection: duckdb.DuckDBPyConnection) -> int | None:
    """The schema version of the database in use; None where it is not one of ours."""
    try:
        rows = dict(connection.execute("SELECT key, value FROM internal.meta").fetchall())
    except duckdb.CatalogException:
        return None
    if rows.get("application") != APPLICATION:
        return None
    return int(rows.get("schema_version", 0))


def _check_schema(connection: duckdb.DuckDBPyConnection, file: Path) -> int:
    version = schema_version(connection)
    if version is None:
        raise StoreError(
            f"{file} is a DuckDB file, but not a knowledge base of apikb", hint="name another file with --kb"
        )
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{file} has schema {version}, this apikb knows {SCHEMA_VERSION}", hint="upgrade apikb to read it"
        )
    if version < OLDEST_READABLE:
        raise StoreError(
            f"{file} has schema {version}, this apikb reads {OLDEST_READABLE} and newer",
            hint="any `apikb index` brings it up to date",
        )
    return version


def pending(connection: duckdb.DuckDBPyConnection) -> list[Migration]:
    """The migrations that a database still needs.  Reads only."""
    version = schema_version(connection) or 0
    return [migration for migration in MIGRATIONS if migration.version > version]


def migrate(connection: duckdb.DuckDBPyConnection) -> list[Migration]:
    """Bring a database up to date; a migration and its record share one transaction."""
    done = pending(connection)
    for migration in done:
        connection.begin()
        try:
            for statement in migration.statements:
                connection.execute(statement)
            if migration.version == EXAMPLES_SINCE:
                _fill_examples(connection)
            connection.execute("DELETE FROM internal.meta WHERE key = 'schema_version'")
            connection.execute(
                "INSERT INTO internal.meta VALUES ('schema_version', ?)", [str(migration.version)]
            )
            connection.commit()
        except BaseException:
            connection.rollback()
            raise
    return done


def _fill_examples(connection: duckdb.DuckDBPyConnection) -> None:
    """Read the examples of the docstrings that a file has already."""
    from .tables import write_examples

    for (pid,) in fetch(connection, "SELECT DISTINCT pid FROM internal.docstrings ORDER BY pid"):
        texts = fetch(
            connection, "SELECT hash, text FROM internal.docstrings WHERE pid = ? ORDER BY rowid", [pid]
        )
        write_examples(pid, texts, partial(_insert, connection))


def _insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Any) -> None:
    connection.register("arrow_rows", rows)
    connection.execute(f'INSERT INTO internal."{table}" SELECT * FROM arrow_rows')
    connection.unregister("arrow_rows")


def publish(
    path: PathLike,
    observations: Iterable[ProjectObservation],
    *,
    timeout: float | None = None,
    on_wait: OnWait | None = None,
    consume: bool = False,
) -> None:
    """Replace each observed project whole, in one transaction, and put the new file in the old one's place.

    `consume` empties the blocks of each observation once they are written, to save memory.
    Raises `StoreError`; the published file is then what it was.
    """
    from .atomic import temporary_path

    def change(connection: duckdb.DuckDBPyConnection) -> None:
        for observation in observations:
            _replace_project(connection, observation, temporary_path(Path(path)), consume)

    _rewrite(path, change, timeout, on_wait)


def remove_project(
    path: PathLike, project: str, *, timeout: float | None = None, on_wait: OnWait | None = None
) -> None:
    """Take a project out.  Raises `NotIndexed` where it is not there."""
    _existing(path)

    def change(connection: duckdb.DuckDBPyConnection) -> None:
        pid = _pid(connection, project)
        if pid is None:
            raise NotIndexed(f"{project} is not in {path}", hint="see: apikb list")
        _delete(connection, pid, TABLES)

    _rewrite(path, change, timeout, on_wait)


def _rewrite(
    path: PathLike,
    change: Callable[[duckdb.DuckDBPyConnection], None],
    timeout: float | None,
    on_wait: OnWait | None,
) -> None:
    from .atomic import copy_file, remove_leftovers, replace_file, temporary_path
    from .lock import WriterLock

    file = Path(path)
    if file.is_dir():
        raise StoreError(f"{file} is a directory, not a knowledge base", hint="name a file with --kb")
    with WriterLock(file).acquire(timeout, on_wait):
        remove_leftovers(file)
        temporary = temporary_path(file)
        try:
            if file.exists():
                copy_file(file, temporary)
            _change_copy(file, temporary, change)
            # Before the new file is in place: who is killed right after leaves nothing that only
            # the next publish would clear away.
            remove_leftovers(file, keep=temporary)
            replace_file(temporary, file)
        except duckdb.Error as error:
            raise _translate(error, file) from error
        except OSError as error:
            raise _os_error(error, file) from error
        finally:
            remove_leftovers(file)


def _os_error(error: OSError, file: Path) -> StoreError:
    if error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
        return StoreError(
            f"no space left to write {file}; the old file is untouched", hint="make room, run again"
        )
    return StoreError(f"{file} cannot be written: {error.strerror or error}")


def _change_copy(file: Path, temporary: Path, change: Callable[[duckdb.DuckDBPyConnection], None]) -> None:
    fresh = not temporary.exists()
    connection = duckdb.connect(":memory:")
    try:
        _attach_for_writing(connection, temporary, "kb")
        if not fresh:
            _check_writable(connection, file)
        migrate(connection)
        connection.begin()
        change(connection)
        connection.commit()
        connection.execute("CHECKPOINT kb")
        wasteful = _free_share(connection) > _MOSTLY_FREE
    finally:
        connection.close()
    if wasteful:
        _compact(temporary)


def _attach_for_writing(connection: duckdb.DuckDBPyConnection, file: Path, name: str) -> None:
    """Small row groups let a point query skip nearly everything; small blocks then waste no space."""
    for setting in _WRITER:
        connection.execute(setting)
    connection.execute(f"SET temp_directory = {_quote(Path(f'{file}.spill'))}")
    layout = "TYPE duckdb, ROW_GROUP_SIZE 8192" + ("" if file.exists() else f", BLOCK_SIZE {BLOCK_SIZE}")
    connection.execute(f"ATTACH {_quote(file)} AS {name} ({layout})")
    connection.execute(f"USE {name}")


def _check_writable(connection: duckdb.DuckDBPyConnection, file: Path) -> None:
    version = schema_version(connection)
    if version is None or version > SCHEMA_VERSION:
        _check_schema(connection, file)


def _free_share(connection: duckdb.DuckDBPyConnection) -> float:
    row = connection.execute(
        "SELECT free_blocks, total_blocks FROM pragma_database_size() "
        "WHERE database_name = current_database()"
    ).fetchone()
    return 0.0 if row is None or row[1] < 160 else float(row[0]) / float(row[1])


def _compact(temporary: Path) -> None:
    """Copy into a new file: DuckDB reuses free blocks but never gives them back."""
    compacted = temporary.with_name(f"{temporary.name}2")
    connection = duckdb.connect(":memory:")
    try:
        connection.execute(f"ATTACH {_quote(temporary)} AS old (READ_ONLY)")
        _attach_for_writing(connection, compacted, "new")
        connection.begin()
        for migration in MIGRATIONS:
            for statement in migration.statements:
                connection.execute(statement)
        connection.execute("DELETE FROM internal.meta")
        for table in ("meta", *TABLES):
            connection.execute(f'INSERT INTO new.internal."{table}" SELECT * FROM old.internal."{table}"')
        connection.commit()
        connection.execute("CHECKPOINT new")
    finally:
        connection.close()
    compacted.replace(temporary)


def _pid(connection: duckdb.DuckDBPyConnection, project: str) -> int | None:
    row = connection.execute("SELECT pid FROM internal.projects WHERE project = ?", [project]).fetchone()
    return None if row is None else int(row[0])


def _delete(connection: duckdb.DuckDBPyConnection, pid: int, tables: Iterable[str]) -> None:
    for table in tables:
        connection.execute(f'DELETE FROM internal."{table}" WHERE pid = {pid}')


def _replace_project(
    connection: duckdb.DuckDBPyConnection, observation: ProjectObservation, temporary: Path, consume: bool
) -> None:
    from .spool import Spool, plain_memory
    from .tables import write_project

    old = _pid(connection, observation.project)
    if old is not None:
        _delete(connection, old, [table for table in TABLES if table not in ("projects", "docstrings")])
    ((pid,),) = connection.execute("SELECT coalesce(max(pid), 0) + 1 FROM internal.projects").fetchall()
    spool = Spool(Path(f"{temporary}.spool"))

    def sink(table: str, rows: Any) -> None:
        if table in _SPOOLED:
            spool.write(table, rows)
            return
        _insert(connection, table, rows)

    with plain_memory():
        texts = _texts(connection, old, observation.docstrings)
        write_project(int(pid), observation, sink, texts, consume=consume)
    for table, order in _SPOOLED.items():
        file = spool.finish(table)
        if file is not None:
            source = f"SELECT * FROM read_parquet({_quote(file)}) {order}"
            connection.execute(f'INSERT INTO internal."{table}" {source}')
            file.unlink()
    if old is not None:
        _delete(connection, old, ("projects", "docstrings"))


def _texts(connection: duckdb.DuckDBPyConnection, old: int | None, others: Texts) -> Texts:
    """Docstrings of what was published before, and others: a run that reads one release more has no more."""

    def find(names: Sequence[str]) -> dict[str, str]:
        found = {} if old is None else stored_docstrings(partial(fetch, connection), old, names)
        missing = [name for name in names if name not in found]
        return {**found, **others(missing)} if missing else found

    return find


def load_observation(path: PathLike, project: str) -> ProjectObservation | None:
    """Read back what was published of a project: releases in PEP 440 order, modules and blocks sorted.

    None where the file or the project does not exist.
    """
    from .loading import read_observation

    if not Path(path).exists():
        return None
    connection = open_reader(path)
    try:
        observation = read_observation(partial(fetch, connection), project)
        if observation is not None:
            observation.docstrings = partial(load_docstrings, path, project)
        return observation
    except duckdb.Error as error:
        raise _translate(error, Path(path)) from error
    finally:
        connection.close()


def load_docstrings(path: PathLike, project: str, names: Sequence[str]) -> dict[str, str]:
    """Docstrings of a published project by hash, those of them that are there."""
    connection = open_reader(path)
    try:
        pid = _pid(connection, project)
        if pid is None or (schema_version(connection) or 0) < DOCSTRINGS_SINCE:
            return {}
        return stored_docstrings(partial(fetch, connection), pid, names)
    except duckdb.Error as error:
        raise _translate(error, Path(path)) from error
    finally:
        connection.close()


def fetch(
    connection: duckdb.DuckDBPyConnection, query: str, values: Sequence[object] = ()
) -> list[tuple[Any, ...]]:
    """Rows of a query of our own."""
    return connection.execute(query, list(values)).fetchall()


def reading_cursor(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A connection of its own to what a reader has open: other threads may be asking the first one."""
    cursor = connection.cursor()
    cursor.execute("USE kb")
    return cursor


def run_sql(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Run one reading statement of a user.  Raises `ApikbError` with DuckDB's message in one line."""
    try:
        connection = reading_cursor(connection)
        statements = connection.extract_statements(query)
        if len(statements) != 1:
            raise ApikbError(f"one statement at a time, please: this is {len(statements)}")
        kind = statements[0].type
        if kind not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
            raise ApikbError(
                f"only reading is allowed, not {kind.name}",
                hint="SELECT, FROM, DESCRIBE, SUMMARIZE or EXPLAIN",
            )
        cursor = connection.execute(statements[0])
        columns = [item[0] for item in cursor.description or ()]
        return columns, cursor.fetchall()
    except duckdb.Error as error:
        raise ApikbError(" ".join(str(error).split())) from error


def export_views(path: PathLike, directory: PathLike) -> list[Path]:
    """Write every view as Parquet, one folder a project, one file a view."""
    connection = open_reader(path)
    written: list[Path] = []
    views = views_of(schema_version(connection) or 0)
    try:
        for (project,) in fetch(connection, "SELECT project FROM internal.projects ORDER BY 1"):
            folder = Path(directory) / project
            folder.mkdir(parents=True, exist_ok=True)
            for view in views:
                written.append(_export(connection, view, project, folder / f"{view}.parquet"))
    except duckdb.Error as error:
        raise _translate(error, Path(path)) from error
    except OSError as error:
        raise StoreError(f"{directory} cannot be written: {error.strerror or error}") from error
    finally:
        connection.close()
    return written


def _export(connection: duckdb.DuckDBPyConnection, view: str, project: str, file: Path) -> Path:
    import pyarrow.parquet as pq

    reader = connection.sql(
        f'SELECT * FROM main."{view}" WHERE project = ?', params=[project]
    ).to_arrow_reader()
    assert reader is not None
    temporary = file.with_name(f".{file.name}.tmp")
    try:
        with pq.ParquetWriter(temporary, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)
        temporary.replace(file)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return file


def file_stamp(path: PathLike) -> tuple[int, int, int]:
    """What changes when the file is replaced."""
    try:
        found = Path(path).stat()
    except OSError as error:
        raise StoreError(f"there is no knowledge base at {path}") from error
    return (found.st_ino, found.st_mtime_ns, found.st_size)


def query_with(connection: duckdb.DuckDBPyConnection, path: PathLike) -> Callable[..., list[tuple[Any, ...]]]:
    """A function that runs our own queries and translates errors.  Threads may share it."""
    # To parse a query takes as long as to run it.
    statements: dict[str, duckdb.Statement] = {}
    # A connection has one result: who asks must have fetched before the next one asks.
    lock = threading.Lock()

    def run(query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        try:
            with lock:
                statement = statements.get(query)
                if statement is None:
                    if len(statements) >= _STATEMENTS:
                        statements.clear()
                    (statement,) = connection.extract_statements(query)
                    statements[query] = statement
                return connection.execute(statement, list(values)).fetchall()
        except duckdb.Error as error:
            raise _translate(error, Path(path)) from error

    return run


Connection = duckdb.DuckDBPyConnection
Rows = Iterator[tuple[Any, ...]]
