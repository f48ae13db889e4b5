"""Which documents hold at which releases: the exact filter that comes before any ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]


class Allowed(NamedTuple):
    """What some releases allow.

    `mask` bool (documents,).  `rows` int64 (m,): for each allowed name the one row that is shown, that of
    the newest of the releases that has it; `ordinals` int32 (m,): that release; `names` int32 (m,), rising,
    and `documents` int32 (m,): what the rows say.
    """

    mask: npt.NDArray[np.bool_]
    rows: npt.NDArray[np.int64]
    ordinals: Ints
    names: Ints
    documents: Ints


@dataclass(frozen=True, slots=True)
class SpanTable:
    """Rows (document, name, low, high): in the releases [low, high) the name carries the document's text.

    Four int32 arrays (r,), sorted by name and low.  The rows of a name are disjoint: at one release a
    name is one thing.
    """

    documents: Ints
    names: Ints
    lows: Ints
    highs: Ints

    def allowed(self, ordinals: Sequence[int], documents: int, *, every: bool) -> Allowed:
        """What is there at all the releases, or with `every` false at one of them at least.

        With `every` a name must be present in each, under whatever text; the text of the newest counts.
        """
        wanted = np.asarray(ordinals, np.int32)
        first = np.searchsorted(wanted, self.lows, "left")
        stop = np.searchsorted(wanted, self.highs, "left")
        rows = np.flatnonzero(stop > first)
        names = self.names[rows]
        # Rows are sorted by name and low, so the last of a name has its newest release.
        ends = np.flatnonzero(np.append(names[1:] != names[:-1], True)) if len(rows) else rows
        if every and len(rows):
            covered = np.add.reduceat((stop - first)[rows], np.concatenate(([0], ends[:-1] + 1)))
            ends = ends[covered == len(wanted)]
        shown = rows[ends]
        mask = np.zeros(documents, np.bool_)
        carried = self.documents[shown]
        mask[carried] = True
        return Allowed(mask, shown, wanted[stop[shown] - 1], self.names[shown], carried)
