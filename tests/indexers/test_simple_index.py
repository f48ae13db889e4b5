"""The index client against a real server on the loopback that misbehaves on request."""

from __future__ import annotations

import hashlib
import io
import os
import socket
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from apikb.indexers.archives import ArchiveError, FetchError, Limits
from apikb.indexers.artifacts import ArtifactFile
from apikb.indexers.pip_config import PipSettings
from apikb.indexers.simple_index import SimpleIndex
from apikb.kb.errors import IndexingError

PackageIndex = Any  # conftest.py has the class, and tests cannot import that
Builder = Callable[..., bytes]
WHEEL = "pkg-1.0-cp39-cp39-manylinux2014_x86_64.whl"


def large_files() -> dict[str, bytes]:
    """About 5 MB packed: Python files, and what is not wanted between them."""
    files: dict[str, bytes] = {}
    for number in range(12):
        for part in range(20):
            files[f"pkg/m{number}/f{part}.py"] = b"# " + os.urandom(700).hex().encode() + b"\n"
        files[f"pkg/m{number}/_native.so"] = os.urandom(400_000)
    return files


@pytest.fixture(scope="module")
def large(request: pytest.FixtureRequest) -> tuple[dict[str, bytes], bytes]:
    files = large_files()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return files, out.getvalue()


def only_file(index: SimpleIndex, project: str = "pkg") -> ArtifactFile:
    (release,) = index.releases(project).releases
    return release.files[0]


def sources(index: SimpleIndex, file: ArtifactFile) -> dict[str, bytes]:
    archive = index.open(file)
    try:
        return dict(archive.read([member.path for member in archive.members if member.path.endswith(".py")]))
    finally:
        archive.close()


def python_of(files: dict[str, bytes]) -> dict[str, bytes]:
    return {path: content for path, content in files.items() if path.endswith(".py")}


# Listing


def test_releases_from_json(package_index: PackageIndex, client: SimpleIndex) -> None:
    package_index.add("pkg-1.0.tar.gz", b"1", **{"upload-time": "2020-05-01T10:00:00.123456Z"})
    package_index.add("pkg-1.10-py3-none-any.whl", b"2", yanked="broken")
    package_index.add("pkg-1.9-py3-none-any.whl", b"3", **{"requires-python": ">=3.8"})
    package_index.add("pkg-1.9-py2.7.egg", b"4")
    package_index.add("pkg-2004d.tar.gz", b"5")
    package_index.projects["pkg"]["other-3.0.tar.gz"] = b"6"
    package_index.entries["other-3.0.tar.gz"] = {}
    package_index.versions = ["1.0", "1.9", "1.10", "1.11", "2004d"]
    listing = client.releases("PKG")
    assert listing.project == "pkg"
    assert [release.version for release in listing.releases] == ["1.0", "1.9", "1.10", "1.11"]
    first, second, third, fourth = listing.releases
    assert first.uploaded_at == "2020-05-01T10:00:00Z"
    assert first.files[0].sha256 == hashlib.sha256(b"1").hexdigest()
    assert first.files[0].size == 1
    assert (second.requires_python, len(second.files)) == (">=3.8", 1)
    assert (third.yanked, third.yanked_reason) == (True, "broken")
    assert (fourth.files, fourth.reason) == ((), "the index lists no file of it")
    assert {file.filename: file.reason for file in listing.skipped} == {
        "pkg-2004d.tar.gz": "2004d is no PEP 440 version",
        "other-3.0.tar.gz": "its name is another project's",
    }
    assert 0 < listing.fetched == client.fetched


@pytest.mark.parametrize("how", ["html", "gzip"])
def test_other_forms_of_the_page(package_index: PackageIndex, client: SimpleIndex, how: str) -> None:
    package_index.add("pkg-1.0.tar.gz", b"1")
    package_index.html_only, package_index.zipped_page = how == "html", how == "gzip"
    file = only_file(client)
    assert (file.filename, file.sha256) == ("pkg-1.0.tar.gz", hashlib.sha256(b"1").hexdigest())
    assert file.url.endswith("/files/pkg-1.0.tar.gz")


@pytest.mark.parametrize("name", ["nothing", "../files/x", "a b", ""])
def test_unknown_project(client: SimpleIndex, name: str) -> None:
    with pytest.raises(IndexingError, match=r"no such project|is no project name") as caught:
        client.releases(name)
    assert caught.value.hint


def test_index_out_of_reach() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    url = f"http://user:secret@127.0.0.1:{port}/simple"
    with (
        SimpleIndex(url, settings=PipSettings(timeout=2), sleep=lambda _: None) as index,
        pytest.raises(IndexingError, match=r"out of reach.*refused") as caught,
    ):
        index.releases("pkg")
    assert "secret" not in str(caught.value)
    assert "secret" not in index.location


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/vnd.pypi.simple.v1+json", b"{"),
        ("application/vnd.pypi.simple.v1+json", b'{"files": 3}'),
        (
            "application/vnd.pypi.simple.v1+json",
            b'{"meta": {"api-version": "9.0"}, "name": "p", "files": []}',
        ),
        ("application/vnd.pypi.simple.v1+json", b"[" * 100_000),
        ("image/png", b""),
    ],
)
def test_an_answer_that_is_no_index(
    package_index: PackageIndex, client: SimpleIndex, kind: str, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    package_index.add("pkg-1.0.tar.gz", b"1")
    handler = package_index.RequestHandlerClass
    monkeypatch.setattr(handler, "page", lambda self, project: self.answer(200, body, {}, kind))
    with pytest.raises(IndexingError, match="not understood") as caught:
        client.releases("pkg")
    assert len(str(caught.value)) < 300


def test_a_page_over_the_limit(package_index: PackageIndex) -> None:
    package_index.add("pkg-1.0.tar.gz", b"1")
    for package_index.zipped_page in (False, True):
        with (
            SimpleIndex(package_index.url, settings=PipSettings(), limits=Limits(page_bytes=190)) as index,
            pytest.raises(IndexingError, match="over the limit"),
        ):
            index.releases("pkg")


def test_user_and_password_go_to_the_index_only(package_index: PackageIndex) -> None:
    package_index.add("pkg-1.0.tar.gz", b"1")
    url = package_index.url.replace("127.0.0.1", "me:p%40ss@127.0.0.1")
    other = f"http://localhost:{package_index.server_address[1]}/files/pkg-1.0.tar.gz"
    package_index.entries["pkg-1.0.tar.gz"] = {"url": other}
    with SimpleIndex(url, settings=PipSettings()) as index:
        file = only_file(index)
        assert "me:" not in file.url
        with pytest.raises(ArchiveError):
            index.open(file)
    assert package_index.seen[0]["Authorization"] == "Basic bWU6cEBzcw=="
    assert "Authorization" not in package_index.seen[1]


def test_an_index_cannot_name_local_files(package_index: PackageIndex, client: SimpleIndex) -> None:
    package_index.add("pkg-1.0.tar.gz", b"1", url="file:///etc/passwd")
    (release,) = client.releases("pkg").releases
    assert not release.files
    assert release.reason == "no wheel and no sdist (a URL that is not fetched)"


# Ranges


def test_ranges_give_what_a_plain_read_gives(
    package_index: PackageIndex, client: SimpleIndex, large: tuple[dict[str, bytes], bytes]
) -> None:
    files, content = large
    package_index.add(WHEEL, content)
    file = only_file(client)
    archive = client.open(file)
    wanted = [member.path for member in archive.members if member.path.endswith(".py")]
    assert dict(archive.read(wanted)) == python_of(files)
    assert [member.path for member in archive.members] == sorted(files)
    assert archive.fetched < len(content) / 4
    asked = [range_ for path, range_ in package_index.log if path.endswith(".whl")]
    assert len(asked) == 1 + 12
    assert all(range_ and "," not in range_ for range_ in asked)
    assert package_index.most_at_once <= 8


def test_no_size_in_the_index(
    package_index: PackageIndex, client: SimpleIndex, large: tuple[dict[str, bytes], bytes]
) -> None:
    files, content = large
    package_index.add(WHEEL, content)
    package_index.html_only = True
    assert sources(client, only_file(client)) == python_of(files)
    assert package_index.log[1][1] == "bytes=-262144"


@pytest.mark.parametrize("ranges", ["no", "wrong", "multipart", "refused"])
def test_servers_without_ranges(
    package_index: PackageIndex, client: SimpleIndex, large: tuple[dict[str, bytes], bytes], ranges: str
) -> None:
    files, content = large
    package_index.add(WHEEL, content)
    package_index.ranges = ranges
    file = only_file(client)
    archive = client.open(file)
    assert dict(archive.read(python_of(files))) == python_of(files)
    assert archive.fetched >= len(content)
    assert archive.file.sha256 == hashlib.sha256(content).hexdigest()
    assert len(package_index.log) == 3


def test_ranges_that_stop_working_half_way(
    package_index: PackageIndex, client: SimpleIndex, large: tuple[dict[str, bytes], bytes]
) -> None:
    files, content = large
    package_index.add(WHEEL, content)
    archive = client.open(only_file(client))
    package_index.ranges = "no"
    assert dict(archive.read(python_of(files))) == python_of(files)
    assert sum(range_ is None for path, range_ in package_index.log if path.endswith(".whl")) == 1


def test_without_ranges_a_huge_wheel_is_refused(
    package_index: PackageIndex, large: tuple[dict[str, bytes], bytes]
) -> None:
    package_index.add(WHEEL, large[1])
    package_index.ranges = "no"
    with SimpleIndex(
        package_index.url, settings=PipSettings(), limits=Limits(download_bytes=10_000)
    ) as index:
        with pytest.raises(ArchiveError, match="over the limit"):
            index.open(only_file(index))
        assert index.fetched < 10_000


def test_a_small_pure_wheel_is_one_plain_get(
    package_index: PackageIndex, client: SimpleIndex, make_wheel: Builder
) -> None:
    package_index.add("pkg-1.0-py3-none-any.whl", make_wheel({"pkg.py": b"1"}))
    assert sources(client, only_file(client)) == {"pkg.py": b"1"}
    assert package_index.log[1:] == [("/files/pkg-1.0-py3-none-any.whl", None)]


def test_redirects_are_followed(
    package_index: PackageIndex, client: SimpleIndex, make_wheel: Builder
) -> None:
    package_index.add(WHEEL, make_wheel({"pkg.py": b"1"}), url=f"/moved/files/{WHEEL}")
    assert sources(client, only_file(client)) == {"pkg.py": b"1"}


# Trouble on the way


def test_server_errors_are_tried_again(
    package_index: PackageIndex, client: SimpleIndex, pauses: list[float]
) -> None:
    package_index.add("pkg-1.0.tar.gz", b"1")
    package_index.statuses = [500, 503]
    assert only_file(client).filename == "pkg-1.0.tar.gz"
    assert pauses == [0.5, 1.0]
    assert client.requests == 3


def test_retry_after_is_obeyed_within_reason(
    package_index: PackageIndex, client: SimpleIndex, pauses: list[float]
) -> None:
    package_index.add("pkg-1.0.tar.gz", b"1")
    package_index.statuses, package_index.headers = [429], {"Retry-After": "7"}
    client.releases("pkg")
    package_index.statuses, package_index.headers = [429], {"Retry-After": "86400"}
    client.releases("pkg")
    assert pauses == [7, 60]


def test_errors_that_last_are_given_up(package_index: PackageIndex, client: SimpleIndex) -> None:
    package_index.add("pkg-1.0.tar.gz", b"1")
    package_index.statuses = [500] * 20
    with pytest.raises(IndexingError, match="answered 500"):
        client.releases("pkg")
    assert client.requests == 4
    package_index.statuses = [403]
    with pytest.raises(IndexingError, match="answered 403"):
        client.releases("pkg")
    assert client.requests == 5


def test_reset_connections_are_tried_again(package_index: PackageIndex, client: SimpleIndex) -> None:
    package_index.add("pkg-1.0.tar.gz", b"1")
    package_index.reset = 2
    assert only_file(client).filename == "pkg-1.0.tar.gz"


def test_truncated_transfers_are_tried_again(
    package_index: PackageIndex,
    client: SimpleIndex,
    make_sdist: Builder,
    large: tuple[dict[str, bytes], bytes],
) -> None:
    package_index.add("pkg-1.0.tar.gz", make_sdist({"pkg.py": b"1"}))
    file = only_file(client)
    package_index.cut = [3, 50]
    assert sources(client, file) == {"pkg.py": b"1"}
    package_index.cut = [1] * 4
    with pytest.raises(FetchError, match="cannot be fetched"):
        client.open(file)
    package_index.add("big-1.0-cp39-cp39-manylinux2014_x86_64.whl", large[1])
    package_index.cut = [10, 0, 10, 10]
    assert sources(client, only_file(client, "big")) == python_of(large[0])


@pytest.mark.parametrize("filename", ["pkg-1.0.tar.gz", "pkg-1.0-py3-none-any.whl", WHEEL])
def test_wrong_hash(
    package_index: PackageIndex, client: SimpleIndex, make_wheel: Builder, make_sdist: Builder, filename: str
) -> None:
    content = make_sdist({"pkg.py": b"1"}) if filename.endswith(".gz") else make_wheel({"pkg.py": b"1"})
    package_index.add(filename, content, hashes={"sha256": "0" * 64})
    with pytest.raises(ArchiveError, match="its sha256 is") as caught:
        client.open(only_file(client))
    assert not isinstance(caught.value, FetchError)


def test_wrong_size(package_index: PackageIndex, client: SimpleIndex, make_wheel: Builder) -> None:
    package_index.add(WHEEL, make_wheel({"pkg.py": b"1"}), size=17)
    with pytest.raises(ArchiveError, match=r"where the index says 17|not a readable zip"):
        client.open(only_file(client))


def test_missing_file(package_index: PackageIndex, client: SimpleIndex) -> None:
    for filename in ("pkg-1.0.tar.gz", "pkg-2.0-cp39-cp39-win_amd64.whl"):
        package_index.add(filename, b"1", url="../../files/gone")
    for release in client.releases("pkg").releases:
        with pytest.raises(FetchError, match="answered 404"):
            client.open(release.files[0])


def test_a_server_that_drips(package_index: PackageIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    package_index.add("pkg-1.0.tar.gz", b"1" * 60)
    package_index.drip = 0.05
    with (
        SimpleIndex(package_index.url, settings=PipSettings(timeout=0.3), sleep=lambda _: None) as index,
        pytest.raises(IndexingError, match="too slowly"),
    ):
        index.releases("pkg")


def test_a_file_that_changes_while_it_is_read(
    package_index: PackageIndex, client: SimpleIndex, large: tuple[dict[str, bytes], bytes]
) -> None:
    package_index.add(WHEEL, large[1])
    archive = client.open(only_file(client))
    package_index.add(WHEEL, large[1] + b"more")
    with pytest.raises(FetchError, match="changed on the server"):
        dict(archive.read(python_of(large[0])))


def test_many_threads_share_a_client(
    package_index: PackageIndex, client: SimpleIndex, large: tuple[dict[str, bytes], bytes]
) -> None:
    files, content = large
    package_index.add(WHEEL, content)
    file = only_file(client)
    with ThreadPoolExecutor(12) as threads:
        results = list(threads.map(lambda _: sources(client, file), range(24)))
    assert all(found == python_of(files) for found in results)
    assert package_index.most_at_once <= 8


def test_answers_left_unread_do_not_use_up_the_pool(package_index: PackageIndex, client: SimpleIndex) -> None:
    package_index.add("pkg-1.0.tar.gz", b"1" * 2_000_000, url="../../files/gone")
    file = only_file(client)
    for _ in range(20):
        with pytest.raises(FetchError):
            client.open(file)
    limits = Limits(download_bytes=1000)
    package_index.entries["pkg-1.0.tar.gz"] = {"size": None}
    with SimpleIndex(package_index.url, settings=PipSettings(), limits=limits) as index:
        file = only_file(index)
        for _ in range(20):
            with pytest.raises(ArchiveError, match="over the limit"):
                index.open(file)


def test_a_closed_index_says_so(package_index: PackageIndex, large: tuple[dict[str, bytes], bytes]) -> None:
    package_index.add(WHEEL, large[1])
    with SimpleIndex(package_index.url, settings=PipSettings()) as index:
        archive = index.open(only_file(index))
    with pytest.raises(FetchError, match="was closed"):
        dict(archive.read(python_of(large[0])))


# Folders


def test_find_links_beside_an_index(
    package_index: PackageIndex, client: SimpleIndex, make_wheel: Builder, tmp_path: Path
) -> None:
    name = "pkg-1.0-py3-none-any.whl"
    package_index.add(name, make_wheel({"pkg.py": b"remote"}))
    package_index.add("pkg-2.0-py3-none-any.whl", make_wheel({"pkg.py": b"2"}))
    (tmp_path / name).write_bytes(make_wheel({"pkg.py": b"local"}))
    (tmp_path / "other-1.0.tar.gz").write_bytes(b"")
    with SimpleIndex(package_index.url, find_links=[tmp_path], settings=PipSettings()) as index:
        one, two = index.releases("pkg").releases
        assert sources(index, one.files[0]) == {"pkg.py": b"local"}
        assert sources(index, two.files[0]) == {"pkg.py": b"2"}
        assert [release.version for release in index.releases("other").releases] == ["1.0"]


@pytest.mark.parametrize("layout", ["flat", "projects", "pages"])
def test_a_folder_as_the_index(tmp_path: Path, make_wheel: Builder, layout: str) -> None:
    name = "My_Pkg-1.0-py3-none-any.whl"
    folder = tmp_path if layout == "flat" else tmp_path / "my-pkg"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(make_wheel({"pkg.py": b"1"}))
    if layout == "pages":
        (folder / "index.html").write_text(f'<a href="{name}">{name}</a>')
    for url in (str(tmp_path), tmp_path.as_uri()):
        with SimpleIndex(url, settings=PipSettings()) as index:
            assert sources(index, only_file(index, "my.pkg")) == {"pkg.py": b"1"}
            assert index.requests == 0
            with pytest.raises(IndexingError, match="no such project"):
                index.releases("other")


def test_no_index_at_all(tmp_path: Path) -> None:
    with pytest.raises(IndexingError, match="is no index"):
        SimpleIndex("ftp://x/simple", settings=PipSettings())
    with pytest.raises(IndexingError, match="is no index"):
        SimpleIndex(str(tmp_path / "gone"), settings=PipSettings())
    with pytest.raises(IndexingError, match="there is no index to read"):
        SimpleIndex(use_index=False, settings=PipSettings())


@pytest.mark.network
def test_a_real_library() -> None:
    with SimpleIndex() as index:
        listing = index.releases("iniconfig")
        release = next(release for release in listing.releases if release.version == "2.0.0")
        files = sources(index, release.files[0])
    assert release.files[0].filename == "iniconfig-2.0.0-py3-none-any.whl"
    assert b"class IniConfig" in files["iniconfig/__init__.py"]
    assert len(listing.releases) >= 8
