"""The filter against brute force, release by release."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from apikb.retrieval.spans import SpanTable

RELEASES = 6
DOCUMENTS = 5
lives = st.lists(
    st.lists(st.none() | st.integers(0, DOCUMENTS - 1), min_size=RELEASES, max_size=RELEASES), max_size=6
)
"""Of each name: which document it carries at each release."""
pinned = st.sets(st.integers(0, RELEASES - 1)).map(sorted)


def table_of(names: list[list[int | None]]) -> SpanTable:
    rows = []
    for name, life in enumerate(names):
        for ordinal, document in enumerate(life):
            if document is None:
                continue
            if ordinal and life[ordinal - 1] == document:
                rows[-1][3] += 1
            else:
                rows.append([document, name, ordinal, ordinal + 1])
    return SpanTable(*np.array(rows, np.int32).reshape(-1, 4).T)


@given(lives, pinned, st.booleans())
def test_allowed_is_what_holds_at_the_releases(
    names: list[list[int | None]], ordinals: list[int], every: bool
) -> None:
    expected = {}
    for name, life in enumerate(names):
        having = [ordinal for ordinal in ordinals if life[ordinal] is not None]
        if having and (not every or len(having) == len(ordinals)):
            expected[name] = (having[-1], life[having[-1]])
    table = table_of(names)
    allowed = table.allowed(ordinals, DOCUMENTS, every=every)
    told = {
        int(table.names[row]): (int(ordinal), int(table.documents[row]))
        for row, ordinal in zip(allowed.rows, allowed.ordinals, strict=True)
    }
    assert told == expected
    assert set(np.flatnonzero(allowed.mask)) == {document for _, document in expected.values()}
