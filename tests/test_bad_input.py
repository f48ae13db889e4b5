"""Whatever is given or served: one clear line, the right exit code, nothing lost, no traceback."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import io
import json
import os
import resource
import shutil
import socket
import stat
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

from apikb.cli import cli
from apikb.kb.errors import StoreError

sys.path.insert(0, str(Path(__file__).parent))
from support import Place, add_library, content, make_sdist, make_wheel, one_error, serving

CALM = "calm"
"""A project of which nothing is wrong."""


@dataclasses.dataclass
class Done:
    """What a command that ran in this process left."""

    returncode: int
    stdout: str
    stderr: str


class Bench(Place):
    """A place whose commands run in this process, where an exception is seen."""

    def do(self, *args: str, env: dict[str, str] | None = None) -> Done:
        kept = {**self.environment(), **(env or {})}
        result = CliRunner().invoke(cli, list(args), env=kept)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert "Traceback" not in result.output
        return Done(result.exit_code, result.stdout, result.stderr)


@pytest.fixture(autouse=True)
def no_long_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four attempts, one after another at once."""
    from apikb.indexers import transfer

    monkeypatch.setattr(transfer, "_LONGEST_PAUSE", 0.01)


@pytest.fixture
def index() -> Iterator[Any]:
    with serving() as server:
        add_library(server, CALM, 2)
        yield server


@pytest.fixture(scope="module")
def calm_kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with `calm` in it."""
    with serving() as server:
        add_library(server, CALM, 2)
        bench = Bench(tmp_path_factory.mktemp("calm"), server.url)
        done = bench.do("index", CALM, "--jobs", "1")
        assert done.returncode == 0, done.stderr
        return bench.kb


@pytest.fixture
def bench(calm_kb: Path, index: Any, tmp_path: Path) -> Iterator[Bench]:
    """A place in which `calm` is indexed; whatever a test does, it must still be there."""
    shutil.copy(calm_kb, tmp_path / "kb.duckdb")
    place = Bench(tmp_path, index.url)
    before = content(place.kb, CALM)
    yield place
    try:
        after = content(place.kb, CALM)
    except (StoreError, duckdb.Error):
        return  # the test has damaged it
    assert after == before


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# the command line


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["index"], ["project"]),
        (["index", "not a name!"], ["not a name!"]),
        (["index", "../../etc"], ["../../etc"]),
        (["index", "calm==1.0"], ["calm==1.0", "--versions"]),
        (["index", "calm", "--versions", "newest"], ["newest", "--versions"]),
        (["index", "calm", "--versions", ">=1,<"], [">=1,<", "--versions"]),
        (["index", "calm", "--since", "yesterday"], ["yesterday", "--since"]),
        (["index", "calm", "--jobs", "0"], ["--jobs"]),
        (["index", "calm", "--find-links", "nowhere"], ["nowhere"]),
        (["index", "-r", "nowhere.txt"], ["nowhere.txt"]),
        (["index", "calm", "--nonsense"], ["--nonsense"]),
        (["lookup"], ["symbol"]),
        (["lookup", ""], []),
        (["lookup", "calm..always"], ["calm..always"]),
        (["lookup", "calm.always("], ["calm.always("]),
        (["lookup", "(x)"], ["(x)"]),
        (["lookup", "calm.always(x"], ["calm.always(x"]),
        (["lookup", "1 + 1"], ["1 + 1"]),
        (["lookup", "calm.always", "--version", "one"], ["one"]),
        (["lookup", "calm.always", "--version", ">=one"], [">=one"]),
        (["lookup", "calm.always", "--version", ""], []),
        (["diff", "calm", "1.0"], []),
        (["diff", "calm", "1.0", "two"], ["two"]),
        (["nonsense"], ["nonsense"]),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_wrong_usage(bench: Bench, args: list[str], words: list[str]) -> None:
    before = digest(bench.kb)
    one_error(bench.do(*args), *words, code=2)
    assert digest(bench.kb) == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("calm\nwhat is this?\n", ["requirements.txt:2", "what is this?"]),
        ("-r requirements.txt\n", ["includes itself"]),
        ("-r gone.txt\n", ["gone.txt"]),
        ("# nothing\n\n", ["project"]),
        ("\x00\x01\n", ["requirements.txt:1"]),
    ],
)
def test_bad_requirements_files(bench: Bench, text: str, words: list[str]) -> None:
    file = bench.folder / "requirements.txt"
    file.write_text(text)
    before = digest(bench.kb)
    one_error(bench.do("index", "-r", str(file)), *words, code=2)
    assert digest(bench.kb) == before


def test_a_requirements_file_that_is_no_text(bench: Bench) -> None:
    file = bench.folder / "requirements.txt"
    file.write_bytes(b"\xff\xfe\x00c\xd8")
    one_error(bench.do("index", "-r", str(file)), "requirements.txt", code=2)


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["lookup", "clam.always"], 4, ["clam", "calm"]),
        (["lookup", "calm.always", "--version", "9.9"], 4, ["9.9", "1.1"]),
        (["lookup", "calm.always", "--version", ">=9"], 4, [">=9"]),
        (["lookup", "always", "--project", "nosuch"], 4, ["nosuch"]),
        (["history", "clam.always"], 4, ["clam"]),
        (["info", "clam"], 4, ["clam", "calm"]),
        (["diff", "calm", "1.0", "7.0"], 4, ["7.0"]),
    ],
)
def test_what_is_not_indexed(bench: Bench, args: list[str], code: int, words: list[str]) -> None:
    one_error(bench.do(*args), *words, code=code)


def test_an_unknown_symbol_is_an_answer_and_no_error(bench: Bench) -> None:
    done = bench.do("lookup", "calm.alwais")
    assert done.returncode == 1 and done.stderr == ""
    assert "absent" in done.stdout and "calm.always" in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        ["lookup", "calm.always"],
        ["list"],
        ["info", "calm"],
        ["sql", "SELECT 1"],
        ["history", "calm.always"],
        ["diff", "calm", "1.0", "1.1"],
        ["export", "out"],
    ],
    ids=lambda value: value[0],
)
def test_before_anything_is_indexed(tmp_path: Path, command: list[str]) -> None:
    bench = Bench(tmp_path, "http://127.0.0.1:9/")
    done = bench.do(*command)
    one_error(done, str(bench.kb), code=2)
    assert "Hint: " in done.stderr and "apikb index" in done.stderr
    assert list(tmp_path.iterdir()) == [], "asking made something"


# what the index does


def closed_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_an_unknown_project(bench: Bench) -> None:
    before = digest(bench.kb)
    done = bench.do("index", "nosuch-project")
    one_error(done, "nosuch-project", bench.index_url, code=1)
    assert "Hint: " in done.stderr
    assert digest(bench.kb) == before


def test_an_unknown_project_does_not_keep_the_others_out(bench: Bench, index: Any) -> None:
    add_library(index, "other", 1)
    done = bench.do("index", "nosuch", "other", "--jobs", "1")
    one_error(done, "nosuch", code=1)
    assert "other: 1 of 1 releases indexed" in done.stdout
    assert bench.do("lookup", "other.core.always").returncode == 0


def test_an_index_out_of_reach(bench: Bench) -> None:
    port = closed_port()
    before = digest(bench.kb)
    done = bench.do("index", CALM, "--index-url", f"http://127.0.0.1:{port}/simple/")
    one_error(done, f"http://127.0.0.1:{port}/simple/calm/", "refused", code=1)
    assert "--index-url" in done.stderr
    assert digest(bench.kb) == before


def test_a_host_that_does_not_exist(bench: Bench) -> None:
    done = bench.do("index", CALM, "--index-url", "http://no-such-host.invalid/simple/")
    one_error(done, "http://no-such-host.invalid/simple/calm/", code=1)


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/simple", "nowhere/at/all", "http://", "http://[", "\x00"])
def test_what_is_no_index(bench: Bench, url: str) -> None:
    before = digest(bench.kb)
    one_error(bench.do("index", CALM, "--index-url", url), code=1)
    assert digest(bench.kb) == before


@pytest.mark.parametrize("status", [500, 503, 429, 403, 401])
def test_an_index_that_only_ever_answers_with_an_error(bench: Bench, index: Any, status: int) -> None:
    index.statuses = [status] * 20
    before = digest(bench.kb)
    one_error(bench.do("index", CALM), bench.index_url, str(status), code=1)
    assert digest(bench.kb) == before


def test_an_index_that_answers_404_to_everything(bench: Bench, index: Any) -> None:
    index.projects.clear()
    one_error(bench.do("index", CALM), CALM, bench.index_url, code=1)


def test_an_index_page_that_never_comes_whole(bench: Bench, index: Any) -> None:
    index.cut = [10] * 20
    before = digest(bench.kb)
    one_error(bench.do("index", CALM), f"{bench.index_url}calm/", "bytes", code=1)
    assert digest(bench.kb) == before


def test_an_index_page_that_is_no_index_page(
    bench: Bench, index: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = index.RequestHandlerClass
    for kind, body in (
        ("application/vnd.pypi.simple.v1+json", b"{not json"),
        ("application/vnd.pypi.simple.v1+json", b"[" * 100_000),
        ("application/vnd.pypi.simple.v1+json", b'{"meta": {"api-version": "9.0"}, "files": []}'),
        ("application/vnd.pypi.simple.v1+json", b'{"name": 3, "files": [7]}'),
        ("image/png", b"\x89PNG"),
    ):
        monkeypatch.setattr(handler, "page", lambda self, _, b=body, k=kind: self.answer(200, b, {}, k))
        one_error(bench.do("index", CALM), f"{bench.index_url}calm/", code=1)


def test_an_index_page_with_an_address_that_is_none(bench: Bench, index: Any) -> None:
    index.entries[f"{CALM}-1.0-py3-none-any.whl"] = {"url": "http://["}
    done = bench.do("index", CALM)
    assert done.returncode == 0, done.stderr
    assert "2 of 2 releases are indexed" in done.stdout
    assert "1.0 could not be read again and is kept" in done.stdout
    assert "a URL that is not fetched" in done.stdout


def big_wheel(name: str, version: str) -> bytes:
    """More than 1 MB, so that it is read by ranges, of which little is Python."""
    files = {f"{name}/__init__.py": b"def always(): ...\n", f"{name}/blob.bin": os.urandom(1_200_000)}
    return bytes(make_wheel(files, name, version))


@pytest.mark.parametrize("ranges", ["no", "wrong", "multipart", "refused"])
def test_a_server_without_ranges_is_read_whole(bench: Bench, index: Any, ranges: str) -> None:
    index.ranges = ranges
    index.add("bulky-1.0-py3-none-any.whl", big_wheel("bulky", "1.0"))
    done = bench.do("index", "bulky", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert "bulky: 1 of 1 releases indexed" in done.stdout
    assert bench.do("lookup", "bulky.always").returncode == 0


def test_an_index_that_speaks_html_alone(bench: Bench, index: Any) -> None:
    index.html_only = True
    add_library(index, "other", 2)
    done = bench.do("index", "other", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert "other: 2 of 2 releases indexed" in done.stdout


@pytest.mark.parametrize("kind", ["wheel", "ranges", "sdist"])
def test_a_download_that_never_comes_whole(bench: Bench, index: Any, kind: str) -> None:
    if kind == "sdist":
        index.add("torn-1.0.tar.gz", make_sdist({"torn/__init__.py": b"x = 1\n"}, "torn"))
    elif kind == "wheel":
        index.add("torn-1.0-py3-none-any.whl", make_wheel({"torn/__init__.py": b"x = 1\n"}, "torn"))
    else:
        index.add("torn-1.0-py3-none-any.whl", big_wheel("torn", "1.0"))
    index.cut = [0, *[100] * 20]
    done = bench.do("index", "torn", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert "torn: 0 of 1 releases indexed, 0 skipped, 1 failed" in done.stdout
    assert "failed 1.0: torn-1.0" in done.stdout and " bytes" in done.stdout
    one_error(bench.do("lookup", "torn.x", "--version", "1.0"), "torn", code=4)
    index.cut = []
    assert "torn: 1 of 1 releases indexed" in bench.do("index", "torn", "--jobs", "1").stdout
    assert bench.do("lookup", "torn" + (".always" if kind == "ranges" else ".x")).returncode == 0


# hostile and broken releases, among good ones


def raw_wheel(*members: tuple[str | zipfile.ZipInfo, bytes], version: str) -> bytes:
    """A wheel with these members and no RECORD."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
        archive.writestr(f"shaky-{version}.dist-info/METADATA", "Name: shaky\n")
    return out.getvalue()


GOOD = b"def always(x): ...\n"
EARLY = GOOD + b"def early(): ...\n"


def odd_sdist(version: str) -> bytes:
    """Links, a FIFO, names that leave, a duplicate; and one good module."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:

        def add(name: str, kind: bytes = tarfile.REGTYPE, data: bytes = b"", link: str = "") -> None:
            member = tarfile.TarInfo(name if name[0] in "./" else f"shaky-{version}/{name}")
            member.type, member.linkname, member.size = kind, link, len(data)
            archive.addfile(member, io.BytesIO(data))

        add("PKG-INFO", data=b"Name: shaky\n")
        add("shaky/__init__.py", data=GOOD)
        add("shaky/linked.py", tarfile.SYMTYPE, link="/etc/passwd")
        add("shaky/hard.py", tarfile.LNKTYPE, link="/etc/passwd")
        add("shaky/fifo.py", tarfile.FIFOTYPE)
        add("shaky/device.py", tarfile.CHRTYPE)
        add("shaky/twice.py", data=b"def first(): ...\n")
        add("shaky/twice.py", data=b"def second(): ...\n")
        add("../evil.py", data=b"x = 1\n")
        add("/evil.py", data=b"x = 1\n")
    return out.getvalue()


def tar_bomb(version: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in (
            (f"shaky-{version}/shaky/__init__.py", GOOD),
            (f"shaky-{version}/zeros", bytes(80 << 20)),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def zip_bomb(version: str) -> bytes:
    """Few bytes that unpack to gigabytes: all entries share one body."""
    data = raw_wheel(("shaky/__init__.py", GOOD), ("shaky/zeros.py", bytes(30 << 20)), version=version)
    end = data.rfind(b"PK\x05\x06")
    size, offset = (int.from_bytes(data[end + at : end + at + 4], "little") for at in (12, 16))
    entries = data[offset : offset + size]
    at = entries.index(b"shaky/zeros.py") - 46
    zeros = entries[at : at + 46 + len("shaky/zeros.py")]
    copies = [zeros.replace(b"zeros.py", b"z%04d.py" % n) for n in range(2000)]
    directory = entries + b"".join(copies)
    closing = bytearray(data[end:])
    count = int.from_bytes(closing[10:12], "little") + len(copies)
    closing[8:10] = closing[10:12] = count.to_bytes(2, "little")
    closing[12:16] = len(directory).to_bytes(4, "little")
    return data[:offset] + directory + bytes(closing)


def climbing_wheel(version: str) -> bytes:
    link = zipfile.ZipInfo("shaky/link.py")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return raw_wheel(
        ("shaky/__init__.py", GOOD),
        ("../evil.py", b"x = 1\n"),
        ("shaky/../../evil2.py", b"x = 1\n"),
        ("/evil3.py", b"x = 1\n"),
        ("C:\\evil4.py", b"x = 1\n"),
        (link, b"/etc/passwd"),
        version=version,
    )


def with_module(data: bytes) -> Callable[[str], bytes]:
    """A wheel whose module `shaky.odd` is this."""
    return lambda version: bytes(
        make_wheel({"shaky/__init__.py": GOOD, "shaky/odd.py": data}, "shaky", version)
    )


WHEEL = "shaky-{}-py3-none-any.whl"
SDIST = "shaky-{}.tar.gz"
MAC = "shaky-{}-cp311-cp311-manylinux_2_17_x86_64.whl"

LOST: dict[str, tuple[str, Callable[[str], bytes], dict[str, Any], str, str]] = {
    "no wheel at all": (WHEEL, lambda _: b"this is no archive", {}, "failed", "not a readable"),
    "no tar at all": (SDIST, lambda _: b"this is no archive", {}, "failed", "not a readable"),
    "nothing": (WHEEL, lambda _: b"", {}, "failed", ""),
    "cut wheel": (WHEEL, lambda v: with_module(b"")(v)[:-30], {}, "failed", "not a readable"),
    "cut sdist": (
        SDIST, lambda v: make_sdist({"shaky/__init__.py": GOOD}, "shaky", v)[:-40], {}, "failed", "",
    ),
    "wrong hash of a wheel": (WHEEL, with_module(b""), {"hashes": {"sha256": "0" * 64}}, "failed", "sha256"),
    "wrong hash of an sdist": (
        SDIST, lambda v: make_sdist({"shaky/__init__.py": GOOD}, "shaky", v),
        {"hashes": {"sha256": "0" * 64}}, "failed", "sha256",
    ),
    "wrong size": (MAC, with_module(b""), {"size": 7_000_000}, "failed", ""),
    "404": (WHEEL, with_module(b""), {"url": "../../files/gone.whl"}, "failed", "404"),
    "file url": (WHEEL, with_module(b""), {"url": "file:///etc/passwd"}, "skipped", "not fetched"),
    "zip bomb": (WHEEL, zip_bomb, {}, "failed", ""),
    "tar bomb": (SDIST, tar_bomb, {}, "failed", ""),
    "empty wheel": (WHEEL, lambda v: raw_wheel(version=v), {}, "skipped", "no Python source"),
    "wheel of data": (
        WHEEL, lambda v: raw_wheel(("shaky/data.json", b"{}"), version=v), {}, "skipped", "no Python source",
    ),
    "wheel of one binary": (
        MAC, lambda v: raw_wheel(("shaky.so", b"\x7fELF"), version=v), {}, "skipped", "no Python source",
    ),
}  # fmt: skip
"""Releases of which nothing can be known: file name, content, what the index says, status, reason."""

DEEP = {
    "parentheses": b"def here(): ...\nx = " + b"(" * 20_000 + b"1" + b")" * 20_000 + b"\ndef there(): ...\n",
    "sum": b"def here(): ...\nx = " + b"+".join([b"1"] * 20_000) + b"\ndef there(): ...\n",
    "minus": b"def here(): ...\nx = " + b"-" * 20_000 + b"1\ndef there(): ...\n",
    "attributes": b"def here(): ...\nx = a" + b".b" * 20_000 + b"\ndef there(): ...\n",
    "calls": b"def here(): ...\nx = " + b"f(" * 20_000 + b")" * 20_000 + b"\ndef there(): ...\n",
    "list in a default": b"def here(x=" + b"[" * 20_000 + b"]" * 20_000 + b"): ...\ndef there(): ...\n",
    "elif": b"def here(): ...\nif a: pass\n" + b"elif a: pass\n" * 20_000 + b"def there(): ...\n",
    "blocks": b"def here(): ...\n"
    + b"".join(b" " * n + b"if a:\n" for n in range(1000)) + b" " * 1000 + b"b = 1\ndef there(): ...\n",
}  # fmt: skip

PARTLY: dict[str, tuple[str, Callable[[str], bytes], list[str]]] = {
    "climbing wheel": (WHEEL, climbing_wheel, ["shaky.link.x"]),
    "odd sdist": (
        SDIST, odd_sdist,
        ["shaky.linked.x", "shaky.hard.x", "shaky.fifo.x", "shaky.device.x", "shaky.twice.first"],
    ),
    **{f"20,000 deep: {name}": (WHEEL, with_module(data), ["shaky.odd.here", "shaky.odd.there"])
       for name, data in DEEP.items()},
    "not UTF-8": (WHEEL, with_module(b"name = '\xe9\xff'\ndef here(): ...\n"), ["shaky.odd.here"]),
    "unknown encoding": (
        WHEEL, with_module(b"# coding: klingon\ndef here(): ...\n"), ["shaky.odd.here"],
    ),
    "NUL": (WHEEL, with_module(b"def here(): ...\n\x00\ndef there(): ...\n"), ["shaky.odd.there"]),
    "UTF-16": (WHEEL, with_module("def here(): ...\n".encode("utf-16")), ["shaky.odd.here"]),
    "binary": (WHEEL, with_module(bytes(range(256)) * 40), ["shaky.odd.here"]),
    "syntax error": (WHEEL, with_module(b"def here(: ...\nclass\n"), ["shaky.odd.here"]),
    "over the limit": (WHEEL, with_module(b"#" * (33 << 20) + b"\ndef here(): ...\n"), ["shaky.odd.here"]),
}  # fmt: skip
"""Releases of which one module is beyond us: file name, content, names that are there or unknown."""


@pytest.fixture(scope="module")
def shaken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, Done, dict[str, str]]:
    """A project with all of them between two good releases, indexed; and which release is which."""
    versions: dict[str, str] = {}
    with serving() as server:
        server.add(WHEEL.format("1.0"), make_wheel({"shaky/__init__.py": EARLY}, "shaky", "1.0"))
        server.add(WHEEL.format("9.0"), make_wheel({"shaky/__init__.py": GOOD}, "shaky", "9.0"))
        for number, (name, (file, make, entry, *_)) in enumerate(LOST.items()):
            versions[name] = version = f"2.{number}"
            server.add(file.format(version), make(version), **entry)
        for number, (name, (file, make, _)) in enumerate(PARTLY.items()):
            versions[name] = version = f"3.{number}"
            server.add(file.format(version), make(version))
        bench = Bench(tmp_path_factory.mktemp("shaken"), server.url)
        run = bench.run("index", "shaky", "--jobs", "2")
        assert "Traceback" not in run.stderr + run.stdout
    return bench, Done(run.returncode, run.stdout, run.stderr), versions


def test_bad_releases_do_not_keep_the_good_ones_out(shaken: tuple[Bench, Done, dict[str, str]]) -> None:
    bench, done, _ = shaken
    assert done.returncode == 0, done.stderr
    assert not [line for line in done.stderr.splitlines() if line.startswith("Error")]
    lost = [status for *_, status, _ in LOST.values()]
    good = 2 + len(PARTLY)
    assert (
        f"shaky: {good} of {good + len(LOST)} releases indexed, {lost.count('skipped')} skipped, "
        f"{lost.count('failed')} failed"
    ) in done.stdout
    assert not list(bench.folder.parent.rglob("evil*"))


@pytest.mark.parametrize("name", LOST)
def test_a_release_of_which_nothing_can_be_read(
    shaken: tuple[Bench, Done, dict[str, str]], name: str
) -> None:
    bench, done, versions = shaken
    version, (file, _, _, status, reason) = versions[name], LOST[name]
    (line,) = [line for line in done.stdout.splitlines() if line.startswith(f"  {status} {version}: ")]
    assert reason in line
    assert file.format(version) in line or name == "file url", "it does not say of which file"
    answer = bench.do("lookup", "shaky.always", "--version", version)
    one_error(answer, f"shaky {version}", code=4)
    asked = json.loads(bench.do("lookup", "shaky.always", "--version", f"=={version}", "--json").stderr)
    assert version in asked["error"]


@pytest.mark.parametrize("name", PARTLY)
def test_a_release_with_a_module_beyond_us(shaken: tuple[Bench, Done, dict[str, str]], name: str) -> None:
    bench, _, versions = shaken
    version, (_, _, names) = versions[name], PARTLY[name]
    assert bench.do("lookup", "shaky.always", "--version", version).returncode == 0
    for symbol in names:
        answer = json.loads(bench.do("lookup", symbol, "--version", version, "--json").stdout)
        assert answer["status"] in ("present", "unknown"), f"{symbol} is said to be {answer['status']}"
        assert answer["status"] == "present" or answer["reason"]


def test_bad_releases_close_no_span(shaken: tuple[Bench, Done, dict[str, str]]) -> None:
    bench, _, versions = shaken
    (span,) = json.loads(bench.do("lookup", "shaky.always", "--json").stdout)["spans"]
    assert span["added"] == "1.0" and span["removed"] is None and span["last_seen"] == "9.0"
    # Gone when the first readable release comes without it; the failed ones in between leave it open when.
    (span,) = json.loads(bench.do("lookup", "shaky.early", "--json").stdout)["spans"]
    assert span["last_seen"] == "1.0"
    assert span["removed"] == versions[next(iter(PARTLY))]
    rows = json.loads(bench.do("sql", "SELECT * FROM changes WHERE project = 'shaky'", "--json").stdout)
    lost = {versions[name] for name in LOST}
    assert not [row for row in rows if row.get("version") in lost]


# the file


def foreign(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE mine AS SELECT 42 AS answer")


def newer(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE internal.meta SET value = '999' WHERE key = 'schema_version'")


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def scribbled(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for at in range(12_288, len(data), 997):
        data[at] ^= 0xFF
    path.write_bytes(bytes(data))


def text(path: Path) -> None:
    path.write_text("dear diary\n" * 1000)


def sqlite(path: Path) -> None:
    import sqlite3

    path.unlink()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE a (b)")
        connection.commit()


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "foreign": (lambda path: (path.unlink(), foreign(path)), "not a knowledge base"),
    "newer": (newer, "schema 999"),
    "half": (half, ""),
    "scribbled": (scribbled, ""),
    "text": (text, "not a knowledge base"),
    "empty": (lambda path: path.write_bytes(b""), ""),
    "sqlite": (sqlite, ""),
    "directory": (lambda path: (path.unlink(), path.mkdir()), "directory"),
}


@pytest.mark.parametrize("command", [["lookup", "calm.always"], ["list"], ["sql", "SELECT * FROM spans"],
                                     ["index", "calm"]], ids=lambda value: value[0])  # fmt: skip
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_is_no_knowledge_base(bench: Bench, damage: str, command: list[str]) -> None:
    spoil, words = DAMAGES[damage]
    spoil(bench.kb)
    before = None if bench.kb.is_dir() else digest(bench.kb)
    one_error(bench.do(*command), str(bench.kb), words, code=2)
    assert before is None or digest(bench.kb) == before, "somebody's file was changed"
    assert not [path for path in bench.folder.iterdir() if ".tmp" in path.name]


def test_a_bad_file_is_told_before_anything_is_fetched(bench: Bench, index: Any) -> None:
    text(bench.kb)
    one_error(bench.do("index", CALM, "other", "--refresh"), str(bench.kb), code=2)
    assert index.log == []


@contextlib.contextmanager
def mounted(folder: Path, size: int) -> Iterator[Callable[[], None]]:
    """A small file system at a folder, where that is allowed; gives what makes it read-only."""

    def mount(*args: str) -> bool:
        command = ["mount", *args, str(folder)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    if (
        os.geteuid() != 0
        or not shutil.which("mount")
        or not mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs")
    ):
        pytest.skip("a small file system can be mounted by root alone")
    try:
        yield lambda: None if mount("-o", "remount,ro") else pytest.skip("it cannot be made read-only")
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_no_space_for_the_new_file(bench: Bench, index: Any, tmp_path: Path) -> None:
    add_library(index, "other", 2)
    disk = tmp_path / "disk"
    disk.mkdir()
    room = bench.kb.stat().st_size
    with mounted(disk, room + room // 2):
        kb = disk / "kb.duckdb"
        shutil.copy(bench.kb, kb)
        before = digest(kb)
        done = bench.do("index", "other", "--jobs", "1", "--kb", str(kb))
        one_error(done, str(kb), "no space", code=2)
        assert digest(kb) == before
        assert [path.name for path in disk.iterdir() if ".tmp" in path.name] == []
        assert bench.do("lookup", "calm.always", "--kb", str(kb)).returncode == 0


def test_no_space_for_the_cache(bench: Bench, index: Any, tmp_path: Path) -> None:
    files = {
        f"large/m{n}.py": b"".join(b"def f%d_%d(a): ...\n" % (n, i) for i in range(800)) for n in range(10)
    }
    index.add("large-1.0-py3-none-any.whl", make_wheel({"large/__init__.py": b"", **files}, "large"))
    disk = tmp_path / "disk"
    disk.mkdir()
    before = digest(bench.kb)
    with mounted(disk, 200 * 1024):
        done = bench.do("index", "large", "--jobs", "1", "--cache", str(disk))
        one_error(done, str(disk), code=1)
        assert "Hint: " in done.stderr
    assert digest(bench.kb) == before


def test_a_limit_on_file_sizes_is_no_space_either(bench: Bench, index: Any) -> None:
    add_library(index, "other", 2)
    limit = bench.kb.stat().st_size // 2
    before = digest(bench.kb)
    done = bench.run(
        "index", "other", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )
    one_error(done, str(bench.folder), code=2)
    assert digest(bench.kb) == before
    assert not [path for path in bench.folder.iterdir() if ".tmp" in path.name]


def test_a_folder_that_cannot_be_written_to(bench: Bench, index: Any, tmp_path: Path) -> None:
    add_library(index, "other", 1)
    disk = tmp_path / "disk"
    disk.mkdir()
    with contextlib.ExitStack() as stack:
        if os.geteuid() == 0:
            protect = stack.enter_context(mounted(disk, 8 << 20))
        else:
            protect = lambda: disk.chmod(0o555)  # noqa: E731
            stack.callback(disk.chmod, 0o755)
        kb = disk / "kb.duckdb"
        shutil.copy(bench.kb, kb)
        protect()
        index.log.clear()
        one_error(bench.do("index", "other", "--jobs", "1", "--kb", str(kb)), str(kb), code=2)
        assert index.log == [], "it is told before the work is done, not after"
        assert bench.do("lookup", "calm.always", "--kb", str(kb)).returncode == 0, "reading never writes"
        one_error(bench.do("index", "other", "--cache", str(disk / "cache")), str(disk / "cache"), code=1)
        one_error(bench.do("export", str(disk / "out")), str(disk / "out"), code=2)


def test_a_folder_that_is_a_file(bench: Bench) -> None:
    file = bench.folder / "file"
    file.write_text("")
    one_error(bench.do("index", CALM, "--kb", str(file / "kb.duckdb")), str(file), code=2)
    one_error(bench.do("lookup", "calm.always", "--kb", str(file / "kb.duckdb")), str(file), code=2)
    one_error(bench.do("index", CALM, "--cache", str(file / "cache")), str(file), code=1)


@pytest.mark.parametrize("how", ["text", "half", "foreign", "directory"])
def test_a_cache_that_is_none(bench: Bench, index: Any, how: str) -> None:
    add_library(index, "other", 2)
    assert bench.do("index", CALM, "--refresh", "--jobs", "1").returncode == 0
    file = bench.cache / "facts.sqlite"
    before = content(bench.kb)
    if how == "text":
        file.write_text("dear diary\n" * 5000)
    elif how == "half":
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    elif how == "foreign":
        file.unlink()
        import sqlite3

        with contextlib.closing(sqlite3.connect(file)) as connection:
            connection.execute("CREATE TABLE facts (mine)")
            connection.commit()
    else:
        file.unlink()
        file.mkdir()
    done = bench.do("index", "other", "--jobs", "1")
    one_error(done, str(file), code=1)
    assert "delete it" in done.stderr
    assert content(bench.kb) == before
    shutil.rmtree(bench.cache)
    assert bench.do("index", "other", "--jobs", "1").returncode == 0


# words as weapons


@pytest.mark.parametrize(
    "word",
    [
        "calm'; DROP TABLE internal.projects; --",
        "calm.always' OR '1'='1",
        'calm."always"; ATTACH \'x.db\'; --',
        "calm.always\x00",
        "calm.always\x1b[31m",
        "%", "_", "*", "calm.%", "calm." + "a" * 100_000, "calm" + ".a" * 5000, "\u202ecalm", "\ud800",
    ],
    ids=range(13),
)  # fmt: skip
def test_words_that_mean_harm(bench: Bench, word: str) -> None:
    before = digest(bench.kb)
    calls = [
        ("lookup", word),
        ("lookup", "calm.always", "--version", word),
        ("lookup", "always", "--project", word),
        ("history", word),
        ("info", word),
        ("diff", word, "1.0", "1.1"),
        ("diff", "calm", "1.0", word),
        ("diff", "calm", "1.0", "1.1", "--symbol", word),
    ]
    for call in calls:
        done = bench.do(*call)
        assert done.returncode in (0, 1, 2, 3, 4), call
        assert done.returncode != 0 or call[0] in ("diff", "history"), call
        said = done.stderr + done.stdout
        assert "\x1b[31m" not in said and "\x00" not in said and "\u202e" not in said
        assert len([line for line in done.stderr.splitlines() if line.startswith("Error: ")]) <= 1
        assert "Parser Error" not in said and "Binder Error" not in said, said
    assert digest(bench.kb) == before
    assert sorted(path.name for path in bench.folder.iterdir()) == ["kb.duckdb"]


@pytest.mark.parametrize(
    "query",
    [
        "DROP VIEW spans",
        "DELETE FROM internal.projects",
        "CREATE TABLE mine (a INTEGER)",
        "ATTACH '{folder}/x.db'",
        "COPY (SELECT 1) TO '{folder}/x.csv'",
        "SELECT * FROM read_csv('{secret}')",
        "SELECT * FROM read_text('{secret}')",
        "SELECT * FROM '{secret}'",
        "SELECT * FROM glob('{folder}/*')",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PRAGMA database_list; SELECT 1",
        "SET enable_external_access = true",
        "SELECT 1; DROP VIEW spans",
        "EXPORT DATABASE '{folder}/x'",
        "CALL pragma_version(); SELECT 1",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{folder}/x.csv'",
        "SELECT getenv('PATH')",
        "SELECT",
        "nonsense",
        "",
        ";",
    ],
)
def test_sql_reads_the_knowledge_base_and_nothing_else(bench: Bench, query: str) -> None:
    secret = bench.folder / "secret.csv"
    secret.write_text("password\nhunter2\n")
    before = digest(bench.kb)
    for output in ([], ["--json"]):
        done = bench.do("sql", query.format(folder=bench.folder, secret=secret), *output)
        assert done.returncode == 2, done.stdout
        assert "hunter2" not in done.stdout + done.stderr
        assert "Error: " in done.stderr or '"error"' in done.stderr
    assert digest(bench.kb) == before
    assert sorted(path.name for path in bench.folder.iterdir()) == ["kb.duckdb", "secret.csv"]


def test_errors_under_json_are_objects(bench: Bench) -> None:
    for call, code in (
        (("lookup", "clam.always", "--json"), 4),
        (("lookup", "calm..x", "--json"), 2),
        (("lookup", "calm.always", "--version", "9.9", "--json"), 4),
        (("lookup", "calm.always", "--json", "--kb", str(bench.folder / "none")), 2),
        (("sql", "DROP VIEW spans", "--json"), 2),
    ):
        done = bench.do(*call)
        assert done.returncode == code and done.stdout == ""
        assert set(json.loads(done.stderr)) == {"error", "hint"}
