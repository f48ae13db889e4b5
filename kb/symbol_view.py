"""One symbol, for several questions about it."""

from __future__ import annotations

from collections.abc import Iterable

from .answering import answer_at, statuses
from .answers import Answer
from .choosing import exact_release
from .docstrings import stored_docstrings
from .reader import ProjectReader
from .releases import ReleaseStatus
from .symbols import Status


class SymbolView:
    """A path of a project in one state of the file; it is resolved once, whatever is asked.

    Not to be shared by threads.
    """

    def __init__(self, reader: ProjectReader, path: str) -> None:
        self.reader = reader
        self.path = path
        self._resolver = reader.resolver()

    def answer(self, version: str) -> Answer:
        """What it is at a release, as `KnowledgeBase.lookup` tells.  Raises NotIndexed."""
        return answer_at(self.reader, self.path, exact_ordinal(self.reader, version), self._resolver)

    def is_present(self, version: str) -> bool:
        """Whether a release has it.  Raises NotIndexed."""
        item = self._resolver.life(self.path).at(exact_ordinal(self.reader, version))
        return item is not None and item.state.status == Status.PRESENT

    def statuses(self) -> dict[str, Status]:
        """Version -> status for every release that could be read."""
        found = statuses(self.reader, self.path, None, self._resolver)
        return {version: Status(status) for version, status in found}

    def docstring_hash(self, version: str) -> str | None:
        """Names the docstring that it has at a release; None where it has none.  Raises NotIndexed."""
        item = self._resolver.life(self.path).at(exact_ordinal(self.reader, version))
        return item.state.doc if item is not None else None


def exact_ordinal(reader: ProjectReader, version: str) -> int:
    """The ordinal of an indexed release.  Raises NotIndexed."""
    exact = reader.ordinals.get(version)
    if exact is not None and reader.releases[exact].status == ReleaseStatus.INDEXED:
        return exact
    return exact_release(reader.project, reader.releases, version)


def docstrings_of(views: Iterable[tuple[SymbolView, str]]) -> dict[tuple[str, str], str]:
    """The docstrings of some symbols at a release each, by (project, hash): one query a project."""
    wanted: dict[ProjectReader, list[str]] = {}
    for view, version in views:
        name = view.docstring_hash(version)
        if name is not None:
            wanted.setdefault(view.reader, []).append(name)
    return {
        (reader.project, name): text
        for reader, names in wanted.items()
        for name, text in stored_docstrings(reader.query, reader.pid, list(dict.fromkeys(names))).items()
    }
