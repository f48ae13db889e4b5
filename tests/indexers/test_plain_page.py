"""Pages read without pypi-simple: what is read is what pypi-simple reads, and all else is left to it."""

from __future__ import annotations

import copy
from typing import Any

import pypi_simple
import pytest

from apikb.indexers import simple_index
from apikb.indexers.plain_page import read_plain_page
from apikb.indexers.transfer import Page

URL = "https://index.example/simple/some-pkg/"
HASH = "AB" * 32
PAGE: dict[str, Any] = {
    "meta": {"api-version": "1.4", "_last-serial": 7},
    "name": "some-pkg",
    "versions": ["1.0", "1.1"],
    "files": [
        {
            "filename": "some_pkg-1.0-py3-none-any.whl",
            "url": "https://files.example/aa/some_pkg-1.0-py3-none-any.whl",
            "hashes": {"sha256": HASH},
            "requires-python": ">=3.9",
            "size": 10,
            "upload-time": "2024-02-29T01:02:03.456789Z",
            "yanked": False,
            "core-metadata": {"sha256": HASH},
            "provenance": None,
        },
        {
            "filename": "Some.Pkg-1.1.tar.gz",
            "url": "http://files.example:8080/some.pkg-1.1.tar.gz",
            "hashes": {},
            "yanked": "it is broken",
        },
    ],
}


def _both(page: dict[str, Any]) -> tuple[Any, Any]:
    """(read plainly, read by pypi-simple)."""
    files, versions = simple_index._from_json(
        copy.deepcopy(page), Page(URL, simple_index._JSON, b""), "some-pkg"
    )
    return read_plain_page(page, "some-pkg"), (files, list(versions))


def _with(**changes: Any) -> dict[str, Any]:
    page = copy.deepcopy(PAGE)
    page["files"][0].update({key.replace("_", "-"): value for key, value in changes.items()})
    return page


PLAIN = [
    PAGE,
    {"meta": {"api-version": "1.0"}, "name": "Some_Pkg", "files": []},
    _with(yanked=True),
    _with(yanked=""),
    _with(size=None, upload_time=None, hashes={}, requires_python=None),
    _with(upload_time="2024-02-29T01:02:03Z"),
    _with(gpg_sig=True, core_metadata=False),
    *(
        _with(filename=name)
        for name in (
            "some-pkg-0.1.tar.gz", "some_pkg-1.0rc1.zip",
            "some-pkg-1.0.post2.tar.bz2", "some-pkg-1.0-beta1.zip",
            "some_pkg-1!2.0+local.1-cp312-abi3-manylinux_2_17_x86_64.whl", "SOME_PKG-1-py2.py3-none-any.whl",
        )
    ),
]  # fmt: skip
OTHERS = [
    _with(filename="some_pkg-1.0-py3.9.egg"),
    _with(filename="some-pkg-1.0.linux-x86_64.tar.gz"),
    _with(filename="other-1.0.tar.gz"),
    _with(filename="some_pkg-1.0-2-py3-none-any.whl"),
    _with(filename="some-pkg-final.tar.gz"),
    _with(url="../../files/some_pkg-1.0.whl"),
    _with(url="https://files.example/a/../some_pkg-1.0.whl"),
    _with(url="https://[broken/some_pkg-1.0.whl"),
    _with(url="https://files.example:99999/some_pkg-1.0.whl"),
    _with(url="ftp://files.example/some_pkg-1.0.whl"),
    _with(size="10"),
    _with(size=True),
    _with(upload_time="2024-02-30T01:02:03Z"),
    _with(upload_time="2024-02-29T01:02:03+02:00"),
    _with(yanked=None),
    _with(gpg_sig="yes"),
    _with(hashes=None),
    {**PAGE, "meta": {"api-version": "2.0"}},
    {**PAGE, "name": "other"},
    {**PAGE, "versions": [1]},
    {**PAGE, "project-status": {"status": "quarantined"}},
    {**PAGE, "files": [*PAGE["files"], 5]},
]


@pytest.mark.parametrize("page", PLAIN)
def test_a_plain_page_is_read_as_pypi_simple_reads_it(page: dict[str, Any]) -> None:
    plainly, usual = _both(page)
    assert plainly is not None
    assert plainly == usual


@pytest.mark.parametrize("page", [*OTHERS, [], None, "x", {}])
def test_anything_else_is_left_to_pypi_simple(page: Any) -> None:
    assert read_plain_page(page, "some-pkg") is None


def test_what_is_known_of_pypi_simple_without_loading_it() -> None:
    assert simple_index.default_endpoint() == pypi_simple.PYPI_SIMPLE_ENDPOINT
    assert simple_index.ACCEPT == pypi_simple.ACCEPT_JSON_PREFERRED
