"""A URL on an index page that cannot be parsed costs its own file, not the project."""

from __future__ import annotations

import json

import pytest

from apikb.indexers.simple_index import _read_page
from apikb.indexers.transfer import Page

ADDRESS = "http://index.invalid/simple/pkg/"
BROKEN = ["http://[::1/pkg-1.0.tar.gz", "//[bad/pkg-1.0.tar.gz", "http://[&#91;/pkg-1.0.tar.gz"]


def html(url: str) -> Page:
    links = f"<a href='{url}'>pkg-1.0.tar.gz</a> <a href=\"pkg-2.0.tar.gz\">pkg-2.0.tar.gz</a>"
    return Page(ADDRESS, "text/html", links.encode())


def as_json(url: str) -> Page:
    files = [{"filename": "pkg-1.0.tar.gz", "url": url, "hashes": {}}]
    files.append({"filename": "pkg-2.0.tar.gz", "url": "pkg-2.0.tar.gz", "hashes": {}})
    page = {"meta": {"api-version": "1.0"}, "name": "pkg", "files": files}
    return Page(ADDRESS, "application/vnd.pypi.simple.v1+json", json.dumps(page).encode())


@pytest.mark.parametrize("url", BROKEN)
@pytest.mark.parametrize("make", [html, as_json])
def test_only_its_file_is_lost(make: object, url: str) -> None:
    files, _ = _read_page(make(url), "pkg")  # type: ignore[operator]
    lost, kept = files
    assert lost.artifact is None
    assert lost.reason == "a URL that is not fetched"
    assert kept.artifact is not None
    assert kept.artifact.url == ADDRESS + "pkg-2.0.tar.gz"
