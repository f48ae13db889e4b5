"""The rule that picks the artifact, and the grouping of files into releases."""

from __future__ import annotations

import random

import pytest

from apikb.indexers.artifacts import (
    ArtifactFile,
    ArtifactKind,
    ListedFile,
    candidates,
    group_releases,
    is_pure,
    kind_of,
)


def artifact(filename: str, **more: object) -> ArtifactFile:
    kind = kind_of(filename)
    assert kind
    return ArtifactFile(filename, f"https://files.invalid/{filename}", kind, **more)  # type: ignore[arg-type]


def order(*names: str) -> list[str]:
    shuffled = list(names)
    random.Random(4).shuffle(shuffled)
    return [file.filename for file in candidates(map(artifact, shuffled))]


@pytest.mark.parametrize(
    "names",
    [
        # pure before all, Python 3 before both before 2
        ["a-1-py3-none-any.whl", "a-1-py2.py3-none-any.whl", "a-1-py2-none-any.whl", "a-1.tar.gz"],
        ["a-1-py3-none-any.whl", "a-1-cp39-cp39-manylinux2014_x86_64.whl", "a-1.tar.gz"],
        ["a-1-py36-none-any.whl", "a-1-py37-none-any.whl", "a-1.zip"],
        # the oldest CPython 3; the stable ABI counts as where it starts; then free-threaded, PyPy, Python 2
        [
            "numpy-1.26.0-cp39-cp39-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
            "numpy-1.26.0-cp310-cp310-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
            "numpy-1.26.0-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
            "numpy-1.26.0-pp39-pypy39_pp73-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
            "numpy-1.26.0-cp39-cp39-musllinux_1_1_x86_64.whl",
            "numpy-1.26.0-cp39-cp39-manylinux_2_17_aarch64.manylinux2014_aarch64.whl",
            "numpy-1.26.0-cp39-cp39-macosx_10_9_x86_64.whl",
            "numpy-1.26.0-cp39-cp39-macosx_11_0_arm64.whl",
            "numpy-1.26.0-cp39-cp39-win_amd64.whl",
            "numpy-1.26.0.tar.gz",
        ],
        ["a-1-cp37-abi3-manylinux2014_x86_64.whl", "a-1-cp38-cp38-manylinux1_x86_64.whl"],
        ["a-1-cp313-cp313-manylinux2014_x86_64.whl", "a-1-cp313-cp313t-manylinux2014_x86_64.whl"],
        ["a-1-cp35-cp35m-manylinux1_x86_64.whl", "a-1-cp27-cp27mu-manylinux1_x86_64.whl"],
        ["a-1-cp27-cp27mu-manylinux1_x86_64.whl", "a-1-cp27-cp27m-manylinux1_x86_64.whl"],
        # of several manylinux, the oldest glibc
        ["a-1-cp36-cp36m-manylinux1_x86_64.whl", "a-1-cp36-cp36m-manylinux_2_28_x86_64.whl"],
        ["a-1-py3-none-manylinux_2_17_x86_64.whl", "a-1-py3-none-win_amd64.whl"],
        # sdists by their suffix
        ["a-1.tar.gz", "a-1.tgz", "a-1.tar.bz2", "a-1.tar.xz", "a-1.zip"],
        # a wheel name that breaks the rules is still a wheel
        ["a-1-py3-none-any.whl", "a-1-weird.whl", "a-1.tar.gz"],
    ],
)
def test_order(names: list[str]) -> None:
    assert order(*names) == names


def test_yanked_files_come_last() -> None:
    files = [artifact("a-1-py3-none-any.whl", yanked=True), artifact("a-1.tar.gz")]
    assert [file.filename for file in candidates(files)] == ["a-1.tar.gz", "a-1-py3-none-any.whl"]


def test_sizes_do_not_matter() -> None:
    names = ["a-1-cp39-cp39-win_amd64.whl", "a-1-cp39-cp39-manylinux1_x86_64.whl"]
    big, small = artifact(names[1], size=10**9), artifact(names[0], size=10)
    assert candidates([small, big])[0] is big


def test_kinds() -> None:
    assert kind_of("A-1.WHL") is ArtifactKind.WHEEL
    assert [kind_of(f"a-1.{suffix}") for suffix in ("egg", "exe", "rpm", "msi", "dmg")] == [None] * 5
    assert is_pure("a-1-py2.py3-none-any.whl")
    assert not is_pure("a-1-py3-none-win32.whl")


def listed(filename: str, version: str | None, **more: object) -> ListedFile:
    return ListedFile(filename, version, artifact(filename, **more) if kind_of(filename) else None, "egg")


def test_releases_are_grouped_by_version_not_by_spelling() -> None:
    files = [
        listed("a-0.12.01.tar.gz", "0.12.01"),
        listed("a-0.12.1-py3-none-any.whl", "0.12.1", uploaded_at="2020-01-02T00:00:00Z"),
        listed("a-0.9.zip", "0.9", uploaded_at="2019-01-01T00:00:00Z"),
        listed("a-1.0rc1.zip", "1.0rc1"),
    ]
    releases, skipped = group_releases("a", files, ["0.12.01", "1.0rc1"])
    assert [release.version for release in releases] == ["0.9", "0.12.1", "1.0rc1"]
    assert [file.filename for file in releases[1].files] == ["a-0.12.1-py3-none-any.whl", "a-0.12.01.tar.gz"]
    assert not skipped


def test_versions_without_files_and_without_readable_files() -> None:
    releases, skipped = group_releases("a", [listed("a-1.0-py2.5.egg", "1.0")], ["2.0", "bad-one!"])
    assert [(release.version, release.reason) for release in releases] == [
        ("1.0", "no wheel and no sdist (egg)"),
        ("2.0", "the index lists no file of it"),
    ]
    assert [(file.filename, file.reason) for file in skipped] == [
        ("a bad-one!", "bad-one! is no PEP 440 version")
    ]


def test_legacy_versions_are_skipped_by_name() -> None:
    releases, skipped = group_releases(
        "pytz", [listed("pytz-2004d.tar.gz", "2004d"), ListedFile("x.zip", None, None)]
    )
    assert not releases
    assert [file.reason for file in skipped] == ["2004d is no PEP 440 version", "its name tells no version"]


def test_a_release_is_yanked_when_all_its_files_are() -> None:
    one = listed("a-1.zip", "1", yanked=True, yanked_reason="broken", requires_python=">=3.8")
    two = listed("a-1.tgz", "1", yanked=False, uploaded_at="2021-01-01T00:00:00Z")
    three = listed("a-1-py3-none-any.whl", "1", yanked=True, uploaded_at="2020-01-01T00:00:00Z")
    (release,), _ = group_releases("a", [one, three])
    assert (release.yanked, release.yanked_reason, release.requires_python) == (True, "broken", ">=3.8")
    (release,), _ = group_releases("a", [one, two, three])
    assert (release.yanked, release.yanked_reason) == (False, None)
    assert release.uploaded_at == "2020-01-01T00:00:00Z"
