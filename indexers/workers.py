"""Worker processes with a time and memory bound: what kills one costs one task, never the run."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pebble import ProcessExpired, ProcessPool

from ..kb.errors import ApikbError
from .tasks import start_worker

TASK_SECONDS = 300.0
"""No real file or release takes a tenth of this."""


class TaskFailed(Exception):
    """A task killed its worker, ran out of time or memory, or raised."""


class Workers:
    """A pool of processes that share the cache."""

    def __init__(self, jobs: int, cache_path: Path) -> None:
        # Not `fork`: the threads of the index client hold locks that a forked child would wait for forever.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["apikb.indexers.tasks"])
        self.jobs = jobs
        self._pool = ProcessPool(
            max_workers=jobs, initializer=start_worker, initargs=[str(cache_path)], context=context
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._pool.close()  # type: ignore[no-untyped-call]
        else:
            self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Run a function of `tasks` in a worker."""
        return self._pool.schedule(function, args=arguments, timeout=TASK_SECONDS)


def result_of(future: Future[Any]) -> Any:
    """A task's result; raises `TaskFailed` with the reason."""
    try:
        return future.result()
    except ProcessExpired as error:
        raise TaskFailed(f"the worker died (exit code {error.exitcode})") from error
    except FutureTimeout as error:
        raise TaskFailed(f"it took longer than {TASK_SECONDS:.0f} seconds") from error
    except MemoryError as error:
        raise TaskFailed("it took more memory than a worker may use") from error
    except RecursionError as error:
        raise TaskFailed("it is nested too deep") from error
    except ApikbError:
        raise
    except Exception as error:
        # A fault of ours costs the one release and is named in its reason, not hidden and not fatal.
        raise TaskFailed(f"internal error: {type(error).__name__}: {error}") from error
