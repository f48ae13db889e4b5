"""Running tasks under conditions through a generator, into a folder."""

from __future__ import annotations

import hashlib
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from ..kb.lookup import KnowledgeBase
from ..retrieval.pins import silent
from .contexts import Condition, Context, Contexts
from .generators.interface import Generated, Generator, Sampling
from .prompts import Prompt, build, extract, template_hashes
from .run_folder import Appender, RunFolder, Sample
from .tags import Tags, tag_tasks
from .task_records import write_tasks
from .tasks import Task, TaskKind
from .versions import Resolution

_AT_ONCE = 16
"""Tasks whose prompts are made before the generator is asked."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What is run."""

    conditions: tuple[Condition, ...] = tuple(Condition)
    n: int | None = None
    """Outputs a task; by default those of VersiCode's paper."""
    greedy: bool = False
    max_tokens: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is."""

    done: int
    total: int
    """Samples, those of earlier runs of the folder left out."""
    seconds: float
    tokens: int
    """Written so far."""

    def __str__(self) -> str:
        rate = self.tokens / self.seconds if self.seconds else 0.0
        text = f"{self.done:,} of {self.total:,} samples, {rate:,.0f} tokens a second"
        if self.done and self.done < self.total:
            from ..retrieval.embedding_progress import duration

            text += f", {duration(self.seconds / self.done * (self.total - self.done))} left"
        return text


@dataclass(frozen=True, slots=True)
class _Work:
    task: Task
    resolution: Resolution
    condition: Condition
    context: Context
    prompt: Prompt


def run(
    kb: KnowledgeBase,
    files: Sequence[Path],
    tasks: Sequence[Task],
    generator: Generator,
    contexts: Contexts,
    out: Path,
    options: RunOptions,
    *,
    note: Callable[[str], None] = silent,
    progress: Callable[[RunProgress], None] = lambda state: None,
) -> RunFolder:
    """Have every task done under every condition, what an earlier run of the folder did left out.

    `files` are where the tasks are from.  Samples are appended one by one, the conditions of a task one after
    the other, so that a model can keep what it read of it.

    Raises ApikbError where the folder holds a run of another configuration.
    """
    tags = tag_tasks(tasks, kb)
    resolutions = {task.id: tag.resolution for task, tag in zip(tasks, tags, strict=True)}
    manifest = manifest_of(kb, files, tasks, tags, generator, contexts, options)
    with RunFolder.writing(out, manifest) as folder:
        write_tasks(out, tasks, tags)
        done = folder.done()
        wanted = [(task, condition) for task in tasks for condition in options.conditions]
        left = [pair for pair in wanted if (pair[0].id, str(pair[1])) not in done]
        if len(left) < len(wanted):
            note(f"{len(wanted) - len(left):,} of {len(wanted):,} samples are there already")
        with folder.appending() as appender:
            writer = _Writer(appender, len(left), progress)
            for kind in dict.fromkeys(task.kind for task, _ in left):
                sampling = sampling_of(kind, options)
                of_kind = [pair for pair in left if pair[0].kind == kind]
                step = _AT_ONCE * len(options.conditions)
                for start in range(0, len(of_kind), step):
                    works = [
                        _prepared(task, resolutions[task.id], condition, contexts, generator)
                        for task, condition in of_kind[start : start + step]
                    ]
                    generated = generator.generate([work.prompt for work in works], sampling)
                    for work, each in zip(works, generated, strict=True):
                        writer.add(work, each)
    return folder


def _prepared(
    task: Task, resolution: Resolution, condition: Condition, contexts: Contexts, generator: Generator
) -> _Work:
    context = contexts.of(task, resolution, condition)
    prompt = build(task, resolution.chosen or task.version, context.text, generator.style)
    return _Work(task, resolution, condition, context, prompt)


class _Writer:
    """Appends samples and tells how far it is."""

    def __init__(self, appender: Appender, total: int, progress: Callable[[RunProgress], None]) -> None:
        self._appender = appender
        self._progress = progress
        self._total = total
        self._done = 0
        self._tokens = 0
        self._started = time.monotonic()

    def add(self, work: _Work, generated: Generated) -> None:
        told = {key: value for key, value in asdict(work.context).items() if key not in ("condition", "text")}
        self._appender.add(
            Sample(
                task=work.task.id,
                condition=str(work.condition),
                outputs=tuple(extract(work.prompt, text) for text in generated.texts),
                prompt_tokens=generated.prompt_tokens,
                completion_tokens=generated.completion_tokens,
                seconds=generated.seconds,
                finish_reasons=generated.finish_reasons,
                error=generated.error,
                prompt=work.prompt.text,
                context=told
                | {
                    "version": work.resolution.chosen,
                    "truncated": generated.truncated,
                    "estimated": generated.estimated,
                },
            )
        )
        self._done += 1
        self._tokens += generated.completion_tokens
        self._progress(RunProgress(self._done, self._total, time.monotonic() - self._started, self._tokens))


def sampling_of(kind: TaskKind, options: RunOptions) -> Sampling:
    """How outputs of a kind of task are drawn.  Raises ApikbError where they cannot be."""
    sampling = Sampling.of_paper(kind, n=options.n, greedy=options.greedy, seed=options.seed)
    return sampling if options.max_tokens is None else replace(sampling, max_tokens=options.max_tokens)


def manifest_of(
    kb: KnowledgeBase,
    files: Sequence[Path],
    tasks: Sequence[Task],
    tags: Sequence[Tags],
    generator: Generator,
    contexts: Contexts,
    options: RunOptions,
) -> dict[str, Any]:
    """All that a run follows from, as JSON has it."""
    kinds = dict.fromkeys(task.kind for task in tasks)
    return {
        "apikb": installed("apikb"),
        "python": platform.python_version(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "kb_path": str(kb.path),
        "store": _store_of(kb, tags),
        "retrieval": contexts.describe(),
        "data": {file.name: _sha256(file) for file in files},
        "tasks": {
            "count": len(tasks),
            "ids": hashlib.sha256("\n".join(t.id for t in tasks).encode()).hexdigest(),
        },
        "generator": generator.describe() | {"name": generator.name, "style": str(generator.style)},
        "prompts": template_hashes(),
        "conditions": [str(condition) for condition in options.conditions],
        "sampling": {str(kind): asdict(sampling_of(kind, options)) for kind in kinds},
    }


def _store_of(kb: KnowledgeBase, tags: Sequence[Tags]) -> Mapping[str, str]:
    """The fingerprint of each project that the tasks are about."""
    projects = {tag.resolution.project for tag in tags}
    return {project: kb.corpus(project).fingerprint() for project in sorted(filter(None, projects))}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
