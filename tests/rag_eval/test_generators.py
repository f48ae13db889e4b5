"""Generators by name, how they sample, and the one that replays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from apikb.kb.errors import ApikbError
from apikb.rag_eval.generators import Generated, Sampling, generator_named
from apikb.rag_eval.generators.replay import replay_line
from apikb.rag_eval.prompts import Prompt, Style
from apikb.rag_eval.tasks import TaskKind

A, B = (Prompt(TaskKind.LINE, Style.COMPLETION, "shared ", own) for own in "ab")


@pytest.mark.parametrize(
    ("kind", "n", "tokens"),
    [(TaskKind.TOKEN, 100, 64), (TaskKind.LINE, 6, 128), (TaskKind.BLOCK, 6, 512),
     (TaskKind.OLD_TO_NEW, 6, 512),
     (TaskKind.NEW_TO_OLD, 6, 512), (TaskKind.GENERATION, 6, 512)],
)  # fmt: skip
def test_sampling_is_the_papers(kind: TaskKind, n: int, tokens: int) -> None:
    assert Sampling.of_paper(kind, seed=3) == Sampling(n, tokens, temperature=0.8, top_p=0.95, seed=3)
    assert Sampling.of_paper(kind, greedy=True) == Sampling(1, tokens, temperature=0, top_p=1)
    assert Sampling.of_paper(kind, n=2).n == 2


@pytest.mark.parametrize(
    ("n", "tokens", "temperature", "top_p"),
    [
        (0, 1, 1, 1),
        (1, 0, 1, 1),
        (1, 1, -1, 1),
        (1, 1, 1, 0),
        (1, 1, 1, 1.1),
        (2, 1, 0, 1),
        (1, 1, float("nan"), 1),
    ],
)
def test_what_is_no_way_to_sample_is_refused(n: int, tokens: int, temperature: float, top_p: float) -> None:
    with pytest.raises(ApikbError):
        Sampling(n, tokens, temperature, top_p)


def test_seeds_differ_by_prompt_number_and_seed() -> None:
    samplings = [Sampling(2, 1, seed=seed) for seed in (0, 1)]
    seeds = [each.seed_of(prompt, number) for each in samplings for prompt in (A, B) for number in (0, 1)]
    assert len(set(seeds)) == 8
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert Sampling(9, 7, 0.1, 0.5).seed_of(A) == Sampling(2, 1).seed_of(A)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("smolm2", {}, "did you mean smollm2"),
        ("smollm2:x", {}, "no generator"),
        ("hf", {}, "no generator"),
        ("hf:", {}, "no generator"),
        ("hf:x", {"batchsize": 2}, "did you mean batch_size"),
        ("hf:x", {"style": "poem"}, "chat, completion"),
        ("hf:x", {"batch_size": 0}, "at least 1"),
        ("hf:./nowhere", {}, "no folder"),
        ("gguf:nowhere.gguf", {}, "no file"),
        ("replay:x", {"batch_size": 2}, "its options: style"),
    ],
)
def test_wrong_names_and_options_say_what_is_meant(name: str, options: dict[str, object], words: str) -> None:
    with pytest.raises(ApikbError) as error:
        generator_named(name, **options)
    assert words in f"{error.value.message} {error.value.hint}"


def file(folder: Path, *lines: object) -> str:
    path = folder / "samples.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return f"replay:{path}"


def test_a_replay_gives_what_was_generated(tmp_path: Path) -> None:
    first = Generated(("x\u2028", "y"), 7, 5, ("stop", "length"), truncated=3)
    second = Generated((), 4, 0, error="hung")
    made = generator_named(file(tmp_path, replay_line(A, first), replay_line(B, second)))
    assert list(made.generate([B, A], Sampling(2, 8))) == [second, first]
    (one,) = made.generate([A], Sampling(1, 8))
    assert (one.texts, one.finish_reasons) == (("x\u2028",), ("stop",))
    assert json.loads(json.dumps(made.describe()))["prompts"] == 2


def test_a_later_success_counts_and_a_later_error_does_not(tmp_path: Path) -> None:
    good, bad = Generated(("x",), 1, 1), Generated((), 1, 0, error="hung")
    lines = [replay_line(A, bad), replay_line(A, good), replay_line(A, bad)]
    assert list(generator_named(file(tmp_path, *lines)).generate([A], Sampling(1, 8))) == [good]


def test_what_a_replay_lacks_is_an_error_of_that_prompt(tmp_path: Path) -> None:
    made = generator_named(file(tmp_path, replay_line(A, Generated(("x",), 1, 1))))
    few, none = made.generate([A, B], Sampling(2, 8))
    assert few.error is not None and "1 samples" in few.error
    assert none.error is not None and none.texts == ()


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"prompt_hash": "a"}', '{"prompt_hash": "a", "texts": [1]}', "[" * 100_000]
)
def test_a_broken_replay_is_named_by_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text("\n" + line, encoding="utf-8")
    with pytest.raises(ApikbError, match=r"samples\.jsonl:2"):
        list(generator_named(f"replay:{path}").generate([A], Sampling(1, 8)))
