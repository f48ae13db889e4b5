"""What docstrings claim: version directives, gathered by the object that they are about.  Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from .directives import Directive, directives

_VERSION = re.compile(r"v?\d+(?:\.\d+)*(?:\.?(?:a|b|c|rc|alpha|beta|dev|post)\.?\d*)?", re.IGNORECASE)
_QUOTED = re.compile(r"``?\*{0,2}([A-Za-z_]\w*)(?:=[^`]*)?``?|\"([A-Za-z_]\w*)\"|'([A-Za-z_]\w*)'")
_ADDED = re.compile(r"\b(?:added|adds?|new|introduced?s?)\b", re.IGNORECASE)
_PARAMETER = re.compile(
    r"\b(?:parameters?|params?|arguments?|args?|keywords?|kwargs?|flags?|options?)\b", re.IGNORECASE
)
_NOT_ADDED = re.compile(r"\b(?:deprecat|remov|renam|no longer|default)", re.IGNORECASE)


def claimed_version(text: str) -> Version | None:
    """The version that a directive names, None where it names none.

    >>> [str(claimed_version(text)) for text in ("0.20", "v1.2", "1.2.0rc1", "2.0 (unreleased)", "next")]
    ['0.20', '1.2', '1.2.0rc1', '2.0', 'None']
    """
    found = _VERSION.match(text.strip().lstrip("(").removeprefix("version").strip())
    try:
        return Version(found.group(0)) if found else None
    except InvalidVersion:
        return None


class Scale:
    """The indexed final releases of a project; claims are put to them."""

    def __init__(self, versions: Iterable[str]) -> None:
        self.versions = sorted(versions, key=Version)
        self._parsed = [Version(version) for version in self.versions]
        self.ordinals = {version: number for number, version in enumerate(self.versions)}

    def release_of(self, claimed: Version) -> int | None:
        """The first indexed final release that is not older than a claim; None where there is none.

        `0.20` is 0.20.0 as PEP 440 compares, a pre-release counts for the final release that it led to.

        >>> scale = Scale(["1.0", "1.2.0", "1.2.1"])
        >>> [scale.release_of(Version(text)) for text in ("1.2", "1.2.0rc1", "1.1", "1.3")]
        [1, 1, 1, None]
        """
        at = bisect_left(self._parsed, claimed)
        return at if at < len(self._parsed) else None


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of an object's docstrings, in the newest release that carries it."""

    symbol: str
    """The object's best path: public before private, short before long."""
    kind: str
    version: str
    text: str
    carried: int
    parameter: str | None = None
    member: str | None = None
    """The attribute of the object that is meant; `symbol` ends with it."""
    part: bool = False
    """It may speak of a part only (a value of a parameter, a feature): a text says of what."""


class Carrier(NamedTuple):
    """A path and a docstring that it carried last in some release."""

    symbol: str
    hash: str
    last: int
    depth: int = 1
    """How many of its last names tell it: two for a member of a class."""


@dataclass(slots=True)
class Subject:
    """One object: all its paths, and the docstrings with directives that they carried."""

    name: str
    paths: list[str]
    hashes: dict[str, int]
    """Hash to the newest release that carries it."""


def subjects(
    carriers: Iterable[Carrier],
    origins: Mapping[str, str],
    moves: Iterable[tuple[str, str]],
    rank: Callable[[str], int],
) -> list[Subject]:
    """Gather paths by the object that they lead to.

    `origins` maps aliases and inherited members to their origin.  Where a module was renamed, the origins of
    an object are two; they are one by a known move, where the module was made private by an underscore, and
    where paths of one name carried the same text.
    """
    carriers = list(carriers)
    leaders: dict[str, str] = {}

    def leader(origin: str) -> str:
        while (above := leaders.setdefault(origin, origin)) != origin:
            origin = above
        return origin

    for old, new in moves:
        if old.rpartition(".")[2] == new.rpartition(".")[2]:
            leaders[leader(origins.get(old, old))] = leader(origins.get(new, new))
    public: dict[str, str] = {}
    for symbol, _, _, _ in carriers:
        origin = leader(origins.get(symbol, symbol))
        leaders[origin] = leader(public.setdefault(_unhidden(symbol), origin))
    same: dict[tuple[str, str], str] = {}
    for symbol, name, _, depth in carriers:
        origin = leader(origins.get(symbol, symbol))
        key = (".".join(symbol.split(".")[-depth:]), name)
        leaders[origin] = leader(same.setdefault(key, origin))
    paths: defaultdict[str, set[str]] = defaultdict(set)
    hashes: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for symbol, name, last, _ in carriers:
        origin = leader(origins.get(symbol, symbol))
        paths[origin].add(symbol)
        hashes[origin][name] = max(last, hashes[origin].get(name, 0))
    found = []
    for origin, listed in paths.items():
        best = min(listed, key=lambda path: (rank(path), path.count("."), path))
        found.append(Subject(best, sorted(listed), hashes[origin]))
    return sorted(found, key=lambda subject: subject.name)


def _unhidden(path: str) -> str:
    """A path without the underscores that make modules private."""
    *parents, leaf = path.split(".")
    return ".".join([*(part.lstrip("_") for part in parents), leaf])


def claims_of(subject: Subject, texts: Mapping[str, str], parameters: Container[str]) -> Iterator[Claim]:
    """The claims of an object, each once; `parameters` are those that it ever had."""
    seen: set[tuple[str, str, str | None, str]] = set()
    for name, last in sorted(subject.hashes.items(), key=lambda item: -item[1]):
        for directive in directives(texts[name]):
            for claim in _claims(subject.name, directive, last, parameters):
                version = claimed_version(claim.version)
                key = (claim.kind, str(version or claim.version), claim.parameter, claim.symbol)
                if key not in seen:
                    seen.add(key)
                    yield claim


def _claims(symbol: str, directive: Directive, last: int, parameters: Container[str]) -> Iterator[Claim]:
    kind, version, text, _, place, names, loose = directive
    part = kind == "versionadded" and (bool(text) or loose)
    if place == "object":
        named = [name for name in _added_parameters(kind, text) if name in parameters]
        for name in named:
            yield Claim(symbol, "versionadded", version, text, last, name)
        if not named:
            yield Claim(symbol, kind, version, text, last, part=part or (loose and kind == "deprecated"))
    elif place == "parameter":
        for name in names:
            yield Claim(symbol, kind, version, text, last, name, part=part)
    elif place == "attribute":
        for name in names:
            yield Claim(f"{symbol}.{name}", kind, version, text, last, member=name, part=part)


def _added_parameters(kind: str, text: str) -> list[str]:
    """Parameters that a directive on an object says were added.

    >>> _added_parameters("versionchanged", "Added the ``color`` parameter.")
    ['color']
    >>> _added_parameters("versionchanged", "The default of the ``color`` parameter was added to the docs.")
    []
    """
    if not text or kind == "deprecated" or not _PARAMETER.search(text) or _NOT_ADDED.search(text):
        return []
    if not _ADDED.search(text):
        return []
    return list(dict.fromkeys(next(filter(None, found.groups())) for found in _QUOTED.finditer(text)))
