"""Building the answer to one question from what the resolver finds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .answers import Answer, Evidence, Span
from .errors import ApikbError
from .marks import combined, seen_at
from .parameters import accepted, refused, swallows
from .reader import ProjectReader
from .replacements import candidates, meant
from .resolve import Item, Life, Resolver, own_mark, prefixes
from .symbols import Deprecation, Kind, Parameter, ParameterKind, Status

_PARAMETER = re.compile(r"^(?P<path>[^()\s]+)\(\s*\*{0,2}(?P<name>\w+)\s*=?\s*\)$")
_PATH = re.compile(r"^[^\W\d]\w*(\.\w+)*$")

_DEEPEST = 100
"""Dots in a path; an archive's folders are 60 deep at most, and resolving goes from parent to parent."""


def parse_symbol(symbol: str) -> tuple[str, str | None]:
    """Split what people write into a path and a parameter.

    >>> parse_symbol("numpy.var(mean)"), parse_symbol("os.path:join"), parse_symbol("f()")
    (('numpy.var', 'mean'), ('os.path.join', None), ('f', None))
    """
    text = symbol.strip()
    parameter = None
    found = _PARAMETER.match(text)
    if found:
        text, parameter = found["path"], found["name"]
    path = text.removesuffix("()").replace(":", ".")
    if not _PATH.match(path) or path.count(".") > _DEEPEST:
        raise ApikbError(
            f"{symbol[:200]!r} is not a symbol",
            hint="write package.module.name, module:name or name(parameter)",
        )
    return path, parameter


def answer_at(reader: ProjectReader, path: str, ordinal: int, resolver: Resolver | None = None) -> Answer:
    """What a path is at a release."""
    resolver = resolver or reader.resolver()
    life = resolver.life(path)
    item = life.at(ordinal)
    if item is None:
        return _not_bound(reader, resolver, life, ordinal)
    if item.state.status == Status.TOMBSTONE:
        return _tombstone(reader, resolver, life, item, ordinal)
    return _present(reader, resolver, life, item, ordinal)


def spans_of(reader: ProjectReader, life: Life) -> tuple[Span, ...]:
    """A path's spans with version strings."""
    marked = life.deprecated()
    return tuple(reader.axis.span(span, marked) for span in life.spans(reader.axis))


def _common(reader: ProjectReader, life: Life, ordinal: int) -> Answer:
    release = reader.releases[ordinal]
    notes: tuple[str, ...] = ()
    if release.yanked:
        why = f": {release.yanked_reason}" if release.yanked_reason else ""
        notes = (f"{release.version} was yanked{why}",)
    return Answer(
        symbol=life.path,
        project=reader.project,
        version=release.version,
        status=Status.UNKNOWN,
        spans=spans_of(reader, life),
        yanked=release.yanked,
        notes=notes,
    )


def _present(reader: ProjectReader, resolver: Resolver, life: Life, item: Item, ordinal: int) -> Answer:
    state = item.state
    mark = _mark_at(item, reader.releases[ordinal].version)
    alias_of, inherited_from = _origins(life.path, item)
    return _with(
        _common(reader, life, ordinal),
        status=Status.PRESENT,
        kind=str(state.kind),
        visibility=str(state.visibility),
        signature=None if state.signature is None else str(state.signature),
        variants=state.variants,
        labels=state.labels,
        deprecation=mark,
        replacement=_replacement_now(resolver, life.path, mark, ordinal),
        alias_of=alias_of,
        inherited_from=inherited_from,
        via=state.via,
        condition=state.condition,
        evidence=_evidence(reader, resolver, item, ordinal),
    )


def _mark_at(item: Item, version: str, parameter: str | None = None) -> Deprecation | None:
    mark = combined(item.state.deprecations, parameter)
    return None if mark is None else seen_at(mark, version)


def _with(answer: Answer, **fields: object) -> Answer:
    from dataclasses import replace

    return replace(answer, **fields)  # type: ignore[arg-type]


def _origins(path: str, item: Item) -> tuple[str | None, str | None]:
    target = item.state.target or (item.origin if item.origin != path else None)
    if item.inherited or item.state.via == "inherited":
        return None, target
    return target, None


def _evidence(reader: ProjectReader, resolver: Resolver, item: Item, ordinal: int) -> Evidence:
    wanted = [path for path in (item.state.target, item.origin) if path is not None]
    resolver.prefetch(wanted)
    for path in wanted:
        places = [
            (line == 0, file, line)
            for mask, file, line in reader.places(path, resolver.raw(path))
            if mask >> ordinal & 1
        ]
        if places:
            _, file, line = min(places)
            return _evidence_at(reader, ordinal, file, line)
    return _evidence_at(reader, ordinal)


def _evidence_at(
    reader: ProjectReader, ordinal: int, file: str | None = None, line: int | None = None
) -> Evidence:
    release = reader.releases[ordinal]
    return Evidence(release.artifact, release.sha256, file, line or None)


def _tombstone(reader: ProjectReader, resolver: Resolver, life: Life, item: Item, ordinal: int) -> Answer:
    return _with(
        _common(reader, life, ordinal),
        status=Status.TOMBSTONE,
        kind=str(item.state.kind),
        visibility=str(item.state.visibility),
        reason=item.state.message or "using it raises",
        tombstone_since=_tombstone_since(reader, life, ordinal),
        replacement=_replacement(reader, life, ordinal),
        via=item.state.via,
        evidence=_evidence(reader, resolver, item, ordinal),
    )


def _tombstone_since(reader: ProjectReader, life: Life, ordinal: int) -> str | None:
    axis = reader.axis
    mask = life.mask_of(Status.TOMBSTONE)
    runs = axis.spans(mask, life.unknown_mask)
    for span in runs:
        if span.added <= ordinal <= span.last_seen:
            return axis.versions[span.added]
    return axis.versions[ordinal]


def _not_bound(reader: ProjectReader, resolver: Resolver, life: Life, ordinal: int) -> Answer:
    common = _common(reader, life, ordinal)
    reason = life.reason_at(ordinal)
    ever = bool(life.items) or bool(common.spans)
    suggestions = () if ever else tuple(name for name in reader.similar(life.path) if name != life.path)
    if reason is not None:
        return _with(
            common,
            status=Status.UNKNOWN,
            reason=reason,
            evidence=_module_evidence(reader, resolver, life.path, ordinal)[1],
            suggestions=suggestions,
        )
    reason, evidence = _module_evidence(reader, resolver, life.path, ordinal)
    return _with(
        common,
        status=Status.ABSENT,
        reason=reason,
        evidence=evidence,
        replacement=_replacement(reader, life, ordinal),
        suggestions=suggestions,
        notes=(*common.notes, *_elsewhere(reader, life, common.spans, ordinal)),
    )


def _elsewhere(reader: ProjectReader, life: Life, spans: tuple[Span, ...], ordinal: int) -> Iterator[str]:
    if not spans:
        if life.items:
            yield "it exists in pre-releases only"
        return
    versions = list(reader.axis.versions)
    yield "it exists in " + ", ".join(
        span.added if span.added == span.last_seen else f"{span.added} to {span.last_seen}" for span in spans
    )
    if versions.index(spans[0].added) > ordinal:
        for former, version in reader.moved_from(life.path)[:1]:
            if versions.index(version) > ordinal:
                yield f"before {version} it was {former}"


def _module_evidence(
    reader: ProjectReader, resolver: Resolver, path: str, ordinal: int
) -> tuple[str, Evidence]:
    """Why a path is not there: the nearest thing that is, and the file in which it was read."""
    release = reader.releases[ordinal]
    for prefix in prefixes(path)[1:]:
        item = resolver.life(prefix).at(ordinal)
        if item is None:
            continue
        evidence = _evidence(reader, resolver, item, ordinal)
        missing = path[len(prefix) + 1 :].partition(".")[0]
        if item.state.status == Status.TOMBSTONE:
            return f"{prefix} raises when it is used: {item.state.message}", evidence
        if item.state.kind == Kind.CLASS:
            return f"class {prefix} was read with its base classes, and none has {missing}", evidence
        if evidence.file is None:
            files = reader.module_files([item.state.target or prefix, prefix], ordinal)
            file = next((file for file, _ in files.values()), None)
            evidence = Evidence(release.artifact, release.sha256, file, None)
        where = f" ({evidence.file})" if evidence.file else ""
        return f"{item.state.kind} {prefix} was read{where}, and does not bind {missing}", evidence
    top = path.partition(".")[0]
    return f"there is no {top} in {release.artifact or release.version}", _evidence_at(reader, ordinal)


def _replacement(reader: ProjectReader, life: Life, ordinal: int) -> str | None:
    """What took a path's place: its own move, its parent's move, or what its last deprecation said."""
    axis = reader.axis
    ended = [span for span in life.spans(axis) if span.removed is not None and span.removed <= ordinal]
    item = life.at(ended[-1].last_seen) if ended else None
    if not ended and life.at(ordinal) is None:
        return None
    paths = prefixes(life.path)
    extra = [item.state.target] if item is not None and item.state.target is not None else []
    order = {version: number for number, version in enumerate(axis.versions)}
    moves = [move for move in reader.moves([*paths, *extra]) if order[move[2]] <= ordinal]
    moves.sort(key=lambda move: (-len(move[0]) if move[0] in paths else 0, -order[move[2]]))
    for symbol, moved_to, _, _ in moves:
        return moved_to + life.path[len(symbol) :] if symbol in paths else moved_to
    mark = combined(item.state.deprecations) if item is not None and own_mark(item.state) else None
    return _replacement_now(reader.resolver(), life.path, mark, ordinal)


def _replacement_now(resolver: Resolver, path: str, mark: Deprecation | None, ordinal: int) -> str | None:
    """What a mark tells to use: the path that it means at a release, else the text as it stands."""
    if mark is None or mark.replacement is None:
        return None
    resolver.prefetch(list(candidates(path, mark.replacement)))

    def is_present(place: str) -> bool:
        item = resolver.life(place).at(ordinal)
        return item is not None and item.state.status == Status.PRESENT

    return meant(path, mark.replacement, is_present) or mark.replacement


class ParameterLife(NamedTuple):
    present: int
    hidden: int
    marked: int


def parameter_life(life: Life, name: str) -> ParameterLife:
    present = hidden = marked = 0
    for item in life.items:
        if item.state.status != Status.PRESENT:
            continue
        if name in accepted(item.state):
            present |= item.mask
            if any(mark.parameter == name for mark in item.state.deprecations):
                marked |= item.mask
        elif item.state.kind != Kind.MODULE and swallows(item.state) and name not in refused(item.state):
            hidden |= item.mask
    return ParameterLife(present, hidden, marked)


def answer_parameter(reader: ProjectReader, path: str, name: str, ordinal: int) -> Answer:
    """What a parameter is at a release; of a class, its constructor's."""
    symbol = f"{path}({name})"
    resolver = reader.resolver()
    whole = answer_at(reader, path, ordinal, resolver)
    life = resolver.life(path)
    masks = parameter_life(life, name)
    axis = reader.axis
    spans = tuple(
        axis.span(span, masks.marked) for span in axis.spans(masks.present, masks.hidden | life.unknown_mask)
    )
    if whole.status != Status.PRESENT:
        return _with(whole, symbol=symbol, spans=spans)
    item = life.at(ordinal)
    assert item is not None
    base = _with(whole, symbol=symbol, spans=spans, deprecation=None, replacement=None)
    found = accepted(item.state).get(name)
    if found is not None:
        return _parameter_present(base, found, item)
    raises = name in refused(item.state)
    if item.state.kind != Kind.MODULE and swallows(item.state) and not raises:
        return _with(base, status=Status.UNKNOWN, reason=_swallowed(path, item))
    names = tuple(accepted(item.state))
    return _with(
        base,
        status=Status.ABSENT,
        reason=f"{path} raises for {name}" if raises else f"{path} was read, and has no parameter {name}",
        replacement=_last_replacement(life, name, ordinal),
        suggestions=_close(name, names, path) if not spans else (),
    )


def _parameter_present(base: Answer, found: Parameter, item: Item) -> Answer:
    mark = _mark_at(item, base.version or "", found.name)
    return _with(
        base,
        parameter=found,
        deprecation=mark,
        replacement=None if mark is None else mark.replacement,
    )


def deprecated_parameters(reader: ProjectReader, path: str, ordinal: int) -> list[Answer]:
    """The answers for the marked parameters of a path at a release, in the order of the signature."""
    item = reader.resolver().life(path).at(ordinal)
    if item is None or item.state.status != Status.PRESENT:
        return []
    marked = {mark.parameter for mark in item.state.deprecations}
    names = [name for name in accepted(item.state) if name in marked] if marked - {None} else []
    return [answer_parameter(reader, path, name, ordinal) for name in names]


def _swallowed(path: str, item: Item) -> str:
    signature = item.state.signature
    if signature is None:
        return f"the signature of {path} could not be read"
    name = next((p.name for p in signature.parameters if p.kind == ParameterKind.VAR_KEYWORD), None)
    if name is not None:
        return f"swallowed by **{name}"
    if item.state.via == "stub":
        return f"the stub of {path} may not list it"
    return f"a decorator of {path} may accept it"


def _last_replacement(life: Life, name: str, ordinal: int) -> str | None:
    marks: list[tuple[int, Deprecation]] = [
        (item.mask.bit_length(), mark)
        for item in life.items
        if (item.mask & -item.mask).bit_length() - 1 <= ordinal
        and (mark := combined(item.state.deprecations, name)) is not None
    ]
    return max(marks, key=lambda pair: pair[0])[1].replacement if marks else None


def _close(name: str, names: tuple[str, ...], path: str) -> tuple[str, ...]:
    from difflib import get_close_matches

    return tuple(f"{path}({other})" for other in get_close_matches(name, names, n=3))


def statuses(
    reader: ProjectReader, path: str, parameter: str | None, resolver: Resolver | None = None
) -> Iterator[tuple[str, str]]:
    """(version, status) of a path or a parameter for every indexed release."""
    life = (resolver or reader.resolver()).life(path)
    tombstone = life.mask_of(Status.TOMBSTONE)
    present, unknown = life.mask_of(Status.PRESENT), life.unknown_mask
    if parameter is not None:
        masks = parameter_life(life, parameter)
        present, unknown = masks.present, unknown | masks.hidden
    for ordinal in range(len(reader.releases)):
        if reader.axis.read >> ordinal & 1:
            yield reader.axis.versions[ordinal], str(_status(ordinal, present, tombstone, unknown))


def _status(ordinal: int, present: int, tombstone: int, unknown: int) -> Status:
    for mask, status in (
        (present, Status.PRESENT),
        (tombstone, Status.TOMBSTONE),
        (unknown, Status.UNKNOWN),
    ):
        if mask >> ordinal & 1:
            return status
    return Status.ABSENT
