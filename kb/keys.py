"""Numbers that the tables are sorted by.  They stay inside the file."""

from __future__ import annotations

import zlib


def bucket_of(parent: str) -> int:
    """A hash of a parent path: siblings lie side by side, and the database can skip all other blocks.

    (Its own statistics keep only the first eight bytes of a text, which all symbols of a project share.)
    """
    return zlib.crc32(parent.encode())


def global_number(pid: int, number: int) -> int:
    """A number that is unique in the file, from a project's number and one of its own."""
    return pid << 32 | number
