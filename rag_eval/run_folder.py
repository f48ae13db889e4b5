"""A run on disk: a manifest, and samples that are only ever appended.

Whatever moment a run is killed at, what was finished is there once, and the next one goes on behind it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Self

from ..kb.errors import ApikbError
from ..kb.lock import WriterLock

MANIFEST = "manifest.json"
SAMPLES = "samples.jsonl"
_FREE = frozenset({"started", "kb_path"})
"""Entries of a manifest that may differ when a run goes on."""


@dataclass(frozen=True, slots=True)
class Sample:
    """All outputs for one task under one condition."""

    task: str
    condition: str
    outputs: tuple[str, ...]
    """As the metrics read them, one for each of the n that were asked for."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    finish_reasons: tuple[str, ...] = ()
    error: str | None = None
    """Why there is no output, where there is none."""
    prompt: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    """Where the context comes from, as `Context` has it, without its text."""

    @property
    def key(self) -> tuple[str, str]:
        """What there is one sample of."""
        return self.task, self.condition


class RunFolder:
    """Samples of one configuration, which is the manifest's."""

    def __init__(self, path: Path, manifest: Mapping[str, Any]) -> None:
        self.path = path
        self.manifest = manifest

    @classmethod
    def read(cls, path: Path) -> Self:
        """An existing run.  Raises ApikbError where there is none."""
        try:
            manifest = json.loads((path / MANIFEST).read_bytes())
        except FileNotFoundError as error:
            raise ApikbError(
                f"{path} is no run: it has no {MANIFEST}", hint="apikb eval run --help"
            ) from error
        except (OSError, ValueError) as error:
            raise ApikbError(f"{path / MANIFEST} cannot be read: {error}") from error
        return cls(path, manifest)

    @classmethod
    @contextmanager
    def writing(cls, path: Path, manifest: Mapping[str, Any]) -> Iterator[Self]:
        """A new run, or one that goes on; nobody else writes to it meanwhile.

        Raises ApikbError where the folder holds a run of another configuration, and names what differs.
        """
        path.mkdir(parents=True, exist_ok=True)
        with WriterLock(path / SAMPLES).acquire():
            if (path / MANIFEST).exists():
                before = cls.read(path)
                _same(path, before.manifest, manifest)
                made = cls(path, before.manifest)
            else:
                _write(path / MANIFEST, manifest)
                made = cls(path, manifest)
            made._cut_unfinished()
            yield made

    def samples(self) -> Iterator[Sample]:
        """All that is finished, in the order in which it was.  A line that is not whole is passed over."""
        try:
            content = (self.path / SAMPLES).read_bytes()
        except FileNotFoundError:
            return
        for line in content.split(b"\n")[:-1]:
            fields = json.loads(line)
            yield Sample(
                **{
                    **fields,
                    "outputs": tuple(fields["outputs"]),
                    "finish_reasons": tuple(fields["finish_reasons"]),
                }
            )

    def done(self) -> set[tuple[str, str]]:
        """What need not be done again: samples without an error."""
        return {sample.key for sample in self.samples() if sample.error is None}

    @contextmanager
    def appending(self) -> Iterator[Appender]:
        """Add samples."""
        with (self.path / SAMPLES).open("ab") as file:
            yield Appender(file)

    def _cut_unfinished(self) -> None:
        """Take off the start of a line that a killed run left."""
        path = self.path / SAMPLES
        if not path.exists():
            return
        with path.open("r+b") as file:
            content = file.read()
            end = content.rfind(b"\n") + 1
            if end != len(content):
                file.truncate(end)
                os.fsync(file.fileno())


class Appender:
    """Writes one line at a time, each on the disk before the next."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def add(self, sample: Sample) -> None:
        """Append a sample."""
        # ASCII only: no line end of another script may break a line.
        self._file.write(json.dumps(asdict(sample)).encode("ascii") + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _write(path: Path, manifest: Mapping[str, Any]) -> None:
    new = path.with_name(f".{path.name}.new")
    new.write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    new.replace(path)


def _same(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    plain = json.loads(json.dumps(now))
    differing = sorted(
        key for key in before.keys() | plain.keys() if key not in _FREE and before.get(key) != plain.get(key)
    )
    if differing:
        raise ApikbError(
            f"{path} holds a run of another configuration: {', '.join(differing)} differ",
            hint="give another --out folder",
        )
