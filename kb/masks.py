"""Sets of releases as integers: bit n stands for the release with ordinal n."""

from __future__ import annotations

from collections.abc import Iterator


def bits(mask: int) -> Iterator[int]:
    """The ordinals in a mask, rising.

    >>> list(bits(0b1011))
    [0, 1, 3]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def first(mask: int) -> int:
    """The lowest ordinal of a mask that is not empty."""
    return (mask & -mask).bit_length() - 1


def last(mask: int) -> int:
    """The highest ordinal of a mask that is not empty."""
    return mask.bit_length() - 1


def span_mask(low: int, high: int) -> int:
    """All ordinals from `low` to `high`, both included.

    >>> bin(span_mask(1, 3))
    '0b1110'
    """
    return (1 << (high + 1)) - (1 << low)


def runs(mask: int, read: int) -> list[tuple[int, int]]:
    """Maximal runs of a mask as (first, last); releases outside `read` do not break a run.

    >>> runs(0b11011, 0b11011)
    [(0, 4)]
    >>> runs(0b11011, 0b11111)
    [(0, 1), (3, 4)]
    """
    found: list[tuple[int, int]] = []
    others = read & ~mask
    while mask:
        low = first(mask)
        blocker = others >> low
        if blocker:
            part = mask & span_mask(low, low + first(blocker))
        else:
            part = mask
        found.append((low, last(part)))
        mask ^= part
    return found
