"""What the benchmarks share: CPU and memory of whole process trees, medians, tables.

Run by itself it checks its own figures against a tree of processes whose cost is known.

CPU.  `apikb index` works in the children of a fork server, which nobody waits for when the
command ends: `RUSAGE_CHILDREN` of a caller misses them, and so does `time`.  Here the
benchmark makes itself a *child subreaper* (Linux): every orphan below it becomes its own
child, is waited for, and `wait4` then tells its exact user and system time.

Memory.  The high-water mark of each process and the sum over all that live at one moment,
polled from /proc.  Pages that processes share count once for each of them, so that the sum is
an upper bound.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import multiprocessing
import os
import py_compile
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

PARTS = ("kb", "indexers", "retrieval", "rag_eval")
APIKB = Path(sys.executable).with_name("apikb")
_PR_SET_CHILD_SUBREAPER = 36
_TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_POLL_SECONDS = 0.05


@dataclass(slots=True)
class Cost:
    """What a command cost with everything that it started.  Seconds and bytes."""

    exit_code: int = 0
    wall: float = 0.0
    user: float = 0.0
    system: float = 0.0
    main_peak: int = 0
    worker_peak: int = 0
    sum_peak: int = 0
    main_cpu: float = 0.0
    """What `time` would tell: the command and what it waited for."""
    polled_cpu: float = 0.0
    """The same CPU time as the poller saw it last: a check, always a little less."""
    processes: int = 0

    @property
    def cpu(self) -> float:
        return self.user + self.system


def run(
    command: Sequence[str | Path],
    *,
    environment: Mapping[str, str] | None = None,
    output: Path | None = None,
    timeout: float | None = None,
) -> Cost:
    """Run a command to the end of its last descendant.  `output` takes what it prints."""
    _become_subreaper()
    cost = Cost()
    with (output or Path(os.devnull)).open("wb") as sink:
        started = time.perf_counter()
        child = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
            start_new_session=True,
        )
        watch = _Watch(child.pid)
        alarm = threading.Timer(timeout, _kill, [child.pid]) if timeout else None
        if alarm:
            alarm.start()
        try:
            _reap(child, cost, started)
        except BaseException:
            _kill(child.pid)
            raise
        finally:
            watch.stop()
            if alarm:
                alarm.cancel()
    cost.main_peak = watch.peaks.get(child.pid, 0)
    cost.worker_peak = max((peak for pid, peak in watch.peaks.items() if pid != child.pid), default=0)
    cost.sum_peak, cost.polled_cpu = watch.sum_peak, sum(watch.cpu.values())
    cost.processes = len(watch.peaks)
    return cost


def _become_subreaper() -> None:
    if sys.platform != "linux":
        raise SystemExit("These benchmarks need Linux: /proc, and prctl(PR_SET_CHILD_SUBREAPER).")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def _reap(child: subprocess.Popen[bytes], cost: Cost, started: float) -> None:
    """Wait until no child is left; each brings the time of all that it waited for itself."""
    while True:
        try:
            pid, status, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return
        cost.user += usage.ru_utime
        cost.system += usage.ru_stime
        if pid == child.pid:
            cost.wall = time.perf_counter() - started
            cost.main_cpu = usage.ru_utime + usage.ru_stime
            cost.exit_code = child.returncode = os.waitstatus_to_exitcode(status)


def _kill(session: int) -> None:
    for pid in _session(session):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _session(session: int) -> list[int]:
    """The live processes of a session: orphans stay in it."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if _sid(pid) == session]


def _sid(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except (ProcessLookupError, PermissionError):
        return None


@dataclass(slots=True)
class _Watch:
    """Polls /proc for the processes of a session, in a thread."""

    session: int
    peaks: dict[int, int] = field(default_factory=dict)
    cpu: dict[int, float] = field(default_factory=dict)
    sum_peak: int = 0
    _done: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._poll, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._done.set()
        self._thread.join()

    def _poll(self) -> None:
        while not self._done.wait(_POLL_SECONDS):
            total = 0
            for pid in _session(self.session):
                try:
                    status = Path(f"/proc/{pid}/status").read_text()
                    stat = Path(f"/proc/{pid}/stat").read_text()
                except OSError:
                    continue
                # The numbers come after the name, which may hold anything.
                fields = stat.rpartition(")")[2].split()
                self.cpu[pid] = (int(fields[11]) + int(fields[12])) / _TICK
                self.peaks[pid] = max(self.peaks.get(pid, 0), _kilobytes(status, "VmHWM:"))
                total += _kilobytes(status, "VmRSS:")
            self.sum_peak = max(self.sum_peak, total)


def _kilobytes(status: str, name: str) -> int:
    _, found, rest = status.partition(name)
    return int(rest.split(None, 1)[0]) * 1024 if found else 0


def work_folder(name: str) -> tempfile.TemporaryDirectory[str]:
    """A folder for one run; TMPDIR says where."""
    return tempfile.TemporaryDirectory(prefix=f"apikb-{name}-")


def tail(output: Path, lines: int = 15) -> str:
    """The last lines of what a command printed."""
    return "\n".join(output.read_text(errors="replace").splitlines()[-lines:])


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that is not below `share` of all of them."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def size(count: float) -> str:
    """Bytes in decimal units.

    >>> size(1_500_000)
    '1.5 MB'
    """
    for unit in ("B", "kB", "MB"):
        if abs(count) < 1000:
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.2f} GB"


def verdict(good: bool | None) -> str:
    """How a goal came out; None where this run cannot tell."""
    return "-" if good is None else "met" if good else "MISSED"


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table: the first column is text, the others are figures."""
    cells = [list(columns), *([str(value) for value in row] for row in rows)]
    widths = [max(len(row[number]) for row in cells) for number in range(len(columns))]
    for number, row in enumerate(cells):
        first, *rest = (
            cell.ljust(width) if not at else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join((first, *rest)).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))


def compile_package() -> None:
    """Compile apikb to bytecode, as pip does when it installs.

    An editable install leaves that to the first import, and PYTHONDONTWRITEBYTECODE forbids it
    to: every process, every worker, would then compile all over again.
    """
    found = importlib.util.find_spec("apikb")
    if found is None or found.origin is None:
        raise SystemExit("apikb is not installed in this Python.")
    root = Path(found.origin).parent
    for file in [*root.glob("*.py"), *(file for part in PARTS for file in (root / part).rglob("*.py"))]:
        py_compile.compile(str(file), doraise=True)


def machine() -> str:
    """What a figure must be read with."""
    load = os.getloadavg()[0]
    return f"Python {sys.version.split()[0]}, {os.cpu_count()} processors, load {load:.2f} at the start"


# ---- the check of the figures themselves

_BURN = 0.6


def _burn(seconds: float = _BURN) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def _tree() -> None:
    """Burns in this process, in two that a fork server makes, and in an orphan."""
    context = multiprocessing.get_context("forkserver")
    workers = [context.Process(target=_burn) for _ in range(2)]
    for worker in workers:
        worker.start()
    if os.fork() == 0:
        if os.fork() == 0:
            _burn()
        os._exit(0)
    held = bytearray(b"x") * 60_000_000
    _burn()
    for worker in workers:
        worker.join()
    print(json.dumps(len(held)))


def _check() -> None:
    bare, costs = [], []
    for _ in range(3):
        bare.append(run([sys.executable, "-c", "import multiprocessing"]).cpu)
        costs.append(run([sys.executable, __file__, "tree"]))
    burnt, start = 4 * _BURN, median(bare)
    cpu = median(cost.cpu for cost in costs)
    polled = median(cost.polled_cpu for cost in costs)
    main = median(cost.main_cpu for cost in costs)
    peak, other, seen = costs[0].main_peak, costs[0].worker_peak, costs[0].processes
    # The main process, the fork server and its tracker each start a Python besides.
    most = 1.1 * burnt + 8 * start
    rows = [
        ("CPU seconds", f"{burnt:.2f} to {most:.2f}", f"{cpu:.2f}", burnt <= cpu <= most),
        ("  polled from /proc", "at most 15 % less", f"{polled:.2f}", 0.85 * cpu <= polled <= 1.05 * cpu),
        ("  as `time` sees it", f"about {_BURN:.2f}: only the main one", f"{main:.2f}", None),
        ("peak of the main process", "60 MB and a Python", size(peak), 60e6 <= peak <= 100e6),
        ("peak of the others", "a Python", size(other), other < 40e6),
        ("processes seen", "6 or 7", seen, seen in (6, 7)),
    ]
    print_table(
        ("a tree of known cost", "expected", "measured", ""), [(*row[:3], verdict(row[3])) for row in rows]
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["tree"]:
        _tree()
    else:
        _check()
