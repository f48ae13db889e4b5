"""The naive tool, for one release: download the artifact, unpack it, load it with griffe.

    python benchmarks/naive_release.py URL FILENAME PACKAGE... [--without-tests] [--faster] [--pip]

It is what somebody writes in an afternoon: a plain GET of the whole file, everything unpacked
to a folder, `griffe.load` with aliases resolved and nothing imported.  Prints an object with
the CPU seconds of the download and what came of each package.

griffe is the plain one that `pip install griffe` gives; `--faster` leaves it the fast path of
its extra, which apikb builds on.  `--pip` fetches wheels with `pip download`.  An sdist is
fetched plainly even then: pip would run its build.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

_TEST = re.compile(r"(^|/)(tests/|test_[^/]*\.pyi?$|[^/]*_test\.pyi?$|conftest\.py$)")
"""The rule by which apikb leaves test suites out."""


def download(url: str, target: Path) -> int:
    """Fetch a file whole; the bytes that came."""
    import urllib3

    proxy = urllib.request.getproxies().get(url.partition(":")[0])
    with urllib3.ProxyManager(proxy) if proxy else urllib3.PoolManager() as pool, target.open("wb") as sink:
        answer = pool.request("GET", url, preload_content=False, timeout=60.0, retries=3)
        if answer.status != 200:
            raise OSError(f"status {answer.status}")
        shutil.copyfileobj(answer, sink, 1 << 20)
        answer.release_conn()
    return target.stat().st_size


def pip_download(url: str, folder: Path) -> int:
    """Fetch a wheel as people do."""
    options = ["--quiet", "--no-deps", "--no-cache-dir", "--dest", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "download", *options, url], check=True, stdout=sys.stderr)
    return sum(file.stat().st_size for file in folder.iterdir())


def cpu() -> float:
    """CPU seconds of this process and of those that it waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def unpack(archive: Path, folder: Path, *, tests: bool) -> None:
    """Unpack a wheel or an sdist, with or without its test suites."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder, [name for name in opened.namelist() if tests or not _TEST.search(name)])
        return
    with tarfile.open(archive) as opened:
        members = (member for member in opened if tests or not _TEST.search(member.name))
        opened.extractall(folder, members, filter="data")


def places(folder: Path, package: str) -> Iterator[Path]:
    """Where a package may lie: at the top (wheel), below the sdist's own folder, in its src or lib."""
    for pattern in (".", "*", "*/src", "*/lib", "src"):
        for base in sorted(folder.glob(pattern)) if pattern != "." else [folder]:
            if (base / package / "__init__.py").is_file() or (base / f"{package}.py").is_file():
                yield base


def load(folder: Path, package: str) -> str | None:
    """Load a package with all its aliases; what went wrong, or None."""
    import griffe

    base = next(places(folder, package), None)
    if base is None:
        return "not found"
    try:
        griffe.load(
            package,
            search_paths=[base],
            allow_inspection=False,
            resolve_aliases=True,
            resolve_external=False,
        )
    except Exception as error:  # whatever griffe raises is a release that the naive tool loses
        return f"{type(error).__name__}: {error}"[:200]
    return None


def main() -> None:
    """Handle one release."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("url")
    arguments.add_argument("filename")
    arguments.add_argument("packages", nargs="+")
    for option in ("--without-tests", "--faster", "--pip"):
        arguments.add_argument(option, action="store_true")
    given = arguments.parse_args()
    if not given.faster:
        sys.modules["prune_source"] = None  # type: ignore[assignment]
    with tempfile.TemporaryDirectory(prefix="apikb-naive-") as name:
        archive, folder = Path(name, given.filename), Path(name, "unpacked")
        started = cpu()
        by_pip = given.pip and given.filename.endswith(".whl")
        fetched = pip_download(given.url, archive.parent) if by_pip else download(given.url, archive)
        downloading = cpu() - started
        folder.mkdir()
        unpack(archive, folder, tests=not given.without_tests)
        found = {package: load(folder, package) for package in given.packages}
    # A package that another release brings is no failure of this one.
    wrong = {package: reason for package, reason in found.items() if reason and reason != "not found"}
    if not wrong and set(found.values()) == {"not found"}:
        wrong = dict.fromkeys(found, "no package found")
    json.dump({"download_cpu": downloading, "fetched": fetched, "wrong": wrong}, sys.stdout)


if __name__ == "__main__":
    main()
