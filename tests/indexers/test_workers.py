"""Worker processes that die, hang, raise or are no longer wanted."""

from __future__ import annotations

import operator
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path

import pytest

from apikb.indexers import workers as module
from apikb.indexers.workers import TaskFailed, Workers, result_of


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    with Workers(1, tmp_path / "facts.sqlite") as made:
        yield made


def test_a_task_is_done_in_another_process(workers: Workers) -> None:
    first, second = (result_of(workers.submit(os.getpid)) for _ in range(2))
    assert first == second != os.getpid()


def test_a_worker_that_dies_in_its_task_fails_the_task_alone(workers: Workers) -> None:
    tasks = [workers.submit(os._exit, 7), workers.submit(abs, -1)]
    with pytest.raises(TaskFailed, match=r"the worker died \(exit code 7\)"):
        result_of(tasks[0])
    assert result_of(tasks[1]) == 1


def test_a_worker_that_is_killed_while_idle_costs_nothing(workers: Workers) -> None:
    pid = result_of(workers.submit(os.getpid))
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.2)
    assert result_of(workers.submit(os.getpid)) != pid


def test_a_task_without_end_is_ended(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    assert result_of(workers.submit(abs, -1)) == 1
    monkeypatch.setattr(module, "TASK_SECONDS", 0.3)
    with pytest.raises(TaskFailed, match="longer than"):
        result_of(workers.submit(time.sleep, 60))
    monkeypatch.setattr(module, "TASK_SECONDS", 60.0)
    assert result_of(workers.submit(abs, -2)) == 2


def test_memory_is_bounded(workers: Workers) -> None:
    with pytest.raises(TaskFailed, match="more memory"):
        result_of(workers.submit(bytes, 5 << 30))


def test_what_a_task_raises_is_named(workers: Workers) -> None:
    with pytest.raises(TaskFailed, match="internal error: ZeroDivisionError"):
        result_of(workers.submit(operator.truediv, 1, 0))


def test_a_result_that_cannot_be_sent(workers: Workers) -> None:
    with pytest.raises(TaskFailed, match="cannot be sent"):
        result_of(workers.submit(threading.Lock))


def test_a_result_larger_than_any_pipe(workers: Workers) -> None:
    assert len(result_of(workers.submit(bytes, 30_000_000))) == 30_000_000


def test_an_error_ends_what_is_running_and_what_waits(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(KeyError), Workers(1, tmp_path / "facts.sqlite") as workers:
        result_of(workers.submit(abs, -1))
        running, waiting = workers.submit(time.sleep, 60), workers.submit(time.sleep, 60)
        wait([running], timeout=0.2)
        raise KeyError
    assert time.monotonic() - started < 20
    for task in (running, waiting):
        with pytest.raises(TaskFailed):
            result_of(task)


def test_nothing_is_started_for_nothing(tmp_path: Path) -> None:
    before = threading.active_count()
    with Workers(4, tmp_path / "facts.sqlite"):
        assert threading.active_count() == before


def test_processes_at_rest_are_ended_and_come_back(tmp_path: Path) -> None:
    with Workers(2, tmp_path / "facts.sqlite") as workers:
        tasks = [workers.submit(time.sleep, 0.2), workers.submit(time.sleep, 0.2)]
        wait(tasks)
        before = {result_of(task) for task in [workers.submit(os.getpid) for _ in range(4)]}
        workers.rest()
        after = {result_of(task) for task in [workers.submit(os.getpid) for _ in range(4)]}
        assert not before & after
        for pid in before:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)
