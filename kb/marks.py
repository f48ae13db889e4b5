"""Several marks on one thing, told as one."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.version import InvalidVersion, Version

from .symbols import Deprecation

_RANK = {"decorator": 0, "getattr": 1, "warning": 2, "docstring": 3, "default": 4}
"""How directly a mechanism speaks of what it marks."""


def combined(marks: Iterable[Deprecation], parameter: str | None = None) -> Deprecation | None:
    """The mark on a symbol, or on a parameter of it: the most direct one, completed by the others.

    >>> combined([Deprecation("docstring", "use b", "1.2", None, "b"), Deprecation("decorator")])
    Deprecation(mechanism='decorator', message='use b', since='1.2', removal=None, replacement='b',
    parameter=None, line=0)
    """
    chosen = [mark for mark in marks if mark.parameter == parameter]
    if len(chosen) < 2:
        return chosen[0] if chosen else None
    chosen.sort(key=lambda mark: _RANK.get(mark.mechanism, len(_RANK)))
    first = chosen[0]

    def known(field: int) -> str | None:
        return next((mark[field] for mark in chosen if mark[field] is not None), None)  # type: ignore[return-value]

    return first._replace(message=known(1), since=known(2), removal=known(3), replacement=known(4))


def seen_at(mark: Deprecation, version: str) -> Deprecation:
    """A mark as a release has it: a claimed version that is still to come is the announced removal.

    >>> seen_at(Deprecation("decorator", since="0.26"), "0.24.0").removal
    '0.26'
    >>> seen_at(Deprecation("decorator", since="0.26"), "0.26.0rc1").since
    '0.26'
    """
    if mark.since is None or mark.removal is not None:
        return mark
    try:
        ahead = Version(mark.since) > Version(Version(version).base_version)
    except InvalidVersion:
        return mark
    return mark._replace(since=None, removal=mark.since) if ahead else mark
