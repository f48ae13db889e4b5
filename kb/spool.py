"""Rows on their way into the file, kept on disk: the largest tables would fill the memory.

They are sorted when they are read back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


class Spool:
    """One Parquet file a table, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._writers: dict[str, pq.ParquetWriter] = {}

    def write(self, table: str, rows: pa.Table) -> None:
        """Add rows of a table."""
        writer = self._writers.get(table)
        if writer is None:
            writer = pq.ParquetWriter(self._path(table), rows.schema, compression="lz4")
            self._writers[table] = writer
        writer.write_table(rows)

    def finish(self, table: str) -> Path | None:
        """The complete file of a table, None where it got no rows."""
        writer = self._writers.pop(table, None)
        if writer is None:
            return None
        writer.close()
        return self._path(table)

    def _path(self, table: str) -> Path:
        return self.folder / f"{table}.parquet"


@contextmanager
def plain_memory() -> Iterator[None]:
    """Arrow's own allocator keeps what it once had; the system's gives it back."""
    before = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(before)
