"""What a second run fetches, what it changes, and that it ends where a first run would have ended."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import random
import shutil
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from apikb.cli import cli

sys.path.insert(0, str(Path(__file__).parent))
from support import Content, Place, add_library, content, library, make_sdist, make_wheel, serving

NAME = "steady"
PAGE = f"/simple/{NAME}/"


class Bench(Place):
    """A place whose commands run in this process."""

    def do(self, *args: str, code: int = 0) -> str:
        result = CliRunner().invoke(cli, list(args), env=self.environment())
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result.stdout

    def index(self, *args: str) -> str:
        return self.do("index", NAME, "--jobs", "1", *args)

    def status(self, symbol: str, version: str) -> str:
        result = CliRunner().invoke(
            cli, ["lookup", symbol, "--version", version, "--json"], env=self.environment()
        )
        return str(json.loads(result.stdout)["status"]) if result.stdout else "no such release"

    def releases(self) -> dict[str, dict[str, Any]]:
        rows = json.loads(self.do("sql", f"SELECT * FROM releases WHERE project = '{NAME}'", "--json"))
        return {row["version"]: row for row in rows}


@pytest.fixture
def index() -> Iterator[Any]:
    with serving() as server:
        yield server


@pytest.fixture
def bench(index: Any, tmp_path: Path) -> Bench:
    return Bench(tmp_path / "a", index.url)


def asked(index: Any) -> list[str]:
    """The paths that were asked for since the last time."""
    with index.lock:
        paths = [path for path, _ in index.log]
        index.log.clear()
    return paths


def wheel_of(version: str) -> str:
    return f"{NAME}-{version}-py3-none-any.whl"


def path_of(version: str) -> str:
    return f"/files/{wheel_of(version)}"


def from_scratch(index: Any, folder: Path, *args: str) -> Content:
    """What a first run gives, without any cache."""
    fresh = Bench(folder / "scratch", index.url)
    fresh.index(*args)
    found = content(fresh.kb)
    shutil.rmtree(fresh.folder)
    index.log.clear()
    return found


def stamp(kb: Path) -> tuple[int, int, str]:
    return kb.stat().st_ino, kb.stat().st_mtime_ns, hashlib.sha256(kb.read_bytes()).hexdigest()


def test_a_second_run_fetches_the_page_and_changes_nothing(index: Any, bench: Bench) -> None:
    add_library(index, NAME, 4)
    index.add(f"{NAME}-2.0-py3-none-any.whl", make_wheel({}, NAME, "2.0"))  # no Python in it
    index.add(f"{NAME}-3.0.tar.gz", make_sdist({f"{NAME}.py": b"x = 1\n"}, NAME, "3.0"))
    index.add(f"{NAME}-4.0.win32.exe", b"MZ")
    out = bench.index()
    assert "5 of 7 releases indexed, 2 skipped, 0 failed" in out
    before = stamp(bench.kb)
    asked(index)
    out = bench.index()
    assert asked(index) == [PAGE]
    assert f"{NAME}: nothing new; 5 of 7 releases are indexed" in out
    assert stamp(bench.kb) == before


def test_a_late_release_of_an_old_series_is_folded_in(index: Any, bench: Bench) -> None:
    for version, number in (("1.0", 0), ("1.1", 1), ("2.0", 3), ("2.1", 4)):
        index.add(wheel_of(version), make_wheel(library(NAME, number), NAME, version))
    bench.index()
    assert bench.status(f"{NAME}.born2", "1.1") == "absent"
    index.add(wheel_of("1.1.post1"), make_wheel(library(NAME, 2), NAME, "1.1.post1"))
    asked(index)
    out = bench.index()
    assert asked(index) == [PAGE, path_of("1.1.post1")]
    assert "3 files parsed" in out, "only what is new in it"
    (span,) = json.loads(bench.do("lookup", f"{NAME}.core.born2", "--json"))["spans"]
    assert span["added"] == "1.1.post1"
    assert content(bench.kb) == from_scratch(index, bench.folder)


def test_releases_may_arrive_in_any_order(index: Any, bench: Bench) -> None:
    order = list(range(6))
    random.Random(7).shuffle(order)
    for number in order:
        add_library(index, NAME, number + 1, first=number)
        bench.index()
    assert content(bench.kb) == from_scratch(index, bench.folder)


def test_a_yanked_release_is_noticed_and_not_read_again(index: Any, bench: Bench) -> None:
    add_library(index, NAME, 3)
    bench.index()
    before = content(bench.kb)
    asked(index)
    for said, yanked, reason in (
        ("it bites", True, "it bites"),
        ("it stings", True, "it stings"),
        (False, False, None),
    ):
        index.entries[wheel_of("1.1")] = {"yanked": said}
        bench.index()
        assert asked(index) == [PAGE]
        release = bench.releases()["1.1"]
        assert (release["yanked"], release["yanked_reason"]) == (yanked, reason)
        assert bench.status(f"{NAME}.core.born1", "1.1") == "present"
    assert content(bench.kb) == before


def test_a_failed_release_is_tried_again(index: Any, bench: Bench) -> None:
    add_library(index, NAME, 3)
    whole = index.projects[NAME][wheel_of("1.1")]
    index.projects[NAME][wheel_of("1.1")] = b"not yet uploaded"
    index.entries[wheel_of("1.1")] = {"hashes": {"sha256": hashlib.sha256(whole).hexdigest()}}
    out = bench.index()
    assert "2 of 3 releases indexed, 0 skipped, 1 failed" in out
    assert bench.status(f"{NAME}.always", "1.1") == "no such release"
    asked(index)
    bench.index()
    assert asked(index) == [PAGE, path_of("1.1")]
    index.projects[NAME][wheel_of("1.1")] = whole
    bench.index()
    assert asked(index) == [PAGE, path_of("1.1")]
    assert content(bench.kb) == from_scratch(index, bench.folder)


def test_refresh_reads_all_of_it_again(index: Any, bench: Bench) -> None:
    add_library(index, NAME, 3)
    bench.index()
    before = content(bench.kb)
    asked(index)
    bench.index("--refresh")
    assert sorted(asked(index)) == sorted([PAGE, *(path_of(f"1.{n}") for n in range(3))])
    assert content(bench.kb) == before


def test_refresh_of_some_releases_keeps_the_others(index: Any, bench: Bench) -> None:
    # The very command that a look-up of a failed release hints at.
    add_library(index, NAME, 3)
    bench.index()
    before = content(bench.kb)
    asked(index)
    bench.index("--refresh", "--versions", "==1.1")
    assert asked(index) == [PAGE, path_of("1.1")]
    assert content(bench.kb) == before


def test_a_refresh_that_fails_loses_nothing(
    index: Any, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from apikb.indexers import transfer

    monkeypatch.setattr(transfer, "_LONGEST_PAUSE", 0.01)
    add_library(index, NAME, 2)
    bench.index()
    before = content(bench.kb)
    for cut in ([0, *[10] * 20], [10] * 20):
        index.cut = cut
        out = bench.do("index", NAME, "--jobs", "1", "--refresh", code=0 if cut[0] == 0 else 1)
        assert "could not be read again and is kept" in out or cut[0]
        assert content(bench.kb) == before


@pytest.mark.parametrize(
    "first",
    [
        [["--versions", "<1.2"]],
        [["--since", "1.3"]],
        [["--versions", "==1.2"], ["--since", "1.4"]],
        [["--versions", "!=1.3"]],
        [["--versions", "<1.2", "--versions", "==1.4"]],
        [["--versions", "==9"]],
    ],
    ids=lambda first: " then ".join(" ".join(step) for step in first),
)
def test_some_releases_then_all_is_all(index: Any, bench: Bench, first: list[list[str]]) -> None:
    add_library(index, NAME, 5)
    for step in first:
        bench.index(*step)
    asked(index)
    bench.index()
    fetched = asked(index)
    assert len(fetched) == len(set(fetched)) <= 6
    whole = content(bench.kb)
    assert whole == from_scratch(index, bench.folder)
    for step in first:  # and some releases after all takes none away
        bench.index(*step)
    assert asked(index) == [PAGE] * len(first)
    assert content(bench.kb) == whole


def test_pre_releases_stand_apart(index: Any, bench: Bench) -> None:
    for version, number in (("1.0", 0), ("1.1a1", 3), ("1.1rc1", 1), ("1.1", 1), ("1.2.dev0", 2)):
        index.add(wheel_of(version), make_wheel(library(NAME, number), NAME, version))
    bench.index()
    asked(index)
    finals = content(bench.kb)
    assert {row["version"] for row in bench.releases().values()} == {"1.0", "1.1"}
    bench.index("--pre")
    assert len(asked(index)) == 4
    assert set(bench.releases()) == {"1.0", "1.1a1", "1.1rc1", "1.1", "1.2.dev0"}
    (span,) = json.loads(bench.do("lookup", f"{NAME}.core.born1", "--json"))["spans"]
    assert span["added"] == "1.1", "a pre-release defined a boundary"
    assert content(bench.kb)["spans"] == [row for row in content(bench.kb)["spans"] if "1.1a1" not in row]
    old = {row for row in finals["spans"] if ".born" in row}
    assert old <= set(content(bench.kb)["spans"]), "a pre-release changed a span of final releases"
    assert bench.status(f"{NAME}.core.born3", "1.1a1") == "present"
    whole = content(bench.kb)
    bench.index()
    assert asked(index) == [PAGE]
    assert content(bench.kb) == whole == from_scratch(index, bench.folder, "--pre")


def test_only_pre_releases(index: Any, bench: Bench) -> None:
    for version, number in (("1.0a1", 0), ("1.0a2", 1)):
        index.add(wheel_of(version), make_wheel(library(NAME, number), NAME, version))
    assert "2 of 2 releases indexed" in bench.index()
    assert bench.status(f"{NAME}.core.born1", "1.0a1") == "absent"


def test_the_cache_may_be_removed_at_any_time(index: Any, bench: Bench) -> None:
    add_library(index, NAME, 3)
    bench.index()
    before = content(bench.kb)
    shutil.rmtree(bench.cache)
    asked(index)
    bench.index()
    assert asked(index) == [PAGE]
    assert content(bench.kb) == before
    add_library(index, NAME, 4, first=3)
    shutil.rmtree(bench.cache)
    bench.index()
    assert sorted(asked(index)) == sorted([PAGE, path_of("1.3")])
    assert content(bench.kb) == from_scratch(index, bench.folder)
    shutil.rmtree(bench.cache)
    bench.index("--refresh")
    assert content(bench.kb) == from_scratch(index, bench.folder)


def test_the_file_may_be_removed_and_is_made_from_the_cache(index: Any, bench: Bench) -> None:
    add_library(index, NAME, 3)
    bench.index()
    before = content(bench.kb)
    bench.kb.unlink()
    asked(index)
    assert "0 files parsed" in bench.index()
    assert asked(index) == [PAGE]
    assert content(bench.kb) == before


def test_a_better_artifact_that_comes_later_is_read(index: Any, bench: Bench) -> None:
    # An sdist first, its wheel an hour later: the answers are those of the wheel, whenever one looked.
    sdist = make_sdist({f"{NAME}/__init__.py": b"def of_sdist(): ...\n"}, NAME, "1.0")
    index.add(f"{NAME}-1.0.tar.gz", sdist)
    bench.index()
    assert bench.status(f"{NAME}.of_sdist", "1.0") == "present"
    index.add(wheel_of("1.0"), make_wheel({f"{NAME}/__init__.py": b"def of_wheel(): ...\n"}, NAME, "1.0"))
    bench.index()
    assert bench.status(f"{NAME}.of_sdist", "1.0") == "absent"
    assert bench.status(f"{NAME}.of_wheel", "1.0") == "present"
    asked(index)
    bench.index()
    assert asked(index) == [PAGE]


def test_an_empty_artifact_is_passed_over_and_not_read_again(index: Any, bench: Bench) -> None:
    index.add(wheel_of("1.0"), make_wheel({"data.json": b"{}"}, NAME, "1.0"))
    sdist = make_sdist({f"{NAME}/__init__.py": b"def here(): ...\n"}, NAME, "1.0")
    index.add(f"{NAME}-1.0.tar.gz", sdist)
    bench.index()
    assert bench.releases()["1.0"]["artifact"] == f"{NAME}-1.0.tar.gz"
    before = stamp(bench.kb)
    asked(index)
    bench.index()
    assert asked(index) == [PAGE]
    assert stamp(bench.kb) == before


def test_an_artifact_replaced_on_the_index_is_read_again(index: Any, bench: Bench) -> None:
    add_library(index, NAME, 2)
    bench.index()
    index.projects[NAME][wheel_of("1.1")] = make_wheel(library(NAME, 3), NAME, "1.1")
    asked(index)
    bench.index()
    assert asked(index) == [PAGE, path_of("1.1")]
    assert bench.status(f"{NAME}.core.born3", "1.1") == "present"
    assert content(bench.kb) == from_scratch(index, bench.folder)


def test_a_folder_of_wheels_is_as_good_as_an_index(index: Any, bench: Bench) -> None:
    add_library(index, NAME, 3)
    folder = bench.folder / "links"
    folder.mkdir(parents=True)
    for filename, data in index.projects[NAME].items():
        (folder / filename).write_bytes(data)
    links = ["--index-url", str(folder)]
    bench.index(*links)
    before = stamp(bench.kb)
    assert "nothing new" in bench.index(*links)
    assert stamp(bench.kb) == before
    assert asked(index) == []
    add_library(index, NAME, 4, first=3)
    (folder / wheel_of("1.3")).write_bytes(index.projects[NAME][wheel_of("1.3")])
    bench.index(*links)
    assert content(bench.kb)["spans"] == from_scratch(index, bench.folder)["spans"]


# RECORD: what it claims, and what it saves


def wheel(
    version: str,
    files: Mapping[str, bytes],
    claims: Mapping[str, bytes] | None = None,
    silent: tuple[str, ...] = (),
) -> bytes:
    """A wheel whose RECORD claims other contents for some files, and nothing for the silent ones."""
    info = f"{NAME}-{version}.dist-info"
    lines = io.StringIO()
    writer = csv.writer(lines)
    for path, data in {**files, **(claims or {})}.items():
        if path not in silent:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            writer.writerow([path, f"sha256={digest}", len(data)])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
        archive.writestr(f"{info}/METADATA", f"Name: {NAME}\nVersion: {version}\n")
        archive.writestr(f"{info}/RECORD", lines.getvalue())
    return out.getvalue()


INIT, MOD = f"{NAME}/__init__.py", f"{NAME}/mod.py"
X, Y, Z = b"def x(): ...\n", b"def y(): ...\n", b"def z(): ...\n"
"""Of one size, so that only the hash and the checksum tell them apart."""
Told = tuple[bytes, bytes]
LIES: dict[str, list[Told]] = {
    "the second claims the first's": [(X, X), (Y, X)],
    "the first claims what the second has": [(Y, X), (X, X)],
    "both claim what nobody has": [(X, Z), (Y, Z)],
    "they claim each other's": [(X, Y), (Y, X)],
    "a lie between two truths": [(X, X), (Y, X), (X, X)],
    "a truth between two lies": [(Y, X), (X, X), (Z, X)],
    "all claim one, each has another": [(X, Z), (Y, Z), (Z, Z), (X, Z)],
    "larger than it claims": [(X, X), (Y + b"def w(): ...\n", X)],
}
"""What `mod` holds in each release, and what RECORD claims that it holds."""


@pytest.mark.parametrize("at_once", [True, False], ids=["in one run", "one after another"])
@pytest.mark.parametrize("lie", LIES)
def test_a_lying_record_puts_no_wrong_fact(index: Any, bench: Bench, lie: str, at_once: bool) -> None:
    for number, (true, told) in enumerate(LIES[lie]):
        version = f"1.{number}"
        index.add(wheel_of(version), wheel(version, {INIT: b"", MOD: true}, {MOD: told}))
        if not at_once:
            bench.index()
    bench.index()
    for number, (true, _) in enumerate(LIES[lie]):
        version = f"1.{number}"
        for name in "xyzw":
            there = b"def %s" % name.encode() in true
            status = bench.status(f"{NAME}.mod.{name}", version)
            assert status in ("present" if there else "absent", "no such release"), (version, name)
    honest = [n for n, (true, told) in enumerate(LIES[lie]) if true == told]
    assert all(bench.releases()[f"1.{n}"]["status"] == "indexed" for n in honest)


@pytest.mark.parametrize("at_once", [True, False], ids=["in one run", "one after another"])
def test_a_record_that_claims_another_file_of_its_wheel(index: Any, bench: Bench, at_once: bool) -> None:
    files = {INIT: b"", MOD: X, f"{NAME}/other.py": Y}
    index.add(wheel_of("1.0"), wheel("1.0", files))
    if not at_once:
        bench.index()
    index.add(wheel_of("1.1"), wheel("1.1", files, {MOD: Y, f"{NAME}/other.py": X}))
    bench.index()
    for version in ("1.0", "1.1"):
        assert bench.status(f"{NAME}.mod.x", version) in ("present", "no such release")
        assert bench.status(f"{NAME}.mod.y", version) in ("absent", "no such release")
    assert bench.status(f"{NAME}.mod.x", "1.0") == "present"


@pytest.mark.parametrize("at_once", [True, False], ids=["in one run", "one after another"])
def test_a_member_that_record_lacks_is_read(index: Any, bench: Bench, at_once: bool) -> None:
    index.add(wheel_of("1.0"), wheel("1.0", {INIT: b"", MOD: X}, silent=(MOD,)))
    if not at_once:
        bench.index()
    index.add(wheel_of("1.1"), wheel("1.1", {INIT: b"", MOD: Y}, silent=(MOD, INIT)))
    bench.index()
    assert [bench.status(f"{NAME}.mod.x", version) for version in ("1.0", "1.1")] == ["present", "absent"]
    assert [bench.status(f"{NAME}.mod.y", version) for version in ("1.0", "1.1")] == ["absent", "present"]


def test_a_record_that_lists_what_is_not_there(index: Any, bench: Bench) -> None:
    index.add(wheel_of("1.0"), wheel("1.0", {INIT: b"", MOD: X}))
    index.add(wheel_of("1.1"), wheel("1.1", {INIT: b""}, {MOD: X}))
    bench.index()
    assert bench.status(f"{NAME}.mod", "1.1") == "absent"


def bulky(changed: int | None = None) -> dict[str, bytes]:
    """Some 3 MB that hardly shrink, in 60 modules, of which one may be another."""
    noise = random.Random(1)
    files = {f"{NAME}/__init__.py": b""}
    for number in range(60):
        text = "".join(f"V{i} = '{noise.randbytes(50).hex()}'\n" for i in range(800))
        files[f"{NAME}/m{number:02}.py"] = text.encode()
    if changed is not None:
        files[f"{NAME}/m{changed:02}.py"] += b"def new(): ...\n"
    return files


@pytest.fixture(scope="module")
def two_large() -> tuple[bytes, bytes]:
    """Two wheels that differ in one module of sixty."""
    return wheel("1.0", bulky()), wheel("1.1", bulky(changed=20))


def test_record_saves_the_bytes_of_what_is_known(
    index: Any, bench: Bench, two_large: tuple[bytes, bytes]
) -> None:
    first, second = two_large
    assert len(second) > 2_000_000
    index.add(wheel_of("1.0"), first)
    bench.index()
    assert bench.releases()["1.0"]["fetched"] > 0.9 * len(first)
    index.add(wheel_of("1.1"), second)
    out = bench.index()
    assert "1 files parsed" in out, out
    # The tail with the directory (256 KiB), RECORD in it, and the one module.
    assert bench.releases()["1.1"]["fetched"] < 256 * 1024 + 150_000
    assert bench.status(f"{NAME}.m20.new", "1.1") == "present"
    assert bench.status(f"{NAME}.m20.new", "1.0") == "absent"
    assert bench.status(f"{NAME}.m59.V7", "1.1") == "present"


def test_record_saves_them_within_one_run(index: Any, bench: Bench, two_large: tuple[bytes, bytes]) -> None:
    first, second = two_large
    index.add(wheel_of("1.0"), first)
    index.add(wheel_of("1.1"), second)
    bench.index()
    fetched = [release["fetched"] for release in bench.releases().values()]
    assert sum(fetched) < 1.35 * len(first), fetched
    assert bench.status(f"{NAME}.m20.new", "1.1") == "present"
    assert bench.status(f"{NAME}.m20.new", "1.0") == "absent"
