"""Runs on disk: nothing lost and nothing twice, whatever moment a run is killed at."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from apikb.kb.errors import ApikbError
from apikb.rag_eval.run_folder import SAMPLES, RunFolder, Sample

MANIFEST = {"model": "m", "seed": 1, "started": "now"}


def sample(task: str, *outputs: str, error: str | None = None) -> Sample:
    return Sample(task, "none", outputs, 10, 5, 0.5, ("stop",), error)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    texts = ("a\nb\r\n\u2028", "half of a pair \udc80", "")
    with RunFolder.writing(tmp_path / "run", MANIFEST) as run, run.appending() as out:
        out.add(sample("1", *texts))
        out.add(sample("2", error="timed out"))
    run = RunFolder.read(tmp_path / "run")
    assert [each.outputs for each in run.samples()] == [texts, ()]
    assert run.done() == {("1", "none")}
    assert run.manifest["model"] == "m"


@pytest.mark.parametrize("cut", range(1, 40, 6))
def test_a_line_that_is_not_whole_goes(tmp_path: Path, cut: int) -> None:
    with RunFolder.writing(tmp_path, MANIFEST) as run, run.appending() as out:
        out.add(sample("1", "x"))
        out.add(sample("2", "y"))
    path = tmp_path / SAMPLES
    path.write_bytes(path.read_bytes()[:-cut])
    assert RunFolder.read(tmp_path).done() == {("1", "none")}
    with RunFolder.writing(tmp_path, MANIFEST) as run, run.appending() as out:
        out.add(sample("2", "z"))
    assert [each.outputs for each in RunFolder.read(tmp_path).samples()] == [("x",), ("z",)]


def test_another_configuration_is_refused_and_named(tmp_path: Path) -> None:
    with RunFolder.writing(tmp_path, MANIFEST):
        pass
    with RunFolder.writing(tmp_path, {**MANIFEST, "started": "later"}) as run:
        assert run.manifest["started"] == "now"
    with pytest.raises(ApikbError, match="model, seed differ"), RunFolder.writing(tmp_path, {"started": "x"}):
        pass


def test_what_is_no_run_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(ApikbError, match="is no run"):
        RunFolder.read(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(ApikbError, match="cannot be read"):
        RunFolder.read(tmp_path)


WRITER = """
import sys
from pathlib import Path
from apikb.rag_eval.run_folder import RunFolder, Sample
with RunFolder.writing(Path(sys.argv[1]), {"model": "m"}) as run:
    done = run.done()
    print("ready", flush=True)
    with run.appending() as out:
        for number in range(400):
            if (str(number), "none") not in done:
                out.add(Sample(str(number), "none", ("x" * 500,)))
"""


def test_killed_at_random_moments_and_two_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    generator = random.Random(3)
    for _ in range(8):
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(generator.random() * 0.03)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
    both = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    lines = (tmp_path / SAMPLES).read_text().splitlines()
    assert [json.loads(line)["task"] for line in lines] == [str(number) for number in range(400)]
