"""Runs of `apikb index` that are killed, interrupted or side by side, with readers on the file meanwhile."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from apikb.kb.lookup import KnowledgeBase

sys.path.insert(0, str(Path(__file__).parent))
from support import Content, Place, add_library, content, projects_of, serving

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="counts processes in /proc")

BEFORE = "base"
"""A project that was indexed before; no killed run may harm it."""
PROJECTS = [f"lib{letter}" for letter in "abcd"]
GROWN = PROJECTS[0]
"""Was indexed before as well, when it had fewer releases."""
RELEASES = 4
SEED = 20240229
MOMENTS = [0.18 + 0.08 * n for n in range(10)]
"""When to kill, in parts of an undisturbed run; shaken by the seed."""


@pytest.fixture(scope="module")
def index() -> Iterator[Any]:
    """Every project with a handful of releases."""
    with serving() as server:
        add_library(server, BEFORE, 3)
        for project in PROJECTS:
            add_library(server, project, RELEASES)
        yield server


@pytest.fixture(scope="module")
def start(index: Any, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """What was there before: `base`, and the first releases of one of the projects."""
    place = Place(tmp_path_factory.mktemp("start"), index.url)
    assert place.run("index", BEFORE, GROWN, "--versions", "<1.3").returncode == 0
    return place


@pytest.fixture(scope="module")
def undisturbed(start: Place, tmp_path_factory: pytest.TempPathFactory) -> tuple[Content, float]:
    """The content that a run nobody disturbs leaves, and how long it takes."""
    place = copy_of(start, tmp_path_factory.mktemp("undisturbed"))
    started = time.monotonic()
    run = place.run("index", *PROJECTS, eager=True)
    assert run.returncode == 0, run.stderr
    return content(place.kb), time.monotonic() - started


def copy_of(place: Place, folder: Path) -> Place:
    """The same file (its cache not) in a folder of its own."""
    shutil.copy(place.kb, folder / "kb.duckdb")
    return Place(folder, place.index_url)


def of(whole: Content, project: str) -> Content:
    """What content tells of one project."""
    return {view: [row for row in rows if row.startswith(f"({project!r},")] for view, rows in whole.items()}


def members(session: int) -> list[int]:
    """The processes of a session that are alive."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] not in "ZX":
                found.append(int(entry.name))
    return found


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


class Readers:
    """One that opens the file for every look-up, and one that keeps it open; neither may ever fail."""

    def __init__(self, kb: Path) -> None:
        self.kb = kb
        self.stop = threading.Event()
        self.errors: list[BaseException] = []
        self.counts = {"opening": 0, "keeping": 0}
        self.threads = [threading.Thread(target=self.guard, args=(n,)) for n in self.counts]

    def guard(self, name: str) -> None:
        try:
            {"opening": self.opening, "keeping": self.keeping}[name]()
        except BaseException as error:
            self.errors.append(error)

    def opening(self) -> None:
        while not self.stop.is_set():
            with KnowledgeBase.open(self.kb) as kb:
                self.ask(kb)
            self.counts["opening"] += 1
            time.sleep(0.02)

    def keeping(self) -> None:
        with KnowledgeBase.open(self.kb) as kb:
            while not self.stop.is_set():
                self.ask(kb)
                self.counts["keeping"] += 1
                time.sleep(0.005)

    @staticmethod
    def ask(kb: KnowledgeBase) -> None:
        answer: Any = kb.lookup(f"{BEFORE}.core.born1", version="1.1")
        assert answer.status == "present" and answer.spans[0].added == "1.1"
        answer = kb.lookup(f"{GROWN}.Gone2", version="1.2")
        assert answer.status == "absent" and answer.spans[0].removed == "1.2"


@contextmanager
def readers(kb: Path) -> Iterator[Readers]:
    """Both readers, until the block ends; then they must have read, and never failed."""
    made = Readers(kb)
    for thread in made.threads:
        thread.start()
    try:
        yield made
    finally:
        made.stop.set()
        for thread in made.threads:
            thread.join(30)
    assert not made.errors
    assert all(made.counts.values()), made.counts


def check_whole(place: Place, truth: Content, before: Content) -> set[str]:
    """The file opens, and each project is what it was before or what it shall be; answers the latter."""
    found = content(place.kb)
    new = set()
    for project in projects_of(place.kb):
        own = of(found, project)
        if own == of(truth, project):
            new.add(project)
        else:
            assert own == of(before, project), f"{project} is neither what it was nor what it shall be"
    return new


def leftovers(folder: Path) -> list[str]:
    """Files that no finished run should leave."""
    known = {"kb.duckdb", "kb.duckdb.lock", "cache", "facts.sqlite"}
    return [str(path) for path in folder.rglob("*") if path.name not in known]


@pytest.mark.parametrize("number", range(len(MOMENTS)))
def test_killed_at_any_moment(
    number: int, start: Place, undisturbed: tuple[Content, float], tmp_path: Path
) -> None:
    truth, seconds = undisturbed
    moment = (MOMENTS[number] + random.Random(SEED + number).uniform(0, 0.08)) * seconds
    place = copy_of(start, tmp_path)
    before = content(place.kb)
    only_main = number % 2 == 1
    with readers(place.kb):
        run = place.start("index", *PROJECTS, eager=True)
        time.sleep(moment)
        (os.kill if only_main else os.killpg)(run.pid, signal.SIGKILL)
        run.communicate(timeout=30)
        assert wait_until(lambda: not members(run.pid)), "workers outlive their killed parent"
        check_whole(place, truth, before)
        again = place.run("index", *PROJECTS, eager=True)
    assert again.returncode == 0, again.stderr
    assert "Traceback" not in again.stderr
    assert content(place.kb) == truth
    assert leftovers(tmp_path) == []


def test_killed_while_publishing_leaves_nothing_behind(
    start: Place, undisturbed: tuple[Content, float], tmp_path: Path
) -> None:
    # Stopped for certain between the writing of the new file and its renaming.
    place = copy_of(start, tmp_path)
    before = content(place.kb)
    held = (
        "import os, signal, apikb.kb.atomic as a; "
        "a.replace_file = lambda *paths: os.kill(os.getpid(), signal.SIGKILL); "
        "from apikb.cli import main; main()"
    )
    run = subprocess.run(
        [sys.executable, "-c", held, "index", PROJECTS[1]],
        env=place.environment(), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert run.returncode == -signal.SIGKILL, run.stderr
    assert leftovers(tmp_path), "the new file was to be there"
    assert content(place.kb) == before
    again = place.run("index", *PROJECTS)
    assert again.returncode == 0, again.stderr
    assert content(place.kb) == undisturbed[0]
    assert leftovers(tmp_path) == []


def test_killed_runs_resume_from_what_was_extracted(start: Place, index: Any, tmp_path: Path) -> None:
    # Killed when everything is read and nothing is published: the next run fetches the pages alone.
    place = copy_of(start, tmp_path)
    held = (
        "import os, signal, apikb.indexers.pipeline as p; "
        "p.publish = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL); "
        "from apikb.cli import main; main()"
    )
    run = subprocess.run(
        [sys.executable, "-c", held, "index", *PROJECTS[1:3]],
        env=place.environment(), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert run.returncode == -signal.SIGKILL, run.stderr
    index.log.clear()
    again = place.run("index", *PROJECTS[1:3])
    assert again.returncode == 0, again.stderr
    assert sorted(path for path, _ in index.log) == [f"/simple/{name}/" for name in PROJECTS[1:3]]


def test_a_reader_does_not_hold_the_writer_up(
    start: Place, undisturbed: tuple[Content, float], tmp_path: Path
) -> None:
    truth, _ = undisturbed
    place = copy_of(start, tmp_path)
    with readers(place.kb), KnowledgeBase.open(place.kb) as untouched:
        run = place.run("index", *PROJECTS, eager=True)
        assert run.returncode == 0, run.stderr
        assert "waiting" not in run.stderr
        # Not asked until now: it follows to the newest file.
        assert untouched.lookup(f"{PROJECTS[3]}.core.always").status == "present"  # type: ignore[union-attr]
    assert content(place.kb) == truth


def test_a_reader_on_the_file_keeps_its_old_consistent_content(start: Place, tmp_path: Path) -> None:
    from apikb.kb.store import open_reader

    place = copy_of(start, tmp_path)
    connection = open_reader(place.kb)
    try:
        count = connection.execute("SELECT count(*) FROM spans").fetchall()
        run = place.run("index", *PROJECTS[:2])
        assert run.returncode == 0, run.stderr
        assert connection.execute("SELECT count(*) FROM spans").fetchall() == count
        assert projects_of(place.kb) == {BEFORE, *PROJECTS[:2]}
    finally:
        connection.close()


def both(place: Place, first: list[str], second: list[str]) -> list[tuple[int, str]]:
    """Two commands at once; their exit codes, and what they said."""
    runs = [place.start(*arguments, eager=True) for arguments in (first, second)]
    said = [run.communicate(timeout=90) for run in runs]
    return [(run.returncode, out + error) for run, (out, error) in zip(runs, said, strict=True)]


def test_two_runs_at_once_on_different_projects(
    start: Place, undisturbed: tuple[Content, float], tmp_path: Path
) -> None:
    place = copy_of(start, tmp_path)
    with readers(place.kb):
        found = both(place, ["index", *PROJECTS[:2]], ["index", *PROJECTS[2:]])
    assert [code for code, _ in found] == [0, 0], found
    assert content(place.kb) == undisturbed[0]


def test_two_runs_at_once_on_the_same_projects(
    start: Place, undisturbed: tuple[Content, float], tmp_path: Path
) -> None:
    place = copy_of(start, tmp_path)
    found = both(place, ["index", *PROJECTS], ["index", *PROJECTS])
    assert [code for code, _ in found] == [0, 0], found
    assert content(place.kb) == undisturbed[0]


def test_two_runs_at_once_on_different_releases_of_one_project(
    start: Place, undisturbed: tuple[Content, float], tmp_path: Path
) -> None:
    # Either may be the one that publishes last; neither may take the other's releases away.
    place = copy_of(start, tmp_path)
    name = PROJECTS[2]
    found = both(place, ["index", name, "--versions", "<1.3"], ["index", name, "--versions", ">=1.3"])
    assert [code for code, _ in found] == [0, 0], found
    assert of(content(place.kb), name) == of(undisturbed[0], name)


def test_two_first_runs_at_once(index: Any, undisturbed: tuple[Content, float], tmp_path: Path) -> None:
    # Neither the file nor the cache exists yet.
    place = Place(tmp_path, index.url)
    found = both(place, ["index", BEFORE, *PROJECTS[:1]], ["index", *PROJECTS[1:]])
    assert [code for code, _ in found] == [0, 0], found
    for project in PROJECTS:
        assert of(content(place.kb), project) == of(undisturbed[0], project)


def test_a_run_that_waits_says_for_whom(start: Place, tmp_path: Path) -> None:
    from apikb.kb.lock import WriterLock

    place = copy_of(start, tmp_path)
    with WriterLock(place.kb):
        run = place.start("index", PROJECTS[1])
        said = ""
        assert run.stderr is not None
        for line in run.stderr:
            said += line
            if "waiting" in line:
                break
    _, rest = run.communicate(timeout=30)
    assert f"waiting for process {os.getpid()} on " in said, said + rest
    assert run.returncode == 0, said + rest


@pytest.mark.parametrize("to_all", [False, True], ids=["the process", "its group, as a terminal does"])
def test_ctrl_c_keeps_finished_projects(
    to_all: bool, start: Place, undisturbed: tuple[Content, float], tmp_path: Path, index: Any
) -> None:
    truth, _ = undisturbed
    place = copy_of(start, tmp_path)
    index.drip = 0.0
    run = place.start("index", *PROJECTS)  # not eager: what is finished waits to be published
    assert run.stderr is not None
    said = ""
    for line in run.stderr:
        said += line
        if line.startswith(f"{PROJECTS[2]}: "):
            break
    (os.killpg if to_all else os.kill)(run.pid, signal.SIGINT)
    _, rest = run.communicate(timeout=30)
    said += rest
    assert run.returncode == 130, said
    assert "Traceback" not in said
    assert "Interrupted." in said and "kept" in said
    assert wait_until(lambda: not members(run.pid))
    kept = check_whole(place, truth, content(start.kb))
    assert set(PROJECTS[:2]) <= kept, "what was finished is lost"
    again = place.run("index", *PROJECTS)
    assert again.returncode == 0, again.stderr
    assert content(place.kb) == truth
    assert leftovers(tmp_path) == []


def test_sigterm_leaves_the_file_whole(
    start: Place, undisturbed: tuple[Content, float], tmp_path: Path
) -> None:
    truth, seconds = undisturbed
    place = copy_of(start, tmp_path)
    run = place.start("index", *PROJECTS, eager=True)
    time.sleep(seconds * 0.6)
    os.kill(run.pid, signal.SIGTERM)
    run.communicate(timeout=30)
    assert wait_until(lambda: not members(run.pid)), "workers outlive their parent"
    check_whole(place, truth, content(start.kb))


def test_a_killed_worker_costs_its_task_and_never_the_run(
    start: Place, undisturbed: tuple[Content, float], tmp_path: Path
) -> None:
    # As the kernel does when memory is short: any worker, at any moment, idle ones too.
    truth, seconds = undisturbed
    place = copy_of(start, tmp_path)
    run = place.start("index", *PROJECTS, "--jobs", "2", eager=True)
    chance = random.Random(SEED)
    until = time.monotonic() + seconds * 1.5
    killed = 0
    while time.monotonic() < until and run.poll() is None:
        # Workers of tiny projects live for moments: look often until there is one.
        time.sleep(0.002)
        workers = [pid for pid in members(run.pid) if is_worker(pid, run.pid)]
        if workers:
            # It may end by itself between the look and the shot.
            with contextlib.suppress(ProcessLookupError):
                os.kill(chance.choice(workers), signal.SIGKILL)
                killed += 1
            time.sleep(chance.uniform(0.05, 0.3))
    out, error = run.communicate(timeout=60)
    assert killed
    assert "Traceback" not in error
    assert run.returncode == 0, error
    # A file that was being parsed when its worker was killed, twice, is unknown: refreshing reads it.
    again = place.run("index", *PROJECTS, "--refresh")
    assert again.returncode == 0, out + again.stderr
    assert content(place.kb) == truth


def is_worker(pid: int, main: int) -> bool:
    """True for what the fork server made: its parent is neither the run nor anybody outside."""
    try:
        parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        return pid != main and parent != main and parent in members(main)
    except OSError:
        return False


def test_killed_right_after_a_publish_leaves_nothing_behind(
    start: Place, undisturbed: tuple[Content, float], tmp_path: Path
) -> None:
    # The next run finds nothing new, so it publishes nothing, and would clear nothing away.
    place = copy_of(start, tmp_path)
    held = (
        "import os, signal, apikb.kb.atomic as a\n"
        "replace = a.replace_file\n"
        "a.replace_file = lambda *paths: (replace(*paths), os.kill(os.getpid(), signal.SIGKILL))\n"
        "from apikb.cli import main; main()"
    )
    run = subprocess.run(
        [sys.executable, "-c", held, "index", *PROJECTS],
        env=place.environment(), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert run.returncode == -signal.SIGKILL, run.stderr
    assert not [path for path in leftovers(tmp_path) if ".kb.duckdb." in path]
    assert content(place.kb) == undisturbed[0]
