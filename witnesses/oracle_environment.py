"""Throw-away environments with one release installed, and the probe run inside them."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_PROBE = Path(__file__).with_name("oracle_probe.py")
_CRASHES = 8
"""Modules whose import may end the process before the run is given up."""


class EnvironmentFailed(Exception):
    """The release could not be installed, or the probe gave no answer."""


def make_environment(folder: Path, requirements: Sequence[str], pip_arguments: Sequence[str] = ()) -> Path:
    """Install requirements into a fresh environment; answers its interpreter.  Raises `EnvironmentFailed`.

    A folder that is there already and finished is used as it is.
    """
    python = folder / "bin" / "python"
    ready = folder / ".ready"
    if ready.exists():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    _run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    uv = shutil.which("uv")
    if uv is not None and not pip_arguments:
        _run([uv, "pip", "install", "-q", "--python", str(python), *requirements])
    else:
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--prefer-binary"]
        _run([*pip, *pip_arguments, *requirements])
    ready.touch()
    return python


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise EnvironmentFailed(f"{' '.join(command)}: {done.stderr.strip()[-2000:]}")


def probe(python: Path, request: Mapping[str, Any], *, timeout: float) -> list[dict[str, Any]]:
    """Ask an environment; modules whose import ends the process are left out in a further try.

    Raises `EnvironmentFailed` where no try came to an end.
    """
    skip: list[str] = list(request.get("skip", ()))
    for _ in range(_CRASHES):
        with tempfile.TemporaryDirectory() as folder:
            lines = _try(python, {**request, "skip": skip}, Path(folder), timeout)
        if lines and lines[-1]["type"] == "end":
            failed = [line["error"] for line in lines if line["type"] == "failed"]
            if failed:
                raise EnvironmentFailed(f"the probe of {request['project']} broke down: {failed[0]}")
            return lines
        importing = [line["path"] for line in lines if line["type"] == "importing"]
        if not importing or importing[-1] in skip:
            break
        skip.append(importing[-1])
    raise EnvironmentFailed(f"the probe of {request['project']} did not come to an end; skipped: {skip}")


def _try(python: Path, request: Mapping[str, Any], folder: Path, timeout: float) -> list[dict[str, Any]]:
    asked, answer = folder / "request.json", folder / "answer.jsonl"
    work = folder / "work"
    work.mkdir()
    asked.write_text(json.dumps(request))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "APIKB_"))}
    environment = {**kept, "MPLBACKEND": "Agg", "HOME": str(work), "PYTHONWARNINGS": "ignore"}
    command = [str(python.absolute()), str(_PROBE), str(asked), str(answer)]
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            command, cwd=work, env=environment, timeout=timeout,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    lines = answer.read_text().splitlines() if answer.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}")]
