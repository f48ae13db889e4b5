"""apikb: a knowledge base of the lifespans of Python APIs.

    from apikb import KnowledgeBase, Retriever, parse_pin, resolve_pins

    with KnowledgeBase.open("kb.duckdb") as kb:
        kb.lookup("pandas.DataFrame.append", version="2.0.0").status
        pins = resolve_pins(kb, [parse_pin("pandas==1.5.3")])
        Retriever(kb).search("add rows to a DataFrame", pins, k=4)

Each name is imported when it is used for the first time, so that `import apikb` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .kb.lookup import KnowledgeBase
    from .retrieval.encoders import encoder_named
    from .retrieval.hits import Hit
    from .retrieval.pins import parse_pin, resolve_pins
    from .retrieval.retriever import Retriever

__version__ = "0.1.0"
__all__ = ["Hit", "KnowledgeBase", "Retriever", "encoder_named", "parse_pin", "resolve_pins"]

# Hidden from type checkers, which would take it to mean that there is a name for anything.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a public name."""
        from importlib import import_module

        places = {
            "Hit": ".retrieval.hits",
            "KnowledgeBase": ".kb.lookup",
            "Retriever": ".retrieval.retriever",
            "encoder_named": ".retrieval.encoders",
            "parse_pin": ".retrieval.pins",
            "resolve_pins": ".retrieval.pins",
        }
        if name not in places:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(places[name], __name__), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
