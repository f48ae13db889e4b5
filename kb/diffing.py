"""What differs between two releases of a project."""

from __future__ import annotations

from collections.abc import Iterator

from .answers import Change
from .codec import decode_state
from .compare import compare_signatures
from .reader import ProjectReader
from .resolve import Item, own_mark
from .symbols import Kind, Status, SymbolState, Visibility

_QUERY = """WITH
a AS (SELECT u.symbol, s.kind = 'module' AS module, any_value(u.state) AS state FROM internal.runs u
    JOIN internal.states s USING (state)
    WHERE u.pid = ? AND u.role = 0 AND ? BETWEEN u.first AND u.last GROUP BY ALL),
b AS (SELECT u.symbol, s.kind = 'module' AS module, any_value(u.state) AS state FROM internal.runs u
    JOIN internal.states s USING (state)
    WHERE u.pid = ? AND u.role = 0 AND ? BETWEEN u.first AND u.last GROUP BY ALL)
SELECT coalesce(a.symbol, b.symbol) AS symbol, x.data, y.data
FROM a FULL JOIN b ON a.symbol = b.symbol AND a.module = b.module
LEFT JOIN internal.states x ON x.state = a.state
LEFT JOIN internal.states y ON y.state = b.state
WHERE a.state IS DISTINCT FROM b.state
ORDER BY symbol"""


def differences(reader: ProjectReader, a: int, b: int, symbol: str | None, everything: bool) -> list[Change]:
    """All differences, sorted by symbol."""
    if a == b:
        return []
    pairs = _pairs(reader, a, b, symbol)
    resolver = reader.resolver()
    gone = [path for path, (before, after) in pairs.items() if (before is None) != (after is None)]
    for start in range(0, len(gone), 500):
        resolver.prefetch(gone[start : start + 500])
    found: list[Change] = []
    for path, (before, after) in sorted(pairs.items()):
        if not everything and not (_is_public(before) or _is_public(after)):
            continue
        if before is None or after is None:
            life = resolver.life(path)
            before = before or _resolved(life.at(a))
            after = after or _resolved(life.at(b))
            if (before is None and life.reason_at(a)) or (after is None and life.reason_at(b)):
                continue
        found += _compare(path, before, after)
    return found


def _resolved(item: Item | None) -> SymbolState | None:
    return None if item is None else item.state


_Pair = tuple[SymbolState | None, SymbolState | None]


def _pairs(reader: ProjectReader, a: int, b: int, symbol: str | None) -> dict[str, _Pair]:
    """Both states of each path; of a path that is member and module at once, the member's."""
    found: dict[str, _Pair] = {}
    for path, old, new in reader.query(_QUERY, [reader.pid, a, reader.pid, b]):
        if symbol is not None and path != symbol and not path.startswith(f"{symbol}."):
            continue
        before = None if old is None else decode_state(old)
        after = None if new is None else decode_state(new)
        known = found.get(path)
        if known is not None:
            before = _member(known[0], before)
            after = _member(known[1], after)
        found[path] = (before, after)
    return found


def _member(one: SymbolState | None, other: SymbolState | None) -> SymbolState | None:
    if one is None or other is None:
        return one or other
    return other if one.kind == Kind.MODULE else one


def _is_public(state: SymbolState | None) -> bool:
    return state is not None and state.visibility != Visibility.PRIVATE


def _compare(path: str, before: SymbolState | None, after: SymbolState | None) -> Iterator[Change]:
    was = before if before is not None and before.status == Status.PRESENT else None
    now = after if after is not None and after.status == Status.PRESENT else None
    dead = after is not None and after.status == Status.TOMBSTONE
    if (before is not None and before.status == Status.UNKNOWN) or (
        after is not None and after.status == Status.UNKNOWN
    ):
        return
    if was is None and now is None:
        if dead and before is None and after is not None:
            yield Change(path, "tombstone", str(after.kind), str(after.visibility), after=after.message)
    elif was is None:
        assert now is not None
        yield Change(path, "added", str(now.kind), str(now.visibility), after=_text(now))
    elif now is None:
        message = after.message if after is not None else None
        yield Change(
            path,
            "tombstone" if dead else "removed",
            str(was.kind),
            str(was.visibility),
            _text(was),
            message,
            True,
        )
    else:
        yield from _altered(path, was, now)


def _text(state: SymbolState) -> str:
    if state.signature is not None:
        return str(state.signature)
    return state.value if state.value is not None else str(state.kind)


def _altered(path: str, was: SymbolState, now: SymbolState) -> Iterator[Change]:
    kind, visibility = str(now.kind), str(now.visibility)
    differences = compare_signatures(was, now)
    details = [difference.text for difference in differences]
    breaking = any(difference.breaking for difference in differences)
    if was.kind != now.kind:
        details.append(f"kind: {was.kind} -> {now.kind}")
        breaking = breaking or Kind.MODULE in (was.kind, now.kind) or was.kind == Kind.CLASS
    gone = sorted(set(was.labels) - set(now.labels))
    come = sorted(set(now.labels) - set(was.labels))
    details += [f"no longer {label}" for label in gone] + [f"now {label}" for label in come]
    details += _parameter_marks(was, now)
    if details:
        yield Change(path, "changed", kind, visibility, _text(was), _text(now), breaking, tuple(details))
    if own_mark(was) != own_mark(now):
        change = "deprecated" if own_mark(now) else "undeprecated"
        yield Change(path, change, kind, visibility, details=(_mark(now if own_mark(now) else was),))


def _parameter_marks(was: SymbolState, now: SymbolState) -> list[str]:
    old = {mark.parameter for mark in was.deprecations}
    return [
        f"parameter {mark.parameter}: deprecated"
        for mark in now.deprecations
        if mark.parameter is not None and mark.parameter not in old
    ]


def _mark(state: SymbolState) -> str:
    mark = next(mark for mark in state.deprecations if mark.parameter is None)
    return mark.message or mark.mechanism
