"""From the name that a text tells to use to the path that it means."""

from __future__ import annotations

from collections.abc import Callable, Iterator


def candidates(symbol: str, word: str) -> Iterator[str]:
    """The paths that a word can mean in a text about `symbol`, the likeliest first.

    A text names siblings without their module, and often shortens the import name: `tf.cast`.

    >>> list(candidates("pkg.sub.C.old", "C.new"))
    ['C.new', 'pkg.sub.C.C.new', 'pkg.sub.C.new', 'pkg.C.new', 'pkg.new', 'pkg.sub.C.new']
    """
    bare = word.strip("`'\"() .")
    if not bare:
        return
    yield bare
    parent = symbol.rpartition(".")[0]
    top = symbol.partition(".")[0]
    while parent:
        yield f"{parent}.{bare}"
        parent = parent.rpartition(".")[0]
    head, dot, rest = bare.partition(".")
    if dot and head != top:
        yield f"{top}.{rest}"
        yield f"{symbol.rpartition('.')[0]}.{rest}"  # `df.loc`


def meant(symbol: str, word: str, is_present: Callable[[str], bool]) -> str | None:
    """The first candidate that is there, and is neither the symbol itself nor something that holds it."""
    for place in candidates(symbol, word):
        if place != symbol and not symbol.startswith(f"{place}.") and is_present(place):
            return place
    return None
