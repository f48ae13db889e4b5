"""Generators by name: `smollm2`, `hf:NAME-or-path`, `gguf:FILE`, `replay:FILE`."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from ...kb.errors import ApikbError
from ..prompts import Style
from .interface import Generator
from .models import ModelOptions, gguf_file, hugging_face, smollm2
from .replay import ReplayGenerator

DEFAULT = "smollm2"
Options = TypeVar("Options")


def generator_named(name: str = DEFAULT, **options: Any) -> Generator:
    """The generator that a name stands for.

    The options are those of its kind: `ModelOptions` of models, `style` of a replay.  Raises `ApikbError`
    where there is no such generator or option, or what it needs is missing.
    """
    kind, separator, which = name.partition(":")
    if kind not in KINDS or bool(separator) != (kind != DEFAULT) or (separator and not which):
        forms = ", ".join(DEFAULT if kind == DEFAULT else f"{kind}:..." for kind in KINDS)
        raise ApikbError(f"{name!r} is no generator", hint=f"{_meant(kind, KINDS)}one of: {forms}")
    given = {option: value for option, value in options.items() if value is not None}
    return KINDS[kind](which, given)


def _meant(word: str, known: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f"did you mean {close[0]}? " if close else ""


def _options(kind: type[Options], given: Mapping[str, Any], name: str) -> Options:
    known = {field.name: None for field in fields(kind)}  # type: ignore[arg-type]
    for option in given:
        if option not in known:
            hint = f"{_meant(option, known)}its options: {', '.join(known)}"
            raise ApikbError(f"{name} has no option {option!r}", hint=hint)
    return kind(**given)


def _style(text: str) -> Style:
    try:
        return Style(text)
    except ValueError:
        raise ApikbError(f"{text!r} is no style of prompts", hint=f"one of: {', '.join(Style)}") from None


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    style = given.get("style", "auto")
    return {**given, "style": style if style == "auto" else _style(style)}


def _hf(which: str, given: Mapping[str, Any]) -> Generator:
    return hugging_face(which, _options(ModelOptions, _checked(given), "hf"))


def _gguf(which: str, given: Mapping[str, Any]) -> Generator:
    return gguf_file(which, _options(ModelOptions, _checked(given), "gguf"))


def _smollm2(_: str, given: Mapping[str, Any]) -> Generator:
    return smollm2(_options(ModelOptions, {"style": Style.COMPLETION} | _checked_if_named(given), "smollm2"))


def _checked_if_named(given: Mapping[str, Any]) -> dict[str, Any]:
    return _checked(given) if "style" in given else dict(given)


def _replay(which: str, given: Mapping[str, Any]) -> Generator:
    unknown = next((option for option in given if option != "style"), None)
    if unknown is not None:
        raise ApikbError(f"replay has no option {unknown!r}", hint="its options: style")
    return ReplayGenerator(Path(which).expanduser(), _style(given.get("style", Style.COMPLETION)))


KINDS: dict[str, Callable[[str, Mapping[str, Any]], Generator]] = {
    DEFAULT: _smollm2,
    "hf": _hf,
    "gguf": _gguf,
    "replay": _replay,
}
"""Kind -> what makes a generator of what stands behind the colon, and of options."""
