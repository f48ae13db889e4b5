"""What a generator is shown for a task: the task itself, what was retrieved, and the cue, in this order.

The words stand in files, `prompt_templates/KIND.STYLE.txt`.  A section is left out where all of its values
are empty, so a prompt without context has no trace of one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from string import Template

from .tasks import Task, TaskKind

TEMPLATES_VERSION = "1"
"""Changes with how values are put into the templates; the files have hashes of their own."""


class Style(StrEnum):
    """How a model is asked."""

    CHAT = "chat"
    """One message of a user; the model answers between marks."""
    COMPLETION = "completion"
    """The beginning of a text that the model goes on with."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt: `shared + own`."""

    kind: TaskKind
    style: Style
    shared: str
    """The task itself, equal for all contexts of a task."""
    own: str
    """The context, and the cue at its end."""
    head: int = 0
    """Characters at the start of `shared` that a generator keeps when it shortens a prompt."""
    cue: int = 0
    """Characters at the end of `own` that it keeps."""
    stripped: str = ""
    """Spaces that were taken from the end of the cue: models go on better from a word."""

    @property
    def text(self) -> str:
        """The whole prompt."""
        return self.shared + self.own

    @property
    def messages(self) -> list[dict[str, str]]:
        """The prompt as the one message of a chat."""
        return [{"role": "user", "content": self.text}]

    @property
    def hash(self) -> str:
        """SHA-256 of style and text: names the prompt in runs, and its random numbers depend on it."""
        return hashlib.sha256(f"{self.style}\0{self.text}".encode()).hexdigest()

    def finished(self, text: str) -> bool:
        r"""Whether what a model has said so far holds the whole output.

        >>> Prompt(TaskKind.TOKEN, Style.COMPLETION, "", "pd.").finished("concat(")
        True
        """
        if self.style == Style.CHAT:
            return "<end>" in text.partition("<start>")[2]
        return _FINISHED[self.kind].search(text) is not None


_NAME = re.compile(r"[^\W\d]\w*")
_FENCE = re.compile(r"^[ \t]*```", re.MULTILINE)
_TO_FENCE = dict.fromkeys(TaskKind, _FENCE)
_FINISHED = _TO_FENCE | {
    TaskKind.TOKEN: re.compile(r"[^\W\d]\w*\W"),
    TaskKind.LINE: re.compile(r"\S[^\n]*\n"),
}
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


def extract(prompt: Prompt, text: str) -> str:
    r"""The output to store, of what a model said: the metrics read what stands between its marks.

    A chat model sets the marks itself (what it thinks aloud before is no part of its answer); what another
    went on with is cut at its natural end and put between marks.

    >>> extract(Prompt(TaskKind.LINE, Style.COMPLETION, "", "    x ="), " f(a)\n    y = 2")
    '<start>f(a)<end>'
    """
    if prompt.style == Style.CHAT:
        return _THOUGHT.sub("", text)
    return f"<start>{_output(prompt, text)}<end>"


def _output(prompt: Prompt, text: str) -> str:
    if prompt.kind == TaskKind.TOKEN:
        name = _NAME.search(text)
        return name.group() if name else ""
    if prompt.kind == TaskKind.LINE:
        return text.lstrip().partition("\n")[0].rstrip("\r")
    fence = _FENCE.search(text)
    return (text[: fence.start()] if fence else text).removeprefix(prompt.stripped)


def build(task: Task, version: str, context: str, style: Style) -> Prompt:
    """The prompt of a task at a version, as the task has it or resolved, with what was retrieved."""
    values = _values(task, version, style) | {"context": ""}
    cue = values["cue"]
    values["cue"] = cue.rstrip(" \t")
    if context.strip():
        values["context"] = (
            fenced(context, "text")
            if style == Style.CHAT
            else _commented(context, values["indent"] + values["sign"])
        )
    texts = {name: _filled(body, values) for name, body in _sections(task.kind, style).items()}
    if style == Style.CHAT:
        texts["cue"] = texts["cue"].rstrip("\n")
    head = "".join(text for name, text in texts.items() if name in _KEPT)
    return Prompt(
        kind=task.kind,
        style=style,
        shared="".join(text for name, text in texts.items() if name not in _OWN),
        own=texts.get("context", "") + texts["cue"],
        head=len(head),
        cue=len(texts["cue"]),
        stripped=cue[len(cue.rstrip(" \t")) :],
    )


_TONGUES = {"python": "Python", "java": "Java", "javascript": "JavaScript", "c#": "C#", "csharp": "C#"}
_KEPT = ("head", "about", "requires")
_OWN = ("context", "cue")


def _values(task: Task, version: str, style: Style) -> dict[str, str]:
    language = task.language if task.language.isalnum() else ""
    sign = "#" if task.language == "python" else "//"
    before, cue, after = _around(task)
    indent = re.match(r"[ \t]*", cue)
    about = task.description.strip()
    return {
        "pinned": _pinned(task.library, version),
        "given_pinned": _pinned(task.library, task.given_version or version),
        "mask": task.mask or "",
        "tongue": _TONGUES.get(task.language, task.language),
        "language": language,
        "sign": sign,
        "description": about if style == Style.CHAT or not about else _commented(about, sign),
        "requires": ", ".join(task.requires),
        "code": fenced(task.given, language) if task.given.strip() else "",
        "before": before.rstrip("\n"),
        "after": _commented(after, sign) if after.strip() else "",
        "indent": indent.group() if indent else "",
        "cue": cue,
    }


def _around(task: Task) -> tuple[str, str, str]:
    """Code before the line that is to be gone on with, the start of this line, and the code after it."""
    if task.kind.is_editing or not task.given:
        return task.given, "", ""
    start, _, after = task.given.partition(task.mask) if task.mask else (task.given, "", "")
    # A context stands before the last line with something on it, so that the cue is code.
    last = start.rstrip().rfind("\n") + 1 if task.mask is None else start.rfind("\n") + 1
    return start[:last], start[last:], after


def _pinned(library: str, version: str) -> str:
    """`pandas` and `1.0` or `==1.0` as `pandas==1.0`."""
    return f"{library}{version}" if version[:1] in "=<>!~" else f"{library}=={version}"


def _commented(text: str, sign: str) -> str:
    return "\n".join(f"{sign} {line}".rstrip() for line in text.strip("\n").splitlines())


def fenced(text: str, language: str = "") -> str:
    """The text between fences that are longer than any inside, so that it ends where we say."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


# ---- templates

_SECTION = re.compile(r"^\[(\w+)\]\n", re.MULTILINE)
_FOLDER = "prompt_templates"


def template_hashes() -> dict[str, str]:
    """SHA-256 of each template, by `KIND.STYLE`."""
    names = [(kind, style) for kind in TaskKind for style in Style]
    return {
        f"{kind}.{style}": hashlib.sha256(_template(kind, style).encode()).hexdigest()
        for kind, style in names
    }


def _template(kind: TaskKind, style: Style) -> str:
    path = resources.files(__package__) / _FOLDER / f"{kind}.{style}.txt"
    return path.read_text(encoding="utf-8").replace("\r\n", "\n")


@cache
def _sections(kind: TaskKind, style: Style) -> dict[str, str]:
    _, *parts = _SECTION.split(_template(kind, style))
    return dict(zip(parts[::2], parts[1::2], strict=True))


_ALWAYS = {"sign", "indent", "pinned", "given_pinned", "mask", "language", "tongue"}
"""Values that alone are no reason to show a section."""


def _filled(body: str, values: Mapping[str, str]) -> str:
    template = Template(body)
    names = set(template.get_identifiers()) - _ALWAYS
    if names and not any(values[name] for name in names):
        return ""
    text = template.substitute(values)
    # A backslash at the end takes the line break away.
    return text[:-2] if body.endswith("\\\n") else text
