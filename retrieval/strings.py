"""Many strings as two arrays, so that they can be mapped from a file and searched there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class StringTable:
    """`blob` uint8: all strings as UTF-8, one after the other; `starts` int64 (n + 1,): where they begin."""

    blob: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, strings: Iterable[str]) -> StringTable:
        """The table of some strings, in their order."""
        coded = [text.encode("utf-8", "surrogatepass") for text in strings]
        starts = np.fromiter(accumulate(map(len, coded), initial=0), np.int64, len(coded) + 1)
        return cls(np.frombuffer(b"".join(coded), np.uint8), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, place: int) -> str:
        return self._bytes(place).decode("utf-8", "surrogatepass")

    def _bytes(self, place: int) -> bytes:
        return self.blob[self.starts[place] : self.starts[place + 1]].tobytes()

    def find(self, text: str) -> int | None:
        """Where a string stands in a table that is sorted by code points; None where it is not in it."""
        wanted = text.encode("utf-8", "surrogatepass")
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._bytes(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self._bytes(low) == wanted else None
