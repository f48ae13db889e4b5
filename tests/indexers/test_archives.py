"""Reading members out of wheels, sdists and folders: what is there, and what is refused."""

from __future__ import annotations

import io
import os
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apikb.indexers.archives import (
    DEFAULT_LIMITS,
    Archive,
    ArchiveError,
    Limits,
    Refused,
    label,
    member_path,
    top_folder,
)
from apikb.indexers.artifacts import ArtifactFile, ArtifactKind, kind_of
from apikb.indexers.local_files import FolderArchive, local_artifacts, open_artifact, open_local
from apikb.indexers.ranges import Extent, FileSource, coalesce
from apikb.indexers.zip_archive import parse_record
from apikb.kb.errors import IndexingError

Builder = Callable[..., bytes]


def opened(
    content: bytes, filename: str = "pkg-1.0-py3-none-any.whl", limits: Limits = DEFAULT_LIMITS
) -> Archive:
    kind = kind_of(filename)
    assert kind
    return open_artifact(ArtifactFile(filename, "", kind), FileSource(io.BytesIO(content)), limits)


def everything(archive: Archive) -> dict[str, bytes]:
    return dict(archive.read([member.path for member in archive.members]))


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # duplicate names, on purpose
        for name, content in entries:
            archive.writestr(name, content)
    return out.getvalue()


def tarred(*entries: tuple[tarfile.TarInfo, bytes], mode: str = "w:gz") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=tarfile.PAX_FORMAT) as archive:  # type: ignore[call-overload]
        for info, content in entries:
            info.size = info.size or len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def special(name: str, kind: bytes, link: str = "") -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info, b""


# Good archives


def test_wheel(make_wheel: Builder) -> None:
    files = {"pkg/__init__.py": b"x = 1\n" * 500, "pkg/empty.py": b"", "pkg/_c.so": os.urandom(3000)}
    archive = opened(make_wheel({**files, "pkg-1.0.dist-info/top_level.txt": b"pkg\n"}))
    content = everything(archive)
    assert {path: content[path] for path in files} == files
    members = {member.path: member for member in archive.members}
    for path in files:
        assert members[path].size == len(files[path])
        assert members[path].crc32 == zlib.crc32(files[path])
        assert members[path].sha256 is not None
    assert members["pkg-1.0.dist-info/RECORD"].sha256 is None
    assert archive.top_level == ("pkg",)
    assert not archive.refused


def test_wheel_without_record(make_wheel: Builder) -> None:
    archive = opened(make_wheel({"pkg.py": b"1"}, record=False))
    assert [member.sha256 for member in archive.members] == [None, None]
    assert archive.top_level is None


@pytest.mark.parametrize(
    ("filename", "mode"),
    [
        ("pkg-1.0.tar.gz", "w:gz"),
        ("pkg-1.0.tar.bz2", "w:bz2"),
        ("pkg-1.0.tar.xz", "w:xz"),
        ("pkg-1.0.tar", "w:"),
        ("pkg-1.0.tar.gz", "w:"),  # by content, not by name
    ],
)
def test_sdist(make_sdist: Builder, filename: str, mode: str) -> None:
    files = {
        "pkg/a.py": b"a = 1\n" * 999,
        "pkg/b.py": b"",
        "pkg.egg-info/top_level.txt": b"pkg\n",
        "d.csv": b"1,2",
    }
    archive = opened(make_sdist(files, mode=mode), filename)
    assert everything(archive) == {**files, "PKG-INFO": b"Name: pkg\n"}
    assert archive.top_level == ("pkg",)
    assert {member.path for member in archive.members} == {*files, "PKG-INFO"}
    assert dict(archive.read(["d.csv"])) == {"d.csv": b"1,2"}


def test_zip_sdist() -> None:
    archive = opened(zipped(("pkg-1.0/PKG-INFO", b""), ("pkg-1.0/pkg.py", b"1")), "pkg-1.0.zip")
    assert everything(archive) == {"PKG-INFO": b"", "pkg.py": b"1"}
    assert opened(zipped(("pkg-1.0/pkg.py", b"1")), "pkg-1.0.tar.gz").members[0].path == "pkg.py"


def test_zip_with_comment_and_prepended_bytes_and_zip64(make_wheel: Builder) -> None:
    out = io.BytesIO(make_wheel({"pkg.py": b"1"}))
    with zipfile.ZipFile(out, "a") as archive:
        archive.comment = b"c" * 65_000
        with archive.open("big.py", "w", force_zip64=True) as member:
            member.write(b"2")
    content = everything(opened(b"#!/bin/sh\n" + out.getvalue()))
    assert (content["pkg.py"], content["big.py"]) == (b"1", b"2")


def test_stored_members_and_long_local_extra_fields() -> None:
    odd = zipfile.ZipInfo("pkg.py")
    odd.extra = struct.pack("<HH", 0xCAFE, 60_000) + b"e" * 60_000
    assert everything(opened(zipped((odd, b"1"), ("b.py", b"2"), method=zipfile.ZIP_STORED))) == {
        "pkg.py": b"1",
        "b.py": b"2",
    }


def test_folder(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").write_bytes(b"1")
    (tmp_path / "link.py").symlink_to(tmp_path / "pkg" / "a.py")
    archive = FolderArchive(tmp_path)
    assert everything(archive) == {"pkg/a.py": b"1"}
    assert archive.refused == {"link.py": "a link"}


# Names


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../up.py", "leaves"),
        ("a/../../up.py", "leaves"),
        ("/etc/passwd", "absolute"),
        ("C:/x.py", "absolute"),
        ("a\\b.py", "backslash"),
        ("a\nb.py", "control"),
        ("a\x1b[31m.py", "control"),
        ("a\u202eyp.exe", "control"),
        ("a" * 1001, "longer"),
        ("/".join("a" * 61), "deep"),
        ("./", "no name"),
    ],
)
def test_bad_names_are_refused_and_the_rest_is_read(name: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        member_path(name)
    archives = [opened(tarred((tarfile.TarInfo("ok.py"), b"1"), (tarfile.TarInfo(name), b"2")), "p-1.tar.gz")]
    if not name.endswith("/"):
        archives.append(opened(zipped(("ok.py", b"1"), (name, b"2"))))
    for archive in archives:
        assert everything(archive) == {"ok.py": b"1"}
        (found,) = archive.refused.items()
        assert found[0] == label(name)
        assert found[0].isprintable()
        assert reason in found[1]


def test_a_null_byte_does_not_hide_the_rest_of_a_name() -> None:
    content = zipped(("okX.py", b"1"), ("b.py", b"2")).replace(b"okX.py", b"ok\0.py")
    archive = opened(content)
    assert everything(archive) == {"b.py": b"2"}
    assert list(archive.refused) == [r"ok\x00.py"]


@given(st.text(max_size=40))
def test_a_name_is_refused_or_stays_inside(name: str) -> None:
    try:
        path = member_path(name)
    except Refused:
        return
    assert Path("/root", path).resolve().is_relative_to("/root")
    assert member_path(path) == path


def test_top_folder() -> None:
    assert top_folder(["a-1/PKG-INFO", "a-1/a.py", "._a-1", "pax_global_header"]) == "a-1/"
    assert top_folder(["a-1/setup.py", "a-1/a.py"]) == "a-1/"
    assert top_folder(["a/x.py", "b/x.py"]) == ""
    assert top_folder(["a.py"]) == top_folder([]) == ""


# Hostile and damaged archives


def test_members_that_are_no_files() -> None:
    link = zipfile.ZipInfo("link.py")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    archive = opened(zipped((link, b"/etc/passwd"), ("ok.py", b"1")))
    assert everything(archive) == {"ok.py": b"1"}
    assert archive.refused == {"link.py": "a symbolic link"}
    archive = opened(
        tarred(
            (tarfile.TarInfo("ok.py"), b"1"),
            special("soft.py", tarfile.SYMTYPE, "/etc/passwd"),
            special("hard.py", tarfile.LNKTYPE, "../../x"),
            special("fifo", tarfile.FIFOTYPE),
            special("dev", tarfile.CHRTYPE),
        ),
        "p-1.tar.gz",
    )
    assert everything(archive) == {"ok.py": b"1"}
    assert archive.refused == {
        "soft.py": "a link",
        "hard.py": "a link",
        "fifo": "not a regular file",
        "dev": "not a regular file",
    }


def test_duplicates() -> None:
    same, other = ("a.py", b"1"), ("a.py", b"2")
    assert everything(opened(zipped(same, same))) == {"a.py": b"1"}
    archive = opened(zipped(same, other, ("b.py", b"3")))
    assert everything(archive) == {"b.py": b"3"}
    assert list(archive.refused) == ["a.py"]
    tars = [tarred(*((tarfile.TarInfo(n), c) for n, c in e)) for e in ([same, same], [same, other])]
    assert everything(opened(tars[0], "p-1.tar.gz")) == {"a.py": b"1"}
    assert list(opened(tars[1], "p-1.tar.gz").refused) == ["a.py"]


def test_encrypted_and_oddly_compressed_members() -> None:
    content = bytearray(zipped(("a.py", b"1"), ("b.py", b"2")))
    content[content.index(b"PK\1\2") + 8] |= 1
    assert opened(bytes(content)).refused == {"a.py": "encrypted"}
    archive = opened(zipped(("a.py", b"1" * 99), method=zipfile.ZIP_LZMA))
    assert archive.refused == {"a.py": "compressed by method 14"}


def test_wrong_checksum_costs_only_the_member() -> None:
    content = zipped(("a.py", b"first"), ("b.py", b"other"), method=zipfile.ZIP_STORED)
    archive = opened(content.replace(b"first", b"worst"))
    assert everything(archive) == {"b.py": b"other"}
    assert archive.refused == {"a.py": "wrong checksum (CRC-32)"}


def test_a_local_header_that_disagrees() -> None:
    content = zipped(("aa.py", b"1"), ("b.py", b"2"))
    with pytest.raises(ArchiveError, match=r"aa\.py: its header disagrees"):
        everything(opened(content.replace(b"aa.py", b"zz.py", 1)))


def test_overlapping_entries() -> None:
    content = bytearray(zipped(("a.py", b"1" * 1000), ("b.py", b"2" * 1000), method=zipfile.ZIP_STORED))
    second = content.index(b"PK\1\2", content.index(b"PK\1\2") + 1)
    struct.pack_into("<L", content, second + 42, 0)
    with pytest.raises(ArchiveError, match="overlaps"):
        opened(bytes(content))


def test_declared_sizes_that_lie() -> None:
    content = zipped(("a.py", b"0" * 100_000))
    where = content.index(b"PK\1\2") + 24
    for lie in (10, 200_000):
        changed = bytearray(content)
        struct.pack_into("<L", changed, where, lie)
        archive = opened(bytes(changed))
        assert not everything(archive)
        assert "size" in archive.refused["a.py"]


def test_a_member_over_the_limit_is_listed_and_not_read() -> None:
    limits = Limits(member_bytes=1000)
    for content, name in [
        (zipped(("a.py", b"1" * 1001), ("b.py", b"2")), "p-1-py3-none-any.whl"),
        (tarred((tarfile.TarInfo("a.py"), b"1" * 1001), (tarfile.TarInfo("b.py"), b"2")), "p-1.tar.gz"),
    ]:
        archive = opened(content, name, limits)
        assert [member.path for member in archive.members] == ["a.py", "b.py"]
        assert everything(archive) == {"b.py": b"2"}
        assert "over the limit" in archive.refused["a.py"]


def test_bombs() -> None:
    zeros = b"0" * 6_000_000
    archive = opened(zipped(("a.py", zeros)))
    assert not everything(archive)
    assert archive.refused == {"a.py": "it unpacks to more than 300 times its size"}
    some = [(f"m{i}.py", b"0" * 900) for i in range(10)]
    with pytest.raises(ArchiveError, match="unpack to more than"):
        everything(opened(zipped(*some), limits=Limits(total_bytes=5000)))
    with pytest.raises(ArchiveError, match="more than 5 files"):
        opened(zipped(*some), limits=Limits(members=5))
    with pytest.raises(ArchiveError, match="central directory is too large"):
        opened(zipped(*some), limits=Limits(directory_bytes=100))
    tar = tarred(*((tarfile.TarInfo(name), content) for name, content in some))
    for limits, message in [
        (Limits(members=5), "more than 5 files"),
        (Limits(total_bytes=5000), "unpack to more than"),
        (Limits(unpacked_bytes=9000), "unpacks to more than"),
    ]:
        with pytest.raises(ArchiveError, match=message):
            everything(opened(tar, "p-1.tar.gz", limits))


def test_tar_headers_that_lie() -> None:
    huge = tarfile.TarInfo("pax")
    huge.type, huge.size = tarfile.XHDTYPE, 70 * 1024 * 1024
    raw = huge.tobuf(tarfile.USTAR_FORMAT) + bytes(1024)
    with pytest.raises(ArchiveError, match="too large"):
        opened(raw, "p-1.tar")
    backwards = tarfile.TarInfo("a.txt")
    backwards.size = -512
    raw = tarfile.TarInfo("ok.py").tobuf() + backwards.tobuf(tarfile.GNU_FORMAT) + bytes(1024)
    with pytest.raises(ArchiveError, match=r"backwards|not a readable"):
        opened(raw, "p-1.tar")
    longer = tarfile.TarInfo("a.py")
    longer.size = 5000
    with pytest.raises(ArchiveError):
        opened(longer.tobuf() + b"1" * 1000, "p-1.tar")


def test_many_pax_headers_in_a_row_do_not_crash() -> None:
    one = tarfile.TarInfo("pax")
    one.type, one.size = tarfile.XHDTYPE, 0
    with pytest.raises(ArchiveError):
        opened(one.tobuf(tarfile.USTAR_FORMAT) * 5000 + bytes(1024), "p-1.tar")


@pytest.mark.parametrize("filename", ["p-1-py3-none-any.whl", "p-1.tar.gz", "p-1.zip"])
@pytest.mark.parametrize(
    "content", [b"", b"<html>no such file</html>", b"PK\3\4" + b"x" * 99, b"\x1f\x8b\x08no"]
)
def test_what_is_no_archive(filename: str, content: bytes) -> None:
    with pytest.raises(ArchiveError, match="not a readable"):
        opened(content, filename)


def test_truncated_archives(make_wheel: Builder, make_sdist: Builder) -> None:
    files = {"pkg.py": os.urandom(5000), "pkg2.py": os.urandom(5000)}
    for content, name in [(make_wheel(files), "p-1-py3-none-any.whl"), (make_sdist(files), "p-1.tar.gz")]:
        for cut in (1, 100, 4000, len(content) - 10):
            if name.endswith(".gz") and cut == 1:
                continue  # the last byte of a gzip file says nothing that tar needs
            with pytest.raises(ArchiveError):
                everything(opened(content[:-cut], name))


@given(st.data())
def test_a_damaged_zip_never_crashes(data: st.DataObject) -> None:
    content = bytearray(zipped(("a.py", b"1" * 50), ("d-1.dist-info/RECORD", b"a.py,sha256=00,1\n")))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = everything(opened(bytes(content)))
    except ArchiveError:
        return
    assert all(len(value) < 100 for value in found.values())


@given(st.data())
def test_a_damaged_tar_never_crashes(data: st.DataObject) -> None:
    content = bytearray(
        tarred((tarfile.TarInfo("a.py"), b"1" * 50), (tarfile.TarInfo("é" * 80), b"2"), mode="w:")
    )
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, 3000))] = data.draw(st.integers(0, 255))
    try:
        everything(opened(bytes(content), "p-1.tar"))
    except ArchiveError:
        return


# Ranges and RECORD


@given(
    st.lists(st.tuples(st.integers(0, 5000), st.integers(1, 400)), max_size=40),
    st.integers(0, 200),
    st.integers(1, 3000),
)
def test_coalescing(spans: list[tuple[int, int]], gap: int, largest: int) -> None:
    position, extents = 0, []
    for number, (skip, size) in enumerate(spans):
        extents.append(Extent(position + skip, position + skip + size, str(number)))
        position += skip + size
    groups = coalesce(reversed(extents), gap=gap, largest=largest)
    assert [extent for group in groups for extent in group] == extents
    for group in groups:
        assert len(group) == 1 or group[-1].stop - group[0].start <= largest
        assert all(b.start - a.stop <= gap for a, b in pairwise(group))
    for before, after in pairwise(groups):
        near = after[0].start - before[-1].stop <= gap
        assert not near or after[0].stop - before[0].start > largest


def test_record_lines_that_claim_nothing() -> None:
    good = b"a.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n"
    bad = b'RECORD,,\nshort\nb.py,md5=abc,1\nc.py,sha256=***,1\nd.py,sha256=AAAA,1\n"e,\xff'
    assert list(parse_record(good + bad)) == ["a.py"]
    assert parse_record(b'"' + b"x" * 200_000) == {}


# Local files


def test_local_artifacts(tmp_path: Path, make_wheel: Builder) -> None:
    (tmp_path / "pkg-1.0-py3-none-any.whl").write_bytes(make_wheel({"pkg.py": b"1"}))
    (tmp_path / "notes.txt").write_bytes(b"")
    (file,) = local_artifacts(tmp_path)
    archive = open_local(file, tmp_path / file.filename)
    assert everything(archive)["pkg.py"] == b"1"
    assert archive.fetched == 0
    assert archive.file.sha256
    with pytest.raises(ArchiveError, match="its sha256 is"):
        open_local(replace(file, sha256="0" * 64), tmp_path / file.filename)
    with pytest.raises(ArchiveError, match="cannot be read"):
        open_local(file, tmp_path / "gone.whl")
    with pytest.raises(IndexingError, match="cannot be read"):
        local_artifacts(tmp_path / "nowhere")


def test_no_space_is_an_error_of_the_run(monkeypatch: pytest.MonkeyPatch, make_sdist: Builder) -> None:
    class Full(io.BytesIO):
        def write(self, data: object) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("apikb.indexers.tar_archive.tempfile.SpooledTemporaryFile", lambda size: Full())
    with pytest.raises(IndexingError, match="No space left") as caught:
        opened(make_sdist({"a.py": b"1"}), "p-1.tar.gz")
    assert not isinstance(caught.value, ArchiveError)
    assert caught.value.hint


def test_kind_is_wheel_or_sdist() -> None:
    assert set(ArtifactKind) == {"wheel", "sdist"}
