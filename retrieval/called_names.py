"""How often the examples of a project call what is called by a name: a sign of what people use."""

from __future__ import annotations

import re

from ..kb.corpus import Document

_CALL = re.compile(r"(\w+)\(")


class CalledNames:
    """Counts over the documents of a project, which are added in order."""

    def __init__(self) -> None:
        self._leaves: list[str] = []
        self._callers: dict[str, set[str]] = {}

    def add(self, document: Document) -> None:
        """Take in the examples of a document.  Those of all its releases are one caller."""
        path = document.names[0]
        leaf = path.rpartition(".")[2]
        self._leaves.append(leaf)
        for example in document.examples:
            for name in _CALL.findall(example.code):
                if name != leaf:
                    self._callers.setdefault(name, set()).add(path)

    def counts(self) -> list[int]:
        """Of each document, how many symbols of other names call something that is called as it is."""
        return [len(self._callers.get(leaf, ())) for leaf in self._leaves]
