"""Worker processes with a time and memory bound: what kills one costs one task, never the run.

Each process has a pipe of its own, and a thread that waits at its other end.  A process
that is killed, idle or busy, takes nothing with it that others share.  (The pools of
`concurrent.futures` and pebble share queues and locks: the death of an idle process, as
the kernel decides when memory is short, breaks them as a whole.)
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeout
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..kb.errors import ApikbError

TASK_SECONDS = 300.0
"""No real file or release takes a tenth of this."""
_TASKS = f"{__package__}.tasks"
"""What workers are forked with.  The main process can do without, and is spared loading it."""
_FAREWELL_SECONDS = 5.0
"""How long a process may take to end when nothing is left to do."""

_Task = tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]
_Rest = threading.Barrier
"""In place of a task: end the process, and take no second one of these."""


class TaskFailed(Exception):
    """A task killed its worker, ran out of time or memory, or raised."""


class _Died(Exception):
    """The process ended in the middle of a task."""


class Workers:
    """A pool of processes that share the cache.  They are started when there is something to do."""

    def __init__(self, jobs: int, cache_path: Path) -> None:
        self.jobs = jobs
        self._cache_path = cache_path
        self._tasks: queue.SimpleQueue[_Task | _Rest | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._running: set[_Process] = set()
        self._closed = self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._closed = True
            self._stopped = kind is not None
            for process in self._running if self._stopped else ():
                process.kill()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Run a function of `tasks` in a worker."""
        future: Future[Any] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("the workers were told to end")
            if len(self._threads) < self.jobs:
                thread = threading.Thread(target=self._serve, name="worker", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._tasks.put((future, function, arguments))
        return future

    def rest(self) -> None:
        """End the processes once their tasks are done, to free memory; the next task starts new ones."""
        with self._lock:
            together = threading.Barrier(len(self._threads)) if self._threads else None
            for _ in self._threads:
                self._tasks.put(together)

    def _serve(self) -> None:
        """Give tasks to one process after another, as long as there are any."""
        process: _Process | None = None
        while (task := self._tasks.get()) is not None:
            if isinstance(task, _Rest):
                self._end(process)
                process = None
                with contextlib.suppress(threading.BrokenBarrierError):
                    task.wait(_FAREWELL_SECONDS)
                continue
            future, function, arguments = task
            if self._stopped:
                future.cancel()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                if process is None or not process.is_idle():
                    self._end(process)
                    process = self._begin()
                future.set_result(process.run(function, arguments))
            except BaseException as error:
                # What could not do one task is not trusted with the next.
                self._end(process)
                process = None
                future.set_exception(error)
        self._end(process)

    def _begin(self) -> _Process:
        process = _Process(self._cache_path)
        with self._lock:
            self._running.add(process)
            if self._stopped:
                process.kill()
        return process

    def _end(self, process: _Process | None) -> None:
        if process is not None:
            process.end()
            with self._lock:
                self._running.discard(process)


class _Process:
    """One process and our end of its pipe.  Used by one thread; any may kill it."""

    def __init__(self, cache_path: Path) -> None:
        # Not `fork`: the threads of the index client hold locks that a forked child would wait for forever.
        context = multiprocessing.get_context("forkserver")
        with _deaf_to_ctrl_c():
            context.set_forkserver_preload([__name__, _TASKS])
            forkserver.ensure_running()
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, str(cache_path)), daemon=True)
        with theirs:
            self._process.start()

    def is_idle(self) -> bool:
        """True where it waits for a task; False where it has died since the last one."""
        return not self._pipe.poll()

    def run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Have a task done.  Raises what the task raises, `_Died`, or a timeout."""
        try:
            self._pipe.send((function, arguments))
            if not self._pipe.poll(TASK_SECONDS):
                self.kill()
                raise FutureTimeout
            done, result = self._pipe.recv()
        except (EOFError, ConnectionError) as error:
            self._process.join(_FAREWELL_SECONDS)
            raise _Died(f"exit code {self._process.exitcode}") from error
        if not done:
            raise result
        return result

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self._process.kill()

    def end(self) -> None:
        """Let it end, which it does when its pipe is closed, and wait until it has."""
        self._pipe.close()
        self._process.join(_FAREWELL_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


@contextlib.contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """What is started here never sees the Ctrl-C that a terminal sends to all: its parent tells it to end."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection, cache_path: str) -> None:
    """The life of a worker process: it ends when its parent does, since that closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from .tasks import start_worker

    fault: Exception | None = None
    try:
        start_worker(cache_path)
    except Exception as error:
        fault = error
    while True:
        try:
            function, arguments = pipe.recv()
        except (EOFError, ConnectionError):
            return
        except BaseException:
            os._exit(1)  # half a message was read: nothing that follows could be understood
        outcome = (False, fault) if fault is not None else _outcome(function, arguments)
        try:
            pipe.send(outcome)
        except (ConnectionError, BrokenPipeError):
            return
        except Exception as error:
            pipe.send((False, RuntimeError(f"its result cannot be sent: {error}")))


def _outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    try:
        return True, function(*arguments)
    except Exception as error:
        return False, error


def result_of(future: Future[Any]) -> Any:
    """A task's result; raises `TaskFailed` with the reason."""
    try:
        return future.result()
    except _Died as error:
        raise TaskFailed(f"the worker died ({error})") from error
    except FutureTimeout as error:
        raise TaskFailed(f"it took longer than {TASK_SECONDS:.0f} seconds") from error
    except MemoryError as error:
        raise TaskFailed("it took more memory than a worker may use") from error
    except RecursionError as error:
        raise TaskFailed("it is nested too deep") from error
    except CancelledError as error:
        raise TaskFailed("the run was ended") from error
    except ApikbError:
        raise
    except Exception as error:
        # A fault of ours costs the one release and is named in its reason, not hidden and not fatal.
        raise TaskFailed(f"internal error: {type(error).__name__}: {error}") from error
