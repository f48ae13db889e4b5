"""A dense search under an exact filter, without encoding the query: ours against the naive ways.

    pip install faiss-cpu
    python benchmarks/dense_speed.py --vectors kb.duckdb.search/_vectors/minilm-l6-v2/*.parquet

Texts are the vectors of the files, repeated with noise and renormalised until there are enough.  One library
of them is searched, and of that library what one release allows, drawn at random: the worst case for
reading memory.  All sides give the same ten texts (checked each time), take turns, and get the same queries:

- ours: `similarities` and `descending` over the library's own matrix;
- faiss, post-filtered: `IndexFlatIP` over all texts, as many results as should hold ten allowed ones,
  four times as many where they do not;
- faiss, selector: the same index with an `IDSelectorBitmap` of what is allowed;
- NumPy: the allowed rows gathered from the matrix of all texts, multiplied, partitioned.

The bound is what reading the library's slice once costs (the fastest of two reductions, on one core), and
below it what reading as many bytes as the release allows costs, were they in one piece.  Each number of BLAS
threads has a process of its own.  "CPU" is the median of what all threads of the process took; on a busy
machine it and the fastest times tell what the work takes, and the goals are judged by the fastest.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from statistics import median

_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_CHILD = "APIKB_BENCHMARK_THREADS"
GOAL_MS = 5.0
GOAL_TIMES = 2.0
K = 10
NOISE = 0.02
"""Standard deviation of what is added to each number of a vector of length 1."""

if _CHILD in os.environ:  # BLAS and OpenMP read them when they are loaded.
    os.environ.update(dict.fromkeys(_VARIABLES, os.environ[_CHILD]))

import numpy as np  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from measure import machine, percentile, print_table, size, verdict  # noqa: E402

from apikb.retrieval.embedded import similarities  # noqa: E402
from apikb.retrieval.lexical import Floats  # noqa: E402
from apikb.retrieval.ranking import descending  # noqa: E402

Search = Callable[[Floats], list[int]]
"""A query -> the best allowed texts, by their places among all."""


def stored_vectors(files: Sequence[Path]) -> Floats:
    """float32 (texts, dimension): all vectors of some files."""
    columns = [pq.read_table(file, columns=["vector"])["vector"].combine_chunks() for file in files]
    return np.concatenate([column.flatten().to_numpy().reshape(len(column), -1) for column in columns])


def replicated(vectors: Floats, count: int, generator: np.random.Generator) -> Floats:
    """So many vectors of length 1: the given ones, then copies of them with noise."""
    found = np.empty((count, vectors.shape[1]), np.float32)
    for start in range(0, count, len(vectors)):
        part = found[start : start + len(vectors)]
        part[:] = vectors[: len(part)]
        if start:
            part += NOISE * generator.standard_normal(part.shape, np.float32)
            part /= np.linalg.norm(part, axis=1, keepdims=True)
    return found


class Sides:
    """The ways of searching: `texts` (n, d), of which `library` is one slice, and `allowed` (m,) the places
    in it that the release has."""

    def __init__(self, texts: Floats, library: slice, allowed: np.ndarray, index: object) -> None:
        self._texts = texts
        self._first = library.start
        self._places = library.start + np.flatnonzero(allowed)
        self._may = np.zeros(len(texts), np.bool_)
        self._may[self._places] = True
        self._index = index
        self._selected = self._selector()
        self._matrix = np.array(texts[library])
        self._rows = np.arange(len(self._matrix), dtype=np.int32)
        self._mask = allowed
        self._least = self._matrix[: len(self._places)].ravel()

    def _selector(self) -> object:
        import faiss

        self._bits = np.packbits(self._may, bitorder="little")
        selector = faiss.IDSelectorBitmap(self._bits)
        return faiss.SearchParameters(sel=selector)

    def ours(self, query: Floats) -> list[int]:
        scores = similarities(query, self._matrix, self._rows, self._mask)
        return [self._first + place for place in islice(descending(scores), K)]

    def post_filtered(self, query: Floats) -> list[int]:
        count = min(len(self._texts), 2 * K * len(self._texts) // len(self._places))
        while True:
            _, found = self._index.search(query[None], count)
            kept = found[0][self._may[found[0]]]
            if len(kept) >= K or count == len(self._texts):
                return kept[:K].tolist()
            count = min(len(self._texts), 4 * count)

    def selector(self, query: Floats) -> list[int]:
        _, found = self._index.search(query[None], K, params=self._selected)
        return found[0].tolist()

    def gathered(self, query: Floats) -> list[int]:
        scores = self._texts[self._places] @ query
        best = np.argpartition(scores, -K)[-K:]
        return self._places[best[np.argsort(-scores[best])]].tolist()

    def agree(self, places: list[int], others: list[int], query: Floats) -> bool:
        """Whether two answers are equally good: ties, and what differs by rounding, may swap."""
        scores, expected = (np.sort(self._texts[each] @ query) for each in (places, others))
        return len(scores) == len(expected) and bool(np.allclose(scores, expected, atol=1e-5))

    def slice_bound(self, query: Floats) -> list[int]:
        _read(self._matrix.ravel())
        return []

    def rows_bound(self, query: Floats) -> list[int]:
        _read(self._least)
        return []


def _read(values: Floats) -> None:
    """Read memory once, in the fastest way that was found at the start."""
    _REDUCTION[0](values)


_REDUCTION: list[Callable[[Floats], object]] = [np.max]


def choose_reduction(values: Floats) -> str:
    """Find what reads memory fastest here."""
    ways: dict[str, Callable[[Floats], object]] = {"max": np.max, "sum": np.sum}
    times = {name: min(milliseconds(way, values) for _ in range(20)) for name, way in ways.items()}
    best = min(times, key=lambda name: times[name])
    _REDUCTION[0] = ways[best]
    return f"{best}, {values.nbytes / times[best] / 1e6:.1f} GB/s"


def milliseconds(work: Callable[[Floats], object], value: Floats) -> float:
    """How long a call takes."""
    started = time.perf_counter_ns()
    work(value)
    return (time.perf_counter_ns() - started) / 1e6


Times = dict[str, list[tuple[float, float]]]
"""Wall and CPU milliseconds of each query, by side."""


def race(sides: Sides, queries: Floats) -> Times:
    """Ask all sides everything, in turns."""
    ways: dict[str, Search] = {
        "ours": sides.ours,
        "faiss, post-filtered": sides.post_filtered,
        "faiss, selector": sides.selector,
        "NumPy gather": sides.gathered,
        "bound: the library": sides.slice_bound,
        "bound: allowed bytes": sides.rows_bound,
    }
    times: Times = {name: [] for name in ways}
    for number, query in enumerate(queries):
        order = list(ways)
        turned = order[number % len(order) :] + order[: number % len(order)]
        found = {}
        for name in turned:
            wall, cpu = time.perf_counter_ns(), time.process_time_ns()
            found[name] = ways[name](query)
            wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
            times[name].append((wall / 1e6, cpu / 1e6))
        for name, places in found.items():
            if places and not sides.agree(places, found["ours"], query):
                raise SystemExit(f"{name} gave {places}, ours {found['ours']}")
    return times


def report(times: Times, what: str) -> list[tuple[object, ...]]:
    """Lines of the table."""
    walls = {name: [wall for wall, _ in taken] for name, taken in times.items()}
    ours = min(walls["ours"])
    lines = []
    for name, taken in walls.items():
        beside, good = f"ours {ours / min(taken):.2g} times", ""
        if name == "ours":
            beside, good = f"{GOAL_MS:.0f} ms", verdict(ours <= GOAL_MS)
        elif name == "bound: the library":
            beside, good = f"{beside} (goal {GOAL_TIMES:.0f})", verdict(ours <= GOAL_TIMES * min(taken))
        figures = (min(taken), median(taken), percentile(taken, 0.99), median(cpu for _, cpu in times[name]))
        lines.append((f"{what}: {name}", *(f"{figure:.2f}" for figure in figures), beside, good))
    return lines


def measure(given: argparse.Namespace) -> None:
    """All sizes, with the number of threads of this process."""
    import faiss

    faiss.omp_set_num_threads(int(os.environ[_CHILD]))
    generator = np.random.default_rng(given.seed)
    stored = stored_vectors(given.vectors)
    print(f"\nBLAS and OpenMP threads: {os.environ[_CHILD]}; {machine()}", flush=True)
    for count in given.sizes:
        texts = replicated(stored, count, generator)
        index = faiss.IndexFlatIP(texts.shape[1])
        index.add(texts)
        length = min(given.library, count)
        start = (count - length) // 2
        library = slice(start, start + length)
        print(f"reading memory: {choose_reduction(texts[library].ravel())}", flush=True)
        lines = []
        for share in given.shares:
            allowed = generator.random(length) < share
            sides = Sides(texts, library, allowed, index)
            queries = texts[generator.integers(0, count, given.queries)]
            queries += NOISE * generator.standard_normal(queries.shape, np.float32)
            queries /= np.linalg.norm(queries, axis=1, keepdims=True)
            race(sides, queries[:3])
            what = f"{count:,} texts, {int(allowed.sum()):,} allowed ({share:.0%})"
            lines += report(race(sides, queries), what)
        print_table(("", "best ms", "p50 ms", "p99 ms", "CPU ms", "best, goal", ""), lines)
        print(flush=True)
        del index


def memory(files: Sequence[Path]) -> None:
    """What a text costs."""
    rows = sum(pq.read_metadata(file).num_rows for file in files)
    vectors = stored_vectors(files[:1])
    print(
        f"{rows:,} texts: {sum(file.stat().st_size for file in files) / rows:.0f} bytes "
        f"a text on disk, {vectors.nbytes // len(vectors)} in memory and 4 for each document that has it "
        f"(faiss.IndexFlatIP: the same {vectors.nbytes // len(vectors)}); "
        f"a million texts: {size(1e6 * vectors.nbytes / len(vectors))}"
    )


def main() -> None:
    """A process for each number of threads."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--vectors", type=Path, nargs="+", required=True, metavar="FILE", help="only read")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], metavar="N")
    parser.add_argument("--library", type=int, default=30_000, metavar="N", help="texts of it, at most")
    parser.add_argument("--shares", type=float, nargs="+", default=[0.4, 0.05], help="that a release allows")
    parser.add_argument("--queries", type=int, default=100, metavar="N")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    try:
        import faiss  # noqa: F401
    except ImportError:
        raise SystemExit("This benchmark compares with faiss: pip install faiss-cpu") from None
    if _CHILD in os.environ:
        measure(given)
        return
    memory(given.vectors)
    for threads in given.threads:
        environment = {**os.environ, _CHILD: str(threads)}
        subprocess.run([sys.executable, *sys.argv], env=environment, check=True)


if __name__ == "__main__":
    main()
