"""Pins out of requirements files, lock files and the environment that runs."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName
from packaging.version import InvalidVersion, Version

from ..kb.choosing import canonical
from ..kb.errors import ApikbError
from ..kb.requirement_lines import requirement_lines
from .pins import Pin, parse_pin, silent

Note = Callable[[str], None]
_Table = Mapping[str, Any]
_HINT = "pylock.toml, poetry.lock and uv.lock can be read; others with -r as a requirements file"


def gather_pins(
    named: Iterable[str] = (),
    requirements: Iterable[Path] = (),
    locks: Iterable[Path] = (),
    *,
    environment: bool = False,
    note: Note = silent,
) -> list[Pin]:
    """All pins that a person asks for: by name, by files, by the environment that runs.

    Raises ApikbError where one of them cannot be understood or read.
    """
    pins = [parse_pin(text) for text in named]
    for path in requirements:
        pins += pins_of_requirements(path, note)
    for path in locks:
        pins += pins_of_lock(path, note)
    return pins + (pins_of_environment() if environment else [])


def pins_of_requirements(path: Path, note: Note = silent) -> list[Pin]:
    """The pins of a requirements file and of what it includes, for the environment that runs.

    Lines whose marker does not hold, URLs and paths are passed over with a note.  Constraints (`-c`)
    narrow what is named elsewhere and name nothing by themselves.

    Raises ApikbError where a file cannot be read or a line cannot be understood.
    """
    pins: list[Pin] = []
    constraints: list[Pin] = []
    for line in requirement_lines(path, note, constraints=True):
        requirement = line.requirement
        if requirement.marker is not None and not _holds(requirement.marker, line.where):
            note(f"{line.where}: passed over, not for this environment: {requirement}")
        elif requirement.url is not None:
            note(f"{line.where}: passed over, from a URL: {requirement.name}")
        else:
            pin = Pin(canonical(requirement.name), str(requirement.specifier), line.where, required=False)
            (constraints if line.constraint else pins).append(pin)
    named = {pin.project for pin in pins}
    return pins + [pin for pin in constraints if pin.project in named]


def pins_of_lock(path: Path, note: Note = silent) -> list[Pin]:
    """The pins of a lock file, for the environment that runs: pylock.toml (PEP 751), poetry.lock, uv.lock.

    They are told apart by what they hold.  What comes from elsewhere than a package index, and what is
    locked at several versions for this environment, is passed over with a note.

    Raises ApikbError where the file cannot be read, is damaged, or is another kind of file.
    """
    data = _toml(path)
    try:
        versions, passed_over = _sorted_out(_entries(data, path), path)
    except KeyError as error:
        raise _damaged(path, f"{error} is missing") from error
    except (TypeError, AttributeError, InvalidVersion, InvalidMarker) as error:
        raise _damaged(path, str(error)) from error
    pins = []
    for project, found in versions.items():
        if len(found) > 1:
            note(
                f"{path.name}: passed over, locked at several versions: {project} {', '.join(sorted(found))}"
            )
        else:
            pins.append(Pin(project, f"=={next(iter(found))}", path.name, required=False))
    if passed_over:
        note(f"{path.name}: passed over, not from a package index: {', '.join(passed_over)}")
    return pins


def pins_of_environment() -> list[Pin]:
    """What is installed in the environment that runs; of a project that is there twice, what is imported."""
    found: dict[str, Pin] = {}
    for distribution in distributions():
        name = distribution.metadata["Name"]
        if not name or not _is_version(distribution.version):
            continue  # What an interrupted installation left.
        project = canonical(name)
        found.setdefault(
            project, Pin(project, f"=={distribution.version}", "the environment", required=False)
        )
    return [found[project] for project in sorted(found)]


def _is_version(text: str | None) -> bool:
    try:
        return text is not None and bool(str(Version(text)))
    except InvalidVersion:
        return False


def _holds(marker: Marker, where: str, more: Mapping[str, Any] | None = None) -> bool:
    try:
        if more is None:
            return marker.evaluate()
        return marker.evaluate(dict(more), context="lock_file")
    except (UndefinedComparison, UndefinedEnvironmentName) as error:
        raise ApikbError(f"{where}: the marker {str(marker)!r} cannot be judged: {error}") from error


def _toml(path: Path) -> _Table:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ApikbError(f"cannot read the lock file {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ApikbError(f"{path} is not a lock file in TOML: {error}", hint=_HINT) from error


def _damaged(path: Path, reason: str) -> ApikbError:
    return ApikbError(
        f"the lock file {path} is damaged: {reason}", hint="lock again with the tool that wrote it"
    )


_Entry = tuple[str, str | None, bool]
"""Project, version, whether it comes from a package index."""


def _entries(data: _Table, path: Path) -> Iterator[_Entry]:
    """What a lock file locks for this environment, by the kind of file that it is."""
    metadata = data.get("metadata")
    if "lock-version" in data:
        _require_version(data["lock-version"], ("1",), "pylock.toml", path)
        return _of_pylock(data, path)
    if isinstance(metadata, Mapping) and "lock-version" in metadata:
        _require_version(metadata["lock-version"], ("1", "2"), "poetry.lock", path)
        return _of_poetry(data, path)
    if isinstance(data.get("version"), int) and _looks_like_uv(data):
        _require_version(data["version"], ("1",), "uv.lock", path)
        return _of_uv(data, path)
    raise ApikbError(f"{path} is not a lock file that is known", hint=_HINT)


def _looks_like_uv(data: _Table) -> bool:
    packages = data.get("package", [])
    return "requires-python" in data or (
        isinstance(packages, list)
        and any(isinstance(entry, dict) and "source" in entry for entry in packages)
    )


def _require_version(version: object, known: tuple[str, ...], kind: str, path: Path) -> None:
    """Refuse another major version of a format: it may mean something else by the same keys."""
    if str(version).partition(".")[0] not in known:
        raise ApikbError(
            f"{path} is a {kind} of version {version}, which is not known",
            hint="write a requirements file with the tool that wrote it, and read that with -r",
        )


def _sorted_out(entries: Iterator[_Entry], path: Path) -> tuple[dict[str, set[str]], list[str]]:
    versions: dict[str, set[str]] = {}
    passed_over: list[str] = []
    for name, version, of_index in entries:
        project = canonical(name)
        if of_index and version is not None:
            versions.setdefault(project, set()).add(str(Version(version)))
        elif project not in passed_over:
            passed_over.append(project)
    return versions, passed_over


def _of_pylock(data: _Table, path: Path) -> Iterator[_Entry]:
    more = {"extras": frozenset(), "dependency_groups": frozenset(data.get("default-groups", ()))}
    for entry in data["packages"]:
        marker = entry.get("marker")
        if marker is None or _holds(Marker(marker), path.name, more):
            elsewhere = any(key in entry for key in ("vcs", "directory", "archive"))
            yield entry["name"], entry.get("version"), not elsewhere


def _of_poetry(data: _Table, path: Path) -> Iterator[_Entry]:
    for entry in data.get("package", []):
        markers = entry.get("markers")  # Of Poetry 2: one for all groups, or one a group.
        listed = list(markers.values()) if isinstance(markers, Mapping) else [markers]
        if any(marker is None or _holds(Marker(marker), path.name) for marker in listed):
            source = entry.get("source", {}).get("type", "legacy")
            yield entry["name"], entry["version"], source == "legacy"


def _of_uv(data: _Table, path: Path) -> Iterator[_Entry]:
    for entry in data.get("package", []):
        markers = entry.get("resolution-markers", [])
        if not markers or any(_holds(Marker(marker), path.name) for marker in markers):
            yield entry["name"], entry.get("version"), "registry" in entry["source"]
