"""Prompts as tokens of a model's tokenizer, shortened where they are too long."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..prompts import Prompt, Style


@dataclass(frozen=True, slots=True)
class Encoded:
    """The tokens of one prompt."""

    ids: list[int]
    truncated: int = 0
    """Tokens that were taken out."""
    prefix: int = 0
    """Tokens at the start that the neighbours have too."""
    error: str | None = None
    """Why it cannot be read by the model."""

    def with_prefix(self, length: int) -> Encoded:
        """The same, with a shared start; a prompt with an error has none."""
        return self if self.error else replace(self, prefix=length)


class PromptEncoder:
    """Makes tokens of prompts, and text of tokens.

    `most` is the number of tokens that the model has places for, prompt and output together; None where
    there is no limit.
    """

    def __init__(self, tokenizer: Any, *, most: int | None, most_of_prompt: int | None = None) -> None:
        self.tokenizer = tokenizer
        self._most = most
        self._most_of_prompt = most_of_prompt
        self._pieces: dict[int, str] = {}
        added = (str(token) for token in tokenizer.added_tokens_decoder.values() if token.special)
        self._special = [token for token in {*tokenizer.all_special_tokens, *added} if len(token) > 1]

    def encode(self, prompt: Prompt, max_tokens: int) -> Encoded:
        """The tokens of a prompt.

        Of one that is too long tokens are left out behind its head, so that the start of the code goes
        first, then the start of the context; head and cue stay.
        """
        parts = self._parts(prompt)
        special = prompt.style == Style.COMPLETION
        ids = self._ids("".join(parts), special)
        limits = [self._most_of_prompt, None if self._most is None else self._most - max_tokens]
        limit = min((each for each in limits if each is not None), default=len(ids))
        if len(ids) <= limit:
            return Encoded(ids)
        head, middle, cue = (self._ids(part, special and not number) for number, part in enumerate(parts))
        room = limit - len(head) - len(cue)
        if room < 0:
            return Encoded(
                ids, error=f"the prompt has {len(ids)} tokens, and {-room} too many without code and context"
            )
        shortened = head + middle[len(middle) - room :] + cue
        return Encoded(shortened, truncated=len(ids) - len(shortened))

    def decode(self, before: list[int], ids: list[int]) -> str:
        """The text of tokens behind others: some tokenizers drop the space of a first token."""
        first = self._text(before[-1:])
        both = self._text(before[-1:] + ids)
        return both[len(first) :] if first and both.startswith(first) else self._text(ids)

    def piece(self, token: int) -> str:
        """Roughly the text of one token: enough to see where an output ends."""
        if token not in self._pieces:
            # SentencePiece marks the space before a word by this character.
            space = str(self.tokenizer.convert_ids_to_tokens(token)).startswith("\u2581")
            text = self._text([token])
            self._pieces[token] = " " + text.lstrip(" ") if space else text
        return self._pieces[token]

    def _parts(self, prompt: Prompt) -> tuple[str, str, str]:
        """What stays at the start, what may be shortened, and what stays at the end."""
        text = prompt.text
        cue = len(text) - prompt.cue
        head, middle, end = (
            self._harmless(part) for part in (text[: prompt.head], text[prompt.head : cue], text[cue:])
        )
        if prompt.style == Style.COMPLETION:
            return head, middle, end
        content = head + middle + end
        whole = self.tokenizer.apply_chat_template(
            [{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True
        )
        before, found, after = whole.partition(content)
        return (before + head, middle, end + after) if found else ("", whole, "")

    def _harmless(self, text: str) -> str:
        """Words that steer the model, in text that is quoted, with a space in them: data steers nothing."""
        for token in self._special:
            text = text.replace(token, f"{token[0]} {token[1:]}")
        return text

    def _ids(self, text: str, special: bool) -> list[int]:
        ids = list(self.tokenizer(text, add_special_tokens=special)["input_ids"]) if text else []
        # Some tokenizers close a text of their own accord; this one goes on.
        return ids[:-1] if special and ids and ids[-1] == self.tokenizer.eos_token_id else ids

    def _text(self, ids: list[int]) -> str:
        text = self.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return str(text)
