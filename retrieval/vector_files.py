"""Parquet files of vectors: written whole or not at all, read with every byte checked."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from ..kb.atomic import replace_file, temporary_path
from ..kb.errors import ApikbError

Matrix = npt.NDArray[np.float32]

KEY_BYTES = 16
_FORMAT = 1
_GROUP = 4096
"""Rows of a row group: what is lost when one byte of it is damaged."""
_MARKS = "apikb."
"""How our keys in the metadata of a file begin."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Vectors by key; `lost` says what of the file could not be read, empty where all could."""

    keys: Sequence[bytes]
    vectors: Matrix
    """Shape (number of keys, dimension)."""
    lost: str = ""


class _Damaged(Exception):
    """Not what was written."""


def write_vectors(path: Path, keys: Sequence[bytes], vectors: Matrix, fingerprint: str) -> None:
    """Put a file in its place, whole: columns `key` (16 bytes) and `vector` (a list of float32).

    The encoder's fingerprint, the dimension and a checksum of each row group are in the metadata.
    Raises OSError; what was there before is then untouched.
    """
    vectors = np.ascontiguousarray(vectors, np.float32)
    temporary = temporary_path(path)
    try:
        with temporary.open("wb") as file:
            _write(file, keys, vectors, _marks(keys, vectors, fingerprint))
        replace_file(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _write(file: Any, keys: Sequence[bytes], vectors: Matrix, marks: dict[str, str]) -> None:
    dimension = vectors.shape[1]
    schema = _schema(dimension).with_metadata(marks)
    # Vectors do not compress, and no two of them are equal.
    writer = pq.ParquetWriter(
        file, schema, compression="NONE", use_dictionary=False, write_page_checksum=True
    )
    for start, stop in _groups(len(keys)):
        columns = [
            pa.array(keys[start:stop], pa.binary(KEY_BYTES)),
            pa.FixedSizeListArray.from_arrays(pa.array(vectors[start:stop].reshape(-1)), dimension),
        ]
        writer.write_table(pa.Table.from_arrays(columns, schema=schema), row_group_size=_GROUP)
    writer.close()


def _schema(dimension: int) -> pa.Schema:
    return pa.schema(
        [
            pa.field("key", pa.binary(KEY_BYTES), nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dimension), nullable=False),
        ]
    )


def _groups(rows: int) -> Iterable[tuple[int, int]]:
    return ((start, min(start + _GROUP, rows)) for start in range(0, rows, _GROUP))


def _marks(keys: Sequence[bytes], vectors: Matrix, fingerprint: str) -> dict[str, str]:
    groups = [
        [stop - start, _checksum(keys[start:stop], vectors[start:stop])] for start, stop in _groups(len(keys))
    ]
    marks = {
        f"{_MARKS}format": str(_FORMAT),
        f"{_MARKS}fingerprint": fingerprint,
        f"{_MARKS}dimension": str(vectors.shape[1]),
        f"{_MARKS}groups": json.dumps(groups),
    }
    return {**marks, f"{_MARKS}checksum": _checksum_of_marks(marks)}


def _checksum(keys: Sequence[bytes], vectors: Matrix) -> str:
    digest = hashlib.blake2b(b"".join(keys), digest_size=16)
    digest.update(np.ascontiguousarray(vectors).data)
    return digest.hexdigest()


def _checksum_of_marks(marks: dict[str, str]) -> str:
    return hashlib.blake2b(json.dumps(marks, sort_keys=True).encode(), digest_size=16).hexdigest()


def read_vectors(path: Path, fingerprint: str, dimension: int) -> Stored:
    """Read the vectors that are as they were written; a file that is not there has none.

    Parquet has checksums for pages only, not for their headers or the footer, so each row group has one of
    its own, and so has the metadata.  What fails is left out and told in `lost`.

    Raises ApikbError where the file cannot be opened or is another encoder's.
    """
    nothing = np.empty((0, dimension), np.float32)
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return Stored((), nothing)
    except OSError as error:
        raise ApikbError(f"{path} cannot be read: {error.strerror or error}") from error
    with file:
        try:
            parquet = pq.ParquetFile(file, page_checksum_verification=True)
            marks = _checked_marks(parquet)
            _refuse_others(path, marks, fingerprint, dimension)
            groups = _checked_groups(path, parquet, marks, dimension)
        except _READING as error:
            return Stored((), nothing, lost=f"{path} is damaged ({_reason(error)})")
        return _read_groups(path, parquet, groups, dimension)


_READING = (_Damaged, pa.ArrowException, OSError, ValueError, TypeError, KeyError, MemoryError)
"""What reading a damaged file raises."""


def _reason(error: BaseException) -> str:
    lines = str(error).splitlines() or [""]
    return lines[0] or type(error).__name__


def _checked_marks(parquet: pq.ParquetFile) -> dict[str, str]:
    found = parquet.metadata.metadata or {}
    marks = {key.decode(): value.decode() for key, value in found.items() if key.startswith(_MARKS.encode())}
    if marks.pop(f"{_MARKS}checksum", None) != _checksum_of_marks(marks):
        raise _Damaged("its metadata are not as they were written")
    return marks


def _refuse_others(path: Path, marks: dict[str, str], fingerprint: str, dimension: int) -> None:
    layout = marks[f"{_MARKS}format"]
    found = marks[f"{_MARKS}fingerprint"]
    if layout != str(_FORMAT):
        message = f"{path} has format {layout} of vector files, and this version of apikb reads {_FORMAT}"
    elif (found, marks[f"{_MARKS}dimension"]) != (fingerprint, str(dimension)):
        message = (
            f"{path} holds vectors of another encoder: {found} ({marks[f'{_MARKS}dimension']} dimensions), "
            f"not {fingerprint} ({dimension} dimensions)"
        )
    else:
        return
    raise ApikbError(message, hint=f"to embed its texts anew, remove it: rm {shlex.quote(str(path))}")


def _checked_groups(
    path: Path, parquet: pq.ParquetFile, marks: dict[str, str], dimension: int
) -> list[tuple[int, str]]:
    """Rows and checksum of each row group, after the footer was found to agree with them.

    A footer that lies about its sizes would have the reader ask for any amount of memory.
    """
    groups = [(int(rows), str(checksum)) for rows, checksum in json.loads(marks[f"{_MARKS}groups"])]
    told = parquet.metadata
    rows = [told.row_group(number).num_rows for number in range(told.num_row_groups)]
    if rows != [count for count, _ in groups] or told.num_rows != sum(rows):
        raise _Damaged("its footer is not as it was written")
    if sum(rows) * dimension * 4 > path.stat().st_size:
        raise _Damaged("it is shorter than its vectors")
    return groups


def _read_groups(
    path: Path, parquet: pq.ParquetFile, groups: Sequence[tuple[int, str]], dimension: int
) -> Stored:
    vectors = np.empty((sum(rows for rows, _ in groups), dimension), np.float32)
    keys: list[bytes] = []
    lost, reason = 0, ""
    for number, (rows, checksum) in enumerate(groups):
        try:
            read, values = _read_group(parquet, number, dimension)
            if len(read) != rows or _checksum(read, values) != checksum:
                raise _Damaged("its vectors are not as they were written")
        except _READING as error:
            lost += rows
            reason = _reason(error)
            continue
        vectors[len(keys) : len(keys) + rows] = values
        keys += read
    said = f"{path} is damaged, {lost:,} of {len(vectors):,} vectors are lost ({reason})" if lost else ""
    return Stored(keys, vectors[: len(keys)], said)


def _read_group(parquet: pq.ParquetFile, number: int, dimension: int) -> tuple[list[bytes], Matrix]:
    table = parquet.read_row_group(number)
    if table.schema.types != _schema(dimension).types:
        raise _Damaged("its schema is not as it was written")
    keys = table.column("key").to_pylist()
    lists = table.column("vector").combine_chunks()
    values = lists.flatten().to_numpy(zero_copy_only=False)
    return keys, np.asarray(values, np.float32).reshape(len(keys), dimension)
