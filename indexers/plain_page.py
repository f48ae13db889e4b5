"""Project pages of the plainest kind, read without pypi-simple.

To load pypi-simple, with what it needs for pages in HTML, takes longer than to read all the rest of a small
project.  So a JSON page is read here where every entry has the form that the specification gives it
(PEP 691, 700) and the usual file name of a wheel or a source distribution.  One entry that has not,
and pypi-simple reads the whole page: nothing here repairs, guesses or refuses.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from .artifacts import ArtifactFile, ListedFile, kind_of, same_project

_API = re.compile(r"1\.\d{1,3}")
_URL = re.compile(
    r"https?://[A-Za-z0-9][A-Za-z0-9.-]*(?::(?:\d{1,4}|[1-5]\d{4}))?(?:/(?!\.{1,2}(?:/|$))[\w.+%!~-]+)+",
    re.ASCII,
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z", re.ASCII)
_PROJECT = r"(?P<project>[A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?)"
_WHEEL = re.compile(_PROJECT + r"-(?P<version>[A-Za-z0-9_.!+]+)(?:-[A-Za-z0-9_.]+){3}\.whl")
_SDIST = re.compile(
    r"(?P<project>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)"
    r"-(?P<version>\d+(?:\.\d+)*(?:[.-]?(?:a|b|c|rc|alpha|beta|dev|post)\.?\d+)*)\.(?:tar\.gz|tar\.bz2|zip)"
)
_NOTHING_TO_TELL: tuple[dict[str, str], ...] = ({}, {"status": "active"})
_TEXT_OR_NONE = ("requires-python", "provenance")
_MARKS = ("gpg-sig", "core-metadata", "data-dist-info-metadata", "dist-info-metadata")


def read_plain_page(data: Any, project: str) -> tuple[list[ListedFile], list[str]] | None:
    """The files and versions of a decoded JSON page; None where pypi-simple has to read it."""
    if not isinstance(data, dict) or not isinstance(data.get("name"), str):
        return None
    if not same_project(data["name"], project):
        return None
    meta, files, versions = data.get("meta"), data.get("files"), data.get("versions", [])
    if not isinstance(meta, dict) or not isinstance(files, list) or not _are_texts(versions):
        return None
    api, serial = meta.get("api-version"), meta.get("_last-serial")
    known = {"meta", "name", "files", "versions", "alternate-locations", "project-status"}
    if not isinstance(api, str) or not _API.fullmatch(api) or data.keys() - known:
        return None
    if not isinstance(serial, int | str | None) or not _are_texts(meta.get("tracks", [])):
        return None
    if data.get("alternate-locations", []) or data.get("project-status", {}) not in _NOTHING_TO_TELL:
        return None
    listed = []
    for entry in files:
        file = _listed(entry, project)
        if file is None:
            return None
        listed.append(file)
    return listed, versions


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _listed(entry: Any, project: str) -> ListedFile | None:
    if not isinstance(entry, dict):
        return None
    name, url, hashes, yanked = (entry.get(key) for key in ("filename", "url", "hashes", "yanked"))
    if not isinstance(name, str) or not isinstance(url, str) or not isinstance(hashes, dict):
        return None
    if not _are_texts(list(hashes.values())) or not isinstance(yanked, str | bool | None):
        return None
    size, uploaded = entry.get("size"), entry.get("upload-time")
    if not (size is None or (type(size) is int and size >= 0)) or ("yanked" in entry and yanked is None):
        return None
    if any(not isinstance(entry.get(key), str | None) for key in _TEXT_OR_NONE):
        return None
    if any(not _is_mark(entry.get(key)) for key in _MARKS):
        return None
    parsed = _WHEEL.fullmatch(name) or _SDIST.fullmatch(name)
    kind = kind_of(name)
    if parsed is None or kind is None or not same_project(parsed["project"], project):
        return None
    if not _URL.fullmatch(url) or not _is_time(uploaded):
        return None
    artifact = ArtifactFile(
        filename=name,
        url=url,
        kind=kind,
        sha256=hashes.get("sha256", "").lower() or None,
        size=size,
        yanked=yanked is True or isinstance(yanked, str),
        yanked_reason=yanked or None if isinstance(yanked, str) else None,
        requires_python=entry.get("requires-python"),
        uploaded_at=f"{uploaded[:19]}Z" if uploaded is not None else None,
    )
    return ListedFile(name, parsed["version"], artifact)


def _is_mark(value: Any) -> bool:
    return isinstance(value, bool | None) or (isinstance(value, dict) and _are_texts(list(value.values())))


def _is_time(value: Any) -> bool:
    if value is None:
        return True
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True
