"""`replay:FILE`: samples of an earlier run, found by the hash of their prompt.

A line is a JSON object with `prompt_hash` and `texts`, and where it is known `prompt_tokens`,
`completion_tokens`, `finish_reasons`, `error`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ...kb.errors import ApikbError
from ..prompts import Prompt, Style
from .interface import Generated, Sampling


def replay_line(prompt: Prompt, generated: Generated) -> dict[str, Any]:
    """What a line of a file to replay holds, as JSON has it."""
    return {
        "prompt_hash": prompt.hash,
        "texts": list(generated.texts),
        "prompt_tokens": generated.prompt_tokens,
        "completion_tokens": generated.completion_tokens,
        "finish_reasons": list(generated.finish_reasons),
        "error": generated.error,
        "truncated": generated.truncated,
        "estimated": generated.estimated,
    }


class ReplayGenerator:
    """Gives what a file holds.  A prompt that it lacks, or has too few samples of, has an error."""

    def __init__(self, path: Path, style: Style = Style.COMPLETION) -> None:
        self.name = f"replay:{path}"
        self.style = style
        self._path = path

    def describe(self) -> dict[str, Any]:
        """The file, its hash, and how many prompts it has."""
        content = self._path.read_bytes() if self._samples is not None else b""
        return {
            "generator": self.name,
            "style": str(self.style),
            "sha256": hashlib.sha256(content).hexdigest(),
            "prompts": len(self._samples),
        }

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling) -> Iterator[Generated]:
        """As `Generator.generate`.  Raises `ApikbError` where the file cannot be read."""
        samples = self._samples
        for prompt in prompts:
            yield _first(samples.get(prompt.hash), sampling.n)

    @cached_property
    def _samples(self) -> dict[str, Generated]:
        """By hash of the prompt; of several lines the last without an error counts."""
        try:
            lines = self._path.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ApikbError(
                f"cannot replay {self._path}: {error}", hint="the samples of a run, one JSON object a line"
            ) from error
        found: dict[str, Generated] = {}
        for number, line in enumerate(lines, 1):
            if line.strip():
                name, generated = _read(line, f"{self._path}:{number}")
                if name not in found or generated.error is None:
                    found[name] = generated
        return found


def _first(kept: Generated | None, n: int) -> Generated:
    if kept is None:
        return Generated((), 0, 0, error="the replayed file has no sample of this prompt")
    if kept.error is None and len(kept.texts) < n:
        return Generated(
            (), 0, 0, error=f"the replayed file has {len(kept.texts)} samples of this prompt, not {n}"
        )
    return Generated(
        kept.texts[:n],
        kept.prompt_tokens,
        kept.completion_tokens,
        kept.finish_reasons[:n],
        error=kept.error,
        truncated=kept.truncated,
        estimated=kept.estimated,
    )


def _read(line: str, where: str) -> tuple[str, Generated]:
    hint = "a line is an object with prompt_hash, a text, and texts, a list of texts"
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ApikbError(f"{where}: not JSON: {error}", hint=hint) from error
    name = row.get("prompt_hash") if isinstance(row, Mapping) else None
    texts = row.get("texts") if isinstance(row, Mapping) else None
    if not isinstance(name, str) or not isinstance(texts, list) or not all(isinstance(t, str) for t in texts):
        raise ApikbError(f"{where}: no sample of a prompt", hint=hint)
    failure = row.get("error")
    return name, Generated(
        tuple(texts),
        _count(row, "prompt_tokens"),
        _count(row, "completion_tokens"),
        tuple(map(str, row.get("finish_reasons") or ())),
        error=None if failure is None else str(failure),
        truncated=_count(row, "truncated"),
        estimated=bool(row.get("estimated")),
    )


def _count(row: Mapping[str, Any], name: str) -> int:
    value = row.get(name)
    return value if isinstance(value, int) and value >= 0 else 0
