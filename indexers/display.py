"""What a person sees while projects are indexed: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..kb.progress import Progress
from ..kb.text import one_line, size_text, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

    from .pipeline import ProjectSummary


@dataclass(slots=True)
class _Counts:
    project: str = ""
    releases: int = 0
    done: int = 0
    failed: int = 0
    skipped: int = 0
    fetched: int = 0
    parsed: int = 0
    reused: int = 0

    def __str__(self) -> str:
        text = f"{size_text(self.fetched)} fetched, {self.parsed} files parsed, {self.reused} reused"
        if self.skipped:
            text += f", {self.skipped} skipped"
        return f"{text}, {self.failed} failed" if self.failed else text


class _Display:
    """Counts what is reported; a subclass shows it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.counts = _Counts()

    def project_started(self, project: str, releases: int) -> None:
        with self._lock:
            self.counts = _Counts(visible(project), releases)
            self._started()

    def release_done(self, project: str, version: str, status: str, reason: str | None) -> None:
        with self._lock:
            self.counts.done += 1
            self.counts.failed += status == "failed"
            self.counts.skipped += status == "skipped"
            if status == "failed":
                self._say(
                    f"{visible(project)} {visible(version)} failed: {one_line(reason or 'no reason given')}"
                )
            self._changed()

    def bytes_fetched(self, count: int) -> None:
        with self._lock:
            self.counts.fetched += count
            self._changed()

    def files(self, *, parsed: int = 0, reused: int = 0) -> None:
        with self._lock:
            self.counts.parsed += parsed
            self.counts.reused += reused
            self._changed()

    def note(self, message: str) -> None:
        with self._lock:
            self._say(one_line(message))

    def _started(self) -> None: ...

    def _changed(self) -> None: ...

    def _say(self, line: str) -> None: ...


class PlainDisplay(_Display):
    """A line when a project starts, then one every few seconds while something happens."""

    def __init__(self, say: Callable[[str], None], *, every: float = 5.0) -> None:
        super().__init__()
        self._print = say
        self._every = every
        self._next = 0.0

    def _started(self) -> None:
        self._next = time.monotonic() + self._every
        self._say(f"{self.counts.project}: {self.counts.releases} releases")

    def _changed(self) -> None:
        now, counts = time.monotonic(), self.counts
        if now >= self._next and counts.project:
            self._next = now + self._every
            self._say(f"{counts.project}: {counts.done} of {counts.releases} releases, {counts}")

    def _say(self, line: str) -> None:
        self._print(line)


class RichDisplay(_Display):
    """A bar a project, kept on the screen when it is done."""

    def __init__(self, console: Console) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        super().__init__()
        self._console = console
        self.bars = Bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[counts]}", markup=False),
            TimeElapsedColumn(),
            console=console,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task: TaskID | None = None

    def _started(self) -> None:
        counts = self.counts
        self._task = self.bars.add_task(counts.project, total=counts.releases, counts=str(counts))

    def _changed(self) -> None:
        if self._task is not None:
            self.bars.update(self._task, completed=self.counts.done, counts=str(self.counts))

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False)


@contextmanager
def display() -> Iterator[Progress]:
    """The display that suits stderr."""
    if not sys.stderr.isatty():
        yield PlainDisplay(lambda line: print(line, file=sys.stderr, flush=True))
        return
    from rich.console import Console

    shown = RichDisplay(Console(stderr=True))
    with shown.bars:
        yield shown


def summary_lines(summary: ProjectSummary) -> Iterator[str]:
    """What became of a project, and of every release of it that could not be read."""
    name = visible(summary.project)
    counts = f"{summary.indexed} of {summary.releases_total} releases"
    if summary.error is not None:
        pass
    elif summary.unchanged:
        yield f"{name}: nothing new; {counts} are indexed"
    else:
        total = f" of {size_text(summary.artifact_bytes)}" if summary.artifact_bytes else ""
        yield (
            f"{name}: {counts} indexed, {len(summary.skipped)} skipped, {len(summary.failed)} failed; "
            f"{size_text(summary.fetched_bytes)}{total} fetched, {summary.files_parsed} files parsed, "
            f"{summary.files_reused} reused, {summary.seconds:.1f} s ({summary.cpu_seconds:.1f} s of CPU)"
        )
    for note in summary.notes:
        yield f"  note: {one_line(note)}"
    for word, releases in (("skipped", summary.skipped), ("failed", summary.failed)):
        for version, reason in releases:
            yield f"  {word} {visible(version)}: {one_line(reason)}"
