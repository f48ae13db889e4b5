"""Numbers that the tables are sorted by.  They stay inside the file."""

from __future__ import annotations

import hashlib


def bucket_of(parent: str) -> int:
    """A hash of a parent path: siblings lie side by side, and the database can skip all other blocks.

    (Its own statistics keep only the first eight bytes of a text, which all symbols of a project share.)
    """
    return int.from_bytes(hashlib.blake2b(parent.encode(), digest_size=8).digest(), "little", signed=True)


def global_number(pid: int, number: int) -> int:
    """A number that is unique in the file, from a project's number and one of its own."""
    return pid << 32 | number
