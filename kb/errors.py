"""The errors that a user sees.  Each names the thing, the place and the next command."""

from __future__ import annotations


class ApikbError(Exception):
    """Base of all errors of apikb; `hint` is the next step, `exit_code` the one of the command."""

    exit_code = 2

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class NotIndexed(ApikbError):
    """The project or the release is not in the knowledge base: never another's answer."""

    exit_code = 4


class StoreError(ApikbError):
    """The DuckDB file cannot be used: missing, damaged, foreign, of a newer schema, no space."""


class IndexingError(ApikbError):
    """A project cannot be indexed: unknown, or its index is out of reach."""

    exit_code = 1
