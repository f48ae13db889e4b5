"""CPU per output of each metric, against the published scripts' algorithm written plainly.

    APIKB_SHARED=... python benchmarks/scoring.py --outputs 100000

The outputs are the 200 x 6 real ones of Llama-3-70B on VersiCode's lines, replicated: in every copy some
names of task, reference and outputs are renamed, the same in all of them, so that scores stay what they
are while no text comes twice but by the model's own doing.  Remembering texts across tasks wins nothing.
Within a task it does, since a model often says the same six times: `--distinct` makes the six differ by a
comment, and shows what is left.  Half of all tasks can be made blocks of twelve lines with `--blocks`.

The plain side does what the scripts do for each output: tokenise reference and output by `tokenize`, look
at every pair letter by letter, search by `re`, compile.  It runs on a sample, since it is slow; both sides
have to give the same scores there, to 1e-12, or the benchmark fails.
"""

from __future__ import annotations

import argparse
import io
import json
import keyword
import os
import random
import re
import sys
import time
import tokenize
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from apikb.rag_eval.metrics.official import Gold, cdc, core_line, em, exact, ism, pm, score
from apikb.rag_eval.metrics.words import compiles

GOAL = 5.0


@dataclass(frozen=True, slots=True)
class Case:
    """One task with its outputs."""

    reference: str
    name: str
    outputs: tuple[str, ...]
    masked: str
    mask: str


# ---- the outputs


def real_cases(shared: Path) -> list[Case]:
    """The real tasks that have outputs."""
    data = {row["id"]: row for row in _rows(shared / "data/versicode_stackoverflow_line.jsonl")}
    return [
        Case(
            data[row["id"]]["masked_line"], data[row["id"]]["answer"], tuple(row["outputs"]),
            data[row["id"]]["masked_code"], "<line_mask>",
        )
        for row in _rows(shared / "data/versicode_llama3_70b_line_outputs.jsonl")
    ]  # fmt: skip


def _rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


_NAME = re.compile(r"(?<![\w'\"])[a-z]\w{2,}(?![\w'\"])")


def varied(case: Case, number: int, rng: random.Random, distinct: bool) -> Case:
    """A copy with three of its names renamed everywhere, so that texts are new and lengths nearly kept."""
    texts = [case.reference, *case.outputs, case.masked]
    names = sorted({name for text in texts[:2] for name in _NAME.findall(text)})
    names = [name for name in names if not keyword.iskeyword(name) and name not in case.name]
    names = [name for name in names if case.name not in name]
    chosen = rng.sample(names, min(3, len(names)))
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, chosen)) + r")\b") if chosen else None

    def renamed(text: str) -> str:
        return pattern.sub(lambda match: f"{match[1]}{number}", text) if pattern else text

    outputs = [renamed(text) for text in case.outputs]
    if distinct:
        outputs = [f"{text}  # {place}" for place, text in enumerate(outputs)]
    return Case(renamed(case.reference), case.name, tuple(outputs), renamed(case.masked), case.mask)


def as_block(case: Case, fillers: Sequence[str]) -> Case:
    """A block of twelve lines around the reference, and around each output."""

    def block(line: str) -> str:
        return "\n".join((*fillers[:6], line.strip(), *fillers[6:]))

    outputs = tuple(block(output) for output in case.outputs)
    return Case(block(case.reference), case.name, outputs, "<mask>", "<mask>")


def all_cases(shared: Path, count: int, distinct: bool, blocks: bool) -> list[Case]:
    """Cases with `count` outputs in all, the same on every run."""
    rng = random.Random(7)
    real = real_cases(shared)
    fillers = sorted({case.reference.strip() for case in real if compiles(case.reference.strip())})
    found: list[Case] = []
    for number in range(-(-count // 6)):
        case = varied(real[number % len(real)], number, rng, distinct)
        if blocks and number % 2:
            case = as_block(case, [line.replace(case.name, "other") for line in rng.sample(fillers, 11)])
        found.append(case)
    return found


# ---- the plain side: what the scripts do, in plain words


def plain_names(code: str) -> list[str]:
    found: list[str] = []
    try:
        for token in tokenize.tokenize(io.BytesIO(code.encode("utf-8")).readline):
            if token.type == tokenize.NAME:
                found.append(token.string)
    except Exception:
        return []
    return found


def plain_lines(code: str) -> list[list[str]]:
    found = []
    for line in code.split("\n"):
        names: list[str] = []
        try:
            for token in tokenize.tokenize(io.BytesIO(line.encode("utf-8")).readline):
                if token.type == tokenize.NAME:
                    names.append(token.string)
        except Exception:
            names = line.split(" ")
        found.append(names)
    return found


def plain_similarity(ours: Sequence[Sequence[str]], theirs: Sequence[Sequence[str]]) -> float:
    best, longer = 0, 1
    for one in ours:
        for other in theirs:
            length = 0
            for place in range(min(len(one), len(other))):
                if one[place] != other[place]:
                    break
                length += 1
            if length > best:
                best, longer = length, max(len(one), len(other))
    return best / longer


def plain_compiles(program: str) -> bool:
    try:
        compile(program, "<string>", "exec")
    except Exception:
        return False
    return True


def plain_ism(case: Case, output: str) -> float:
    if case.name not in output:
        return 0.0
    return plain_similarity(plain_names(case.reference), plain_names(output))


def plain_pm(case: Case, output: str) -> float:
    if case.name not in output:
        return 0.0
    return plain_similarity(plain_lines(case.reference), plain_lines(output))


def plain_verified(metric: Callable[[Case, str], float]) -> Callable[[Case, str], float]:
    def verified(case: Case, output: str) -> float:
        return metric(case, output) if case.name in output and plain_compiles(output) else 0.0

    return verified


def plain_em(case: Case, output: str) -> float:
    return float(re.search(rf"\b{re.escape(case.name)}\b", output) is not None)


def plain_exact(case: Case, output: str) -> float:
    return float(case.name == output)


def plain_cdc(case: Case, output: str) -> float:
    line, theirs = case.reference, output
    if "\n" in case.reference:
        line, theirs = core_line(case.reference, case.name), core_line(output, case.name)
    program = case.masked.replace(case.mask, output)
    agrees = (
        re.search(rf"\b{re.escape(case.name)}\b", output) is not None
        and plain_compiles(program)
        and _arguments_agree(case.name, line, theirs)
        and line.startswith("with") == theirs.startswith("with")
        and _keywords_agree(case.name, line, theirs)
    )
    return float(agrees)


def _arguments(name: str, code: str) -> list[str] | None:
    match = re.search(rf"{name}\((.*?)\)", code)
    return [part.strip() for part in match[1].split(",") if part.strip()] if match else None


def _arguments_agree(name: str, line: str, theirs: str) -> bool:
    wanted, found = _arguments(name, line), _arguments(name, theirs)
    return found is not None and len(found) == len(wanted or ())


def _keywords_agree(name: str, line: str, theirs: str) -> bool:
    wanted, found = _arguments(name, line), _arguments(name, theirs)
    if wanted is None or found is None:
        return False
    keywords = [part.split("=")[0].strip() for part in wanted if "=" in part]
    return all(any(word in part and "=" in part for part in found) for word in keywords)


PLAIN: dict[str, Callable[[Case, str], float]] = {
    "pass": plain_exact,
    "ism": plain_ism,
    "pm": plain_pm,
    "ism-verified": plain_verified(plain_ism),
    "pm-verified": plain_verified(plain_pm),
    "em": plain_em,
    "cdc": plain_cdc,
}


# ---- our side


def ours(metric: str, case: Case) -> list[float]:
    """The scores of all outputs of a case, as `official.score` goes about it: equal outputs once."""
    block = "\n" in case.reference
    gold = Gold(case.reference, case.name, core_line(case.reference, case.name) if block else None)
    known: dict[str, float] = {}
    for output in case.outputs:
        if output not in known:
            known[output] = float(_one(metric, gold, case, output, block))
    return [known[output] for output in case.outputs]


def _one(metric: str, gold: Gold, case: Case, output: str, block: bool) -> float:
    if metric == "cdc":
        line = core_line(output, case.name) if block else None
        return cdc(gold, output, case.masked.replace(case.mask, output), line)
    if metric in ("ism-verified", "pm-verified"):
        value = (ism if metric == "ism-verified" else pm)(gold, output)
        return value if value and compiles(output) else 0.0
    return {"pass": exact, "ism": ism, "pm": pm, "em": em}[metric](gold, output)


def all_at_once(case: Case) -> None:
    """What a run does: every metric of every output."""
    programs = [case.masked.replace(case.mask, output) for output in case.outputs]
    block = "\n" in case.reference
    gold = Gold(case.reference, case.name, core_line(case.reference, case.name) if block else None)
    score(gold, case.outputs, programs, block=block)


# ---- measuring


def cpu_of(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def measured(cases: Sequence[Case], sample: int) -> Iterator[tuple[str, float, float]]:
    """Metric, microseconds per output of ours and of the plain side."""
    outputs = sum(len(case.outputs) for case in cases)
    few = cases[:: max(1, len(cases) * 6 // sample)]
    few_outputs = sum(len(case.outputs) for case in few)
    total = 0.0
    for metric, plain in PLAIN.items():
        fast = cpu_of(lambda metric=metric: [ours(metric, case) for case in cases])  # type: ignore[misc]
        start = time.process_time()
        expected = [[plain(case, output) for output in case.outputs] for case in few]
        slow = time.process_time() - start
        total += slow
        for case, values in zip(few, expected, strict=True):
            if any(abs(a - b) > 1e-12 for a, b in zip(ours(metric, case), values, strict=True)):
                raise SystemExit(f"{metric} differs on {case}")
        yield metric, fast / outputs * 1e6, slow / few_outputs * 1e6
    fast = cpu_of(lambda: [all_at_once(case) for case in cases])
    yield "all seven", fast / outputs * 1e6, total / few_outputs * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--outputs", type=int, default=100_000, help="how many ours scores (default: 100,000)"
    )
    parser.add_argument("--sample", type=int, default=6_000, help="how many the plain side scores")
    parser.add_argument("--distinct", action="store_true", help="the six outputs of a task all differ")
    parser.add_argument("--blocks", action="store_true", help="every other task is a block of twelve lines")
    options = parser.parse_args()
    shared = os.environ.get("APIKB_SHARED")
    if shared is None:
        raise SystemExit("APIKB_SHARED has to name the folder with the real outputs")
    if sys.version_info >= (3, 12):
        raise SystemExit("the plain side needs the tokenizer of Python 3.11")
    warnings.simplefilter("ignore")
    print(f"load {os.getloadavg()[0]:.1f}; Python {sys.version.split()[0]}")
    cases = all_cases(Path(shared), options.outputs, options.distinct, options.blocks)
    distinct = len({output for case in cases for output in case.outputs})
    print(f"{sum(len(case.outputs) for case in cases)} outputs, {distinct} distinct; plain: {options.sample}")
    print(f"{'metric':<14}{'ours us':>10}{'plain us':>10}{'times':>8}")
    for metric, fast, slow in measured(cases, options.sample):
        verdict = "" if slow / fast >= GOAL else f"  below the goal of {GOAL:g}"
        print(f"{metric:<14}{fast:>10.2f}{slow:>10.2f}{slow / fast:>8.1f}{verdict}", flush=True)


if __name__ == "__main__":
    main()
