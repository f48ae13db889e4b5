"""Decoding with a causal model of transformers: shared prefixes, many samples of one prefill, early ends.

The same prompt, seed and number of a sample give the same random numbers however prompts are batched; what
is left is rounding, since sums over a batch are made in another order.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ..prompts import Prompt
from .interface import Generated, Sampling
from .prompt_tokens import Encoded, PromptEncoder


@dataclass(slots=True)
class _Row:
    """One sample that is being written."""

    prompt: Prompt
    encoded: Encoded
    ids: list[int]
    said: str = ""
    reason: str = "length"


@dataclass(slots=True)
class _Batch:
    """Prompts read together: what the model remembers of them, and what it would say next."""

    cache: Any
    mask: Any
    """int64, (prompts, tokens read)"""
    positions: Any
    """int64, (prompts,): the place of the next token"""
    logits: Any
    """(prompts, vocabulary)"""

    def rows(self, torch: Any, new_cache: Any, chosen: Sequence[int]) -> _Batch:
        """The chosen rows, in this order, repeated as often as they are named."""
        index = torch.tensor(chosen, device=self.mask.device)
        cache = _map_cache(self.cache, new_cache, lambda states: states.index_select(0, index))
        return _Batch(cache, self.mask[index], self.positions[index], self.logits[index])


class CausalDecoder:
    """Writes with one model.  `batch_size` is the number of samples that are written side by side."""

    def __init__(
        self,
        torch: Any,
        new_cache: Any,
        model: Any,
        encoder: PromptEncoder,
        *,
        batch_size: int,
        reuse: bool = True,
    ) -> None:
        self._torch = torch
        self._new_cache = new_cache
        self._model = model
        self._encoder = encoder
        self._batch_size = batch_size
        self._reuse = reuse
        self._prefixes: dict[tuple[int, ...], Any] = {}
        self._forward = _accepted(model.forward)
        self._cache_name = "cache" if "cache" in self._forward else "past_key_values"
        self._ends = _end_tokens(model, encoder.tokenizer)

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling) -> Iterator[Generated]:
        """As `Generator.generate`."""
        together = max(1, self._batch_size // sampling.n)
        waiting: list[tuple[Prompt, Encoded]] = []
        for prompt, encoded in self._encoded(prompts, sampling):
            waiting.append((prompt, encoded))
            if len(waiting) == together:
                yield from self._batch(waiting, sampling)
                waiting = []
        if waiting:
            yield from self._batch(waiting, sampling)
        self._prefixes.clear()

    def _encoded(self, prompts: Sequence[Prompt], sampling: Sampling) -> Iterator[tuple[Prompt, Encoded]]:
        """Neighbours with the same shared part get the longest common beginning of their tokens as prefix."""
        for _, group in groupby(prompts, key=lambda prompt: (prompt.style, prompt.shared)):
            members = [(prompt, self._encoder.encode(prompt, sampling.max_tokens)) for prompt in group]
            whole = [encoded.ids for _, encoded in members if not encoded.error]
            shared = _common(whole) if self._reuse and len(whole) > 1 else 0
            for prompt, encoded in members:
                yield prompt, encoded.with_prefix(shared)

    def _batch(self, members: Sequence[tuple[Prompt, Encoded]], sampling: Sampling) -> Iterator[Generated]:
        begun = time.perf_counter()
        good = [(prompt, encoded) for prompt, encoded in members if not encoded.error]
        with self._torch.inference_mode():
            rows = self._samples(good, sampling) if good else []
        seconds = (time.perf_counter() - begun) / max(1, len(good))
        written = iter(rows)
        for _, encoded in members:
            if encoded.error:
                yield Generated((), len(encoded.ids), 0, error=encoded.error)
                continue
            own = [next(written) for _ in range(sampling.n)]
            yield Generated(
                texts=tuple(self._encoder.decode(encoded.ids, self._told(row)) for row in own),
                prompt_tokens=len(encoded.ids),
                completion_tokens=sum(len(row.ids) for row in own),
                finish_reasons=tuple(row.reason for row in own),
                seconds=seconds,
                truncated=encoded.truncated,
            )

    def _told(self, row: _Row) -> list[int]:
        return row.ids[:-1] if row.reason == "stop" else row.ids

    def _samples(self, members: Sequence[tuple[Prompt, Encoded]], sampling: Sampling) -> list[_Row]:
        """All samples of the first prompt, then all of the next."""
        batch = self._prefill([encoded for _, encoded in members])
        rows = [_Row(prompt, encoded, []) for prompt, encoded in members for _ in range(sampling.n)]
        uniform = self._uniform(members, sampling)
        for at in range(0, len(rows), self._batch_size):
            part = range(at, min(at + self._batch_size, len(rows)))
            chosen = [number // sampling.n for number in part]
            # Writing changes a batch, so what is written from again stays as it is.
            alone = chosen == list(range(len(members))) and len(part) == len(rows)
            piece = batch if alone else batch.rows(self._torch, self._new_cache, chosen)
            self._decode(piece, rows[at : part.stop], uniform[at : part.stop], sampling)
        return rows

    # ---- reading

    def _prefill(self, members: Sequence[Encoded]) -> _Batch:
        """Read prefixes that are not yet known, then the rests of all prompts side by side.

        A row is padding, prefix, padding, rest; positions count what is no padding.
        """
        torch, device = self._torch, self._model.device
        prefixes = [encoded.ids[: encoded.prefix] for encoded in members]
        rests = [encoded.ids[encoded.prefix :] for encoded in members]
        cache = self._stacked([tuple(prefix) for prefix in prefixes])
        mask = torch.cat([_mask(torch, prefixes), _mask(torch, rests)], dim=1).to(device)
        width = max(map(len, rests))
        ids = torch.tensor([[0] * (width - len(rest)) + rest for rest in rests], device=device)
        places = (mask.cumsum(1) - 1).clamp(min=0)
        logits = self._read(ids, mask, places[:, -width:], cache)
        return _Batch(cache, mask, places[:, -1] + 1, logits)

    def _stacked(self, prefixes: Sequence[tuple[int, ...]]) -> Any:
        """What the model remembers of prefixes, one a row, padded at the left."""
        known, self._prefixes = self._prefixes, {}
        for prefix in filter(None, prefixes):
            if prefix not in self._prefixes:
                self._prefixes[prefix] = known[prefix] if prefix in known else self._read_prefix(prefix)
        cache = self._new_cache()
        if not self._prefixes:
            return cache
        width = max(map(len, prefixes))
        some = next(iter(self._prefixes.values()))
        for number, layer in enumerate(some.layers):
            parts: dict[str, list[Any]] = {"keys": [], "values": []}
            for prefix in prefixes:
                for name, states in parts.items():
                    own = getattr(self._prefixes[prefix].layers[number] if prefix else layer, name)
                    own = own if prefix else own[:, :, :0]
                    pad = self._torch.nn.functional.pad
                    states.append(pad(own, (0, 0, width - own.shape[2], 0)))
            cache.update(self._torch.cat(parts["keys"]), self._torch.cat(parts["values"]), number)
        return cache

    def _read_prefix(self, prefix: tuple[int, ...]) -> Any:
        ids = self._torch.tensor([prefix], device=self._model.device)
        places = self._torch.arange(len(prefix), device=self._model.device)[None]
        cache = self._new_cache()
        self._read(ids, self._torch.ones_like(ids), places, cache)
        return cache

    def _read(self, ids: Any, mask: Any, places: Any, cache: Any) -> Any:
        """Read tokens into the cache; what would be said next, (rows, vocabulary)."""
        # Later releases of transformers have another name for the cache.
        extra = {"position_ids": places, "logits_to_keep": 1, self._cache_name: cache}
        said = self._model(
            input_ids=ids,
            attention_mask=mask,
            use_cache=True,
            **{name: value for name, value in extra.items() if name in self._forward},
        )
        return said.logits[:, -1]

    # ---- writing

    def _uniform(self, members: Sequence[tuple[Prompt, Encoded]], sampling: Sampling) -> Any:
        """float64, (prompts x samples, tokens), from 0 to 1; empty where nothing is drawn."""
        torch = self._torch
        if not sampling.temperature:
            return torch.empty(len(members) * sampling.n, 0)
        draws = [
            torch.rand(
                sampling.max_tokens,
                generator=torch.Generator().manual_seed(sampling.seed_of(prompt, number)),
                dtype=torch.float64,
            )
            for prompt, _ in members
            for number in range(sampling.n)
        ]
        return torch.stack(draws)

    def _decode(self, batch: _Batch, rows: Sequence[_Row], uniform: Any, sampling: Sampling) -> None:
        """Write all rows to their ends; those that have ended are left out of what is still computed."""
        torch = self._torch
        alive = list(rows)
        uniform = uniform.to(batch.mask.device)
        for step in range(sampling.max_tokens):
            chosen = pick(torch, batch.logits, sampling, uniform[:, step] if sampling.temperature else None)
            ids = chosen.tolist()
            going = [at for at, row in enumerate(alive) if self._goes_on(row, ids[at])]
            if not going or step + 1 == sampling.max_tokens:
                return
            if len(going) < len(alive):
                batch = batch.rows(torch, self._new_cache, going)
                index = torch.tensor(going, device=chosen.device)
                chosen, uniform = chosen[index], uniform[index]
                alive = [alive[at] for at in going]
            batch.mask = torch.nn.functional.pad(batch.mask, (0, 1), value=1)
            batch.logits = self._read(chosen[:, None], batch.mask, batch.positions[:, None], batch.cache)
            batch.positions = batch.positions + 1

    def _goes_on(self, row: _Row, token: int) -> bool:
        row.ids.append(token)
        if token in self._ends:
            row.reason = "stop"
            return False
        row.said += self._encoder.piece(token)
        if row.prompt.finished(row.said):
            row.reason = "cut"
            return False
        return True


_LIKELIEST = 256
"""Tokens that are sorted at first: mostly they have all of the probability that is drawn from."""


def pick(torch: Any, logits: Any, sampling: Sampling, uniform: Any) -> Any:
    """One token a row: the likeliest, or the one in which a row's number from 0 to 1 falls.

    `logits` is (rows, vocabulary), `uniform` (rows,).  Drawn from are the likeliest tokens up to the one
    with which their share reaches `top_p`.
    """
    if not sampling.temperature:
        return logits.argmax(-1)
    scaled = logits.double() / sampling.temperature
    total = scaled.logsumexp(-1, keepdim=True)
    most = scaled.shape[-1]
    count = min(_LIKELIEST, most) if sampling.top_p < 1 else most
    top, tokens = scaled.topk(count, dim=-1)
    shares = (top - total).exp()
    if count < most and bool((shares.sum(-1) < sampling.top_p).any()):
        top, tokens = scaled.sort(dim=-1, descending=True)
        shares = (top - total).exp()
    up_to = shares.cumsum(-1)
    shares = shares * (up_to - shares < sampling.top_p)
    up_to = shares.cumsum(-1)
    place = (up_to <= uniform[:, None] * up_to[:, -1:]).sum(-1, keepdim=True)
    last = (shares > 0).sum(-1, keepdim=True) - 1
    return tokens.gather(-1, place.minimum(last))[:, 0]


def _map_cache(cache: Any, new_cache: Any, change: Any) -> Any:
    changed = new_cache()
    for number, layer in enumerate(cache.layers):
        changed.update(change(layer.keys), change(layer.values), number)
    return changed


def _mask(torch: Any, rows: Sequence[Sequence[int]]) -> Any:
    width = max(map(len, rows))
    return torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows], dtype=torch.int64)


def _common(rows: Sequence[Sequence[int]]) -> int:
    """Length of the longest common beginning; at least one token of each row stays behind it."""
    ordered = sorted(map(tuple, rows))
    least, most = ordered[0], ordered[-1]
    length = next((at for at, (a, b) in enumerate(zip(least, most, strict=False)) if a != b), len(least))
    return min(length, min(map(len, rows)) - 1)


def _accepted(function: Any) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


def _end_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    named = [model.generation_config.eos_token_id, tokenizer.eos_token_id]
    ends = [end for name in named if name is not None for end in (name if isinstance(name, list) else [name])]
    return frozenset(ends)
