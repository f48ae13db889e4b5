"""The official metrics equal what the published scripts gave, on real outputs and on crafted ones."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from apikb.rag_eval.metrics import official
from apikb.rag_eval.metrics.cleaning import before_comma, clean, without_fences
from apikb.rag_eval.metrics.estimators import best_of_k, pass_at_k
from apikb.rag_eval.metrics.official import Gold, cdc, core_line, em, exact, ism, pm, score
from apikb.rag_eval.metrics.words import compiles, has_word

SHARED = os.environ.get("APIKB_SHARED")
needs_shared = pytest.mark.skipif(SHARED is None, reason="APIKB_SHARED names no reference scores")
as_3_11 = pytest.mark.skipif(
    sys.version_info >= (3, 12),
    reason="the references asked the compiler of 3.11, which refuses more",
)
TOLERANCE = 1e-12


def rows(name: str) -> list[dict[str, Any]]:
    path = Path(SHARED or "") / "data" / name
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def cases() -> Iterator[tuple[dict[str, Any], list[str], list[str], dict[str, Any]]]:
    """The data, the raw and the cleaned outputs, and the reference of each real instance."""
    data = {row["id"]: row for row in rows("versicode_stackoverflow_line.jsonl")}
    outputs = {row["id"]: row for row in rows("versicode_llama3_70b_line_outputs.jsonl")}
    for reference in rows("versicode_line_reference_scores.jsonl"):
        found = outputs[reference["id"]]
        yield data[reference["id"]], found["raw_outputs"], found["outputs"], reference


def close(ours: float, theirs: float) -> bool:
    return abs(ours - theirs) <= TOLERANCE


# ---- against the references


def wrong_in_references(metrics: Any = official) -> list[str]:
    """What of the references these functions do not reproduce.  Needs no compiler."""
    wrong = []
    for row, raw, outputs, reference in cases():
        gold = metrics.Gold(row["masked_line"], row["answer"])
        given = {
            "clean": ([clean(text) for text in raw], outputs),
            "ism": ([metrics.ism(gold, text) for text in outputs], reference["ism_per_output"]),
            "pm": ([metrics.pm(gold, text) for text in outputs], reference["pm_per_output"]),
            "word": ([metrics.em(gold, text) for text in outputs], reference["answer_word"]),
        }
        wrong += [f"{row['id']} {name}" for name, (ours, theirs) in given.items() if not same(ours, theirs)]
        for k in (1, 3, 6):
            at_k = {
                "ism": best_of_k(given["ism"][0], k),
                "pm": best_of_k(given["pm"][0], k),
                "em": pass_at_k(6, sum(given["word"][0]), k),
                "pass_exact_answer": pass_at_k(6, sum(metrics.exact(gold, text) for text in outputs), k),
                "pass_exact_line": pass_at_k(6, sum(text == gold.reference for text in outputs), k),
            }
            wrong += [
                f"{row['id']} {name}@{k}"
                for name, ours in at_k.items()
                if not close(ours, reference[f"{name}@{k}"])
            ]
    return wrong


def same(ours: Sequence[Any], theirs: Sequence[Any]) -> bool:
    return len(ours) == len(theirs) and all(
        a == b if isinstance(a, str) else close(a, b) for a, b in zip(ours, theirs, strict=True)
    )


@needs_shared
def test_all_real_outputs() -> None:
    assert wrong_in_references() == []


@needs_shared
@as_3_11
def test_all_real_outputs_that_have_to_compile() -> None:
    """ISM and PM with verification, CDC with the mask filled and as published, and ISM and PM as the later
    scripts guard them: by the word."""
    for row, _, outputs, reference in cases():
        gold = Gold(row["masked_line"], row["answer"])
        programs = [row["masked_code"].replace("<line_mask>", text) for text in outputs]
        literal = [row["masked_code"].replace("<mask>", text) for text in outputs]
        scores = score(gold, outputs, programs, block=False)
        taken = [em(gold, text) and compiles(text) for text in outputs]
        per_output: dict[str, list[float]] = {
            "ism_verified": [found.ism_verified for found in scores],
            "pm_verified": [found.pm_verified for found in scores],
            "oh_ism": [ism(gold, text) if ok else 0 for text, ok in zip(outputs, taken, strict=True)],
            "oh_pm": [pm(gold, text) if ok else 0 for text, ok in zip(outputs, taken, strict=True)],
        }
        counts = {
            "cdc": sum(found.cdc for found in scores),
            "cdc_literal": sum(map(cdc, [gold] * 6, outputs, literal)),
        }
        for k in (1, 3, 6):
            for name, values in per_output.items():
                assert close(best_of_k(values, k), reference[f"{name}@{k}"]), (row["id"], name, k)
            for name, count in counts.items():
                assert close(pass_at_k(6, count, k), reference[f"{name}@{k}"]), (row["id"], name, k)


@needs_shared
def test_means_of_all_real_outputs() -> None:
    """The means that are written beside the references."""
    sums = dict.fromkeys((f"{name}@{k}" for name in ("ism", "pm", "em") for k in (1, 3, 6)), 0.0)
    for row, _, outputs, _ in cases():
        gold = Gold(row["masked_line"], row["answer"])
        for k in (1, 3, 6):
            sums[f"ism@{k}"] += best_of_k([ism(gold, text) for text in outputs], k)
            sums[f"pm@{k}"] += best_of_k([pm(gold, text) for text in outputs], k)
            sums[f"em@{k}"] += pass_at_k(6, sum(em(gold, text) for text in outputs), k)
    found = {name: round(total / 2, 4) for name, total in sums.items()}
    assert found == {
        "ism@1": 50.7648, "ism@3": 55.2114, "ism@6": 57.6, "pm@1": 37.2029, "pm@3": 41.9762, "pm@6": 44.8734,
        "em@1": 58.8333, "em@3": 64.2, "em@6": 67.0,
    }  # fmt: skip


@needs_shared
def test_crafted_vectors() -> None:
    vectors = json.loads((Path(SHARED or "") / "data/metric_quirk_vectors.json").read_text(encoding="utf-8"))
    assert len(vectors) == 16
    for vector in vectors:
        gold = Gold(vector["reference"], vector["answer"])
        (found,) = score(gold, [vector["output"]], [vector["output"]], block=False)
        for name in ("ism", "pm", "ism_verified", "pm_verified"):
            assert close(getattr(found, name), vector[name]), (vector["case"], name)


# ---- vectors of our own: reference, output, name, ISM, PM

VECTORS = [
    ("y = torch.symeig(a)", "y = torch.symeig(a)", "symeig", 1, 1),
    ("df.append(x)", "pd.concat([x])", "append", 0, 0),  # The name does not occur.
    ("df.append(x)", "df.appended = 1", "append", 6 / 8, 1 / 3),  # It occurs inside another one.
    ("long_name = pd.concat([a])", "long_name = concat", "concat", 1, 1 / 4),  # Any shared name will do.
    ("import os\nos.walk(p)", "import os\nwalk", "walk", 1, 1),  # Any shared line will do.
    ("f(a,", "f(a, b)", "f", 0, 0),  # The reference is a piece: no names, its line by its spaces.
    ("f(a,", "f(a, c", "f", 0, 1 / 2),
    ("x = f('a')", "x = f('a", "f", 0, 1 / 3),
    ("f(abx)", "abf abz", "f", 2 / 3, 0),  # abx with abf, the first of two that tie.
    ("abcdef(1)\nabczzzzzz", "abcq\nabcdz f", "f", 4 / 6, 0),
    ("aab\nf", "aacccc aad f", "f", 2 / 6, 0),  # On a tie the first pair counts, not the closest.
    ("aab f\naacccc f", "aad f", "f", 2 / 3, 0),
    ("abq cdzzzz f", "cdx abx f", "f", 2 / 3, 0),  # Of ties the first in the reference.
    ("a b q\nc d x y f", "c d w\na b w f", "f", 1, 2 / 4),
    ("x = g(a)\nf(b)", "x = g(b)", "f", 0, 0),
    ("a b\na c d e", "a x\na y z w f", "f", 1, 1 / 2),
    ("print(f'{pi}')", "print(f'{pi}')", "pi", 1, 1),  # An f-string is one token.
    ("if x: f()", "if y: f()", "f", 1, 1 / 3),  # Keywords are names.
    ("x = f(1j, 0xff)", "x = f(1e5)", "f", 1, 1),  # Numbers are none.
    ("\tf(a)", "f(a)\n", "f", 1, 1),
]


def wrong_vectors(metrics: Any = official) -> list[str]:
    return [
        f"{reference!r} {output!r}"
        for reference, output, name, names, lines in VECTORS
        if not close(metrics.ism(metrics.Gold(reference, name), output), names)
        or not close(metrics.pm(metrics.Gold(reference, name), output), lines)
    ]


def test_vectors() -> None:
    assert wrong_vectors() == []


# ---- mutants: what is changed on purpose has to be seen


class Mutant:
    """The official functions with one of them altered."""

    Gold = staticmethod(Gold)

    def __init__(self, **altered: Any) -> None:
        self.ism, self.pm, self.em, self.exact = ism, pm, em, exact
        for name, function in altered.items():
            setattr(self, name, function)


def last_pair(items: Sequence[Any], others: Sequence[Any]) -> float:
    return _similarity(items, others, lambda found, best: found >= best)


def shorter_divides(items: Sequence[Any], others: Sequence[Any]) -> float:
    return _similarity(items, others, longest=min)


def theirs_first(items: Sequence[Any], others: Sequence[Any]) -> float:
    return _similarity(others, items)


def plain(items: Sequence[Any], others: Sequence[Any]) -> float:
    return _similarity(items, others)


def _similarity(
    items: Sequence[Any],
    others: Sequence[Any],
    better: Any = lambda found, best: found > best,
    longest: Any = max,
) -> float:
    """The scripts' way: every pair, letter by letter."""
    best, size = 0, 1
    for item in items:
        for other in others:
            same_until = next(
                (n for n, (a, b) in enumerate(zip(item, other, strict=False)) if a != b),
                min(len(item), len(other)),
            )
            if same_until and better(same_until, best):
                best, size = same_until, longest(len(item), len(other))
    return best / size


def whole(code: str) -> list[str]:
    return list(official._whole_names(code))


def by_line(code: str) -> list[tuple[str, ...]]:
    return [official.line_names(line) for line in code.split("\n")]


def altered(split: Any, similarity: Any, guard: Any = lambda gold, text: gold.name in text) -> Any:
    def metric(gold: Gold, text: str) -> float:
        return similarity(split(gold.reference), split(text)) if guard(gold, text) else 0.0

    return metric


MUTANTS = {
    "ism: the last of tied pairs": Mutant(ism=altered(whole, last_pair)),
    "ism: ties in the order of the output": Mutant(ism=altered(whole, theirs_first)),
    "ism: divided by the shorter name": Mutant(ism=altered(whole, shorter_divides)),
    "ism: without the guard": Mutant(ism=altered(whole, plain, lambda gold, text: True)),
    "ism: guarded by the word": Mutant(
        ism=altered(whole, plain, lambda gold, text: has_word(text, gold.name))
    ),
    "ism: lines where the tokenizer raises": Mutant(
        ism=altered(lambda code: official.identifiers(code) or code.splitlines(), plain)
    ),
    "ism: the output stripped of its last line": Mutant(ism=altered(lambda code: whole(code)[:-1], plain)),
    "pm: the last of tied lines": Mutant(pm=altered(by_line, last_pair)),
    "pm: ties in the order of the output": Mutant(pm=altered(by_line, theirs_first)),
    "pm: divided by the shorter line": Mutant(pm=altered(by_line, shorter_divides)),
    "pm: without the guard": Mutant(pm=altered(by_line, plain, lambda gold, text: True)),
    "pm: no names where the tokenizer raises": Mutant(
        pm=altered(lambda code: [tuple(official.identifiers(line) or ()) for line in code.split("\n")], plain)
    ),
    "pm: all lines as one": Mutant(pm=altered(lambda code: [tuple(whole(code))], plain)),
    "em: inside other names": Mutant(em=lambda gold, text: gold.name in text),
    "em: the whole output": Mutant(em=exact),
}


def wrong_words(metrics: Any = official) -> list[str]:
    """EM of a few outputs, by `re`."""
    texts = {"append(x)": True, "df.appended": False, "appends append": True, "_append": False, "": False}
    gold = Gold("df.append(x)", "append")
    return [text for text, expected in texts.items() if metrics.em(gold, text) != expected]


def test_the_plain_way_agrees() -> None:
    """What the mutants are made from gives the same as what is used."""
    made = Mutant(ism=altered(whole, plain), pm=altered(by_line, plain))
    assert wrong_vectors(made) == [] and wrong_words(made) == []


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_seen(name: str) -> None:
    assert wrong_vectors(MUTANTS[name]) or wrong_words(MUTANTS[name])


SEEN_BY_REAL_OUTPUTS = [
    "ism: divided by the shorter name", "ism: without the guard", "ism: lines where the tokenizer raises",
    "pm: divided by the shorter line", "pm: without the guard", "em: inside other names",
    "em: the whole output", "ism: guarded by the word", "pm: no names where the tokenizer raises",
]  # fmt: skip
"""Real lines hold no ties that matter: the crafted vectors are for those."""


@needs_shared
@pytest.mark.parametrize("name", SEEN_BY_REAL_OUTPUTS)
def test_mutants_are_seen_by_real_outputs(name: str) -> None:
    assert wrong_in_references(MUTANTS[name])


# ---- cleaning, estimators, words


@pytest.mark.parametrize(
    ("raw", "output"),
    [
        ("<start>a<end>", "a"),
        ("<start> a\n<end>", " a\n"),
        ("<start>a<end><start>b<end>", "a"),
        ("<end><start>a<end>", ""),
        ("<start>```python\na\n```<end>", "\na\n"),
        ("<start>```java\na```<end>", "java\na"),
        ("<start>a", "no_answer"),
        ("a", "no_answer"),
    ],
)
def test_cleaning(raw: str, output: str) -> None:
    assert clean(raw) == output


def test_a_comma_loses_the_answer() -> None:
    assert clean(before_comma("<start>a, b<end>")) == "no_answer"
    assert clean(before_comma("<start>a<end>, b")) == "a"
    assert without_fences("```python\na```") == "\na"


def test_estimators() -> None:
    scores = [1, 0.5, 0.25, 0, 0, 0]
    expected = [0.2916666666666667, 0.5166666666666667, 0.6875, 0.8166666666666667, 0.9166666666666666, 1]
    assert all(close(best_of_k(scores[::-1], k), value) for k, value in enumerate(expected, 1))
    assert [round(pass_at_k(10, 3, k), 12) for k in (1, 3, 10)] == [0.3, round(1 - 35 / 120, 12), 1.0]
    assert pass_at_k(10, 0, 10) == 0.0


@pytest.mark.parametrize(("n", "c", "k"), [(2, 0, 3), (0, 0, 1), (3, 4, 1), (3, 1, 0), (3, -1, 1)])
def test_fewer_samples_than_asked_for(n: int, c: int, k: int) -> None:
    """The scripts give 1 for two failures at k = 3."""
    with pytest.raises(ValueError, match=f"pass@{k}"):
        pass_at_k(n, c, k)


def test_fewer_scores_than_asked_for() -> None:
    for scores, k in (([], 1), ([1.0], 2), ([1.0], 0)):
        with pytest.raises(ValueError, match=f"best of {k}"):
            best_of_k(scores, k)


def test_compiling() -> None:
    assert compiles("x = 1") and compiles("x is 1") and compiles("")
    assert not compiles("return 1") and not compiles("f(") and not compiles("a\0b")
    assert not compiles("(" * 500 + ")" * 500)


# ---- CDC

CDC = [
    ("x = f(a, k=1)", "x = f(b, k=2)", True),
    ("x = f(a, k=1)", "x = f(b, 2)", False),  # The keyword is gone.
    ("x = f(a, k=1)", "x = f(b, kk=2)", True),  # A part of another keyword will do.
    ("x = f(a, k=1)", "x = f(b)", False),
    ("x = f(a)", "x = ff(a)", False),
    ("x = f(g(a), b)", "x = f(g(a))", True),  # Read up to the first parenthesis: one argument.
    ("x = f(a, b)", "x = f((a, b))", True),
    ("x = f", "x = f", False),  # No call in the reference.
    ("x = f()", "x = f", False),
    ("with f(a):", "f(a)", False),
    ("x = f(a)", "x = f(\na)", False),  # The pattern ends with the line.
    ("x = f(a)", "y = f(\nx) + f(a)", True),  # The next call of the name is taken.
    ("x = f(a)", "x = f(a))", False),  # Does not compile.
]


@pytest.mark.parametrize(("reference", "output", "agrees"), CDC)
def test_cdc(reference: str, output: str, agrees: bool) -> None:
    assert cdc(Gold(reference, "f"), output, output) is agrees


def test_cdc_takes_names_for_patterns() -> None:
    """The scripts do not escape the name in one of their patterns."""
    assert cdc(Gold("a.b(c)", "a.b"), "a.b(c)", "a.b(c)")
    assert not cdc(Gold("a(b(c)", "a(b"), "a(b(c)", "1")


def test_cdc_of_a_block_looks_at_its_core_line() -> None:
    gold = Gold("import f\nx = f(a)", "f", core_line="x = f(a)")
    text = "import f\ny = f(a)\nz = f(a, b)"
    (found,) = score(gold, [text], [text], block=True)
    assert core_line(text, "f") == "import f"
    assert not found.cdc, "the first line with the name is an import"
    (found,) = score(gold, ["y = f(a)\n"], ["y = f(a)\n"], block=True)
    assert found.cdc


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("a\n  x = f(a) \nf(b)", "x = f(a)"),
        ("# f(a)\nf(b)", "f(b)"),
        ("'''f(a)'''\nf(b)", "f(b)"),
        ('"""\nf(a)\n"""\nf(b)', "f(b)"),
        ('"""\nf(a)\n"""x"""\nf(b)\n"""\nf(c)', "f(c)"),
        ("f = 1\ng(f=2)\nf(b)", "f(b)"),
        ("def task_function(f):\nf(b)", "f(b)"),
        ("ff(b)", "N/A"),
        ("", "N/A"),
    ],
)
def test_core_lines(code: str, line: str) -> None:
    assert core_line(code, "f") == line


def test_a_task_without_a_name_scores_nothing() -> None:
    (found,) = score(Gold("x", ""), ["x"], ["x"], block=False)
    assert (found.exact, found.ism, found.pm, found.em, found.cdc) == (False, 0, 0, False, False)


@needs_shared
@as_3_11
def test_the_ceiling() -> None:
    """Gold against gold reaches 100 only in PM: pieces of lines have no names, bare names no call."""
    sums: Mapping[str, float] = {"ism": 0, "pm": 0, "cdc": 0}
    found = rows("versicode_stackoverflow_line.jsonl")
    for row in found:
        gold = Gold(row["masked_line"], row["answer"])
        program = row["masked_code"].replace("<line_mask>", row["masked_line"])
        (scores,) = score(gold, [row["masked_line"]], [program], block=False)
        sums = {name: total + getattr(scores, name) for name, total in sums.items()}
    assert sums["pm"] == len(found)
    assert 0.85 < sums["ism"] / len(found) < 0.95 and 0.7 < sums["cdc"] / len(found) < 0.85
