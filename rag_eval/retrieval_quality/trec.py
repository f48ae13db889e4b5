"""Judgements and rankings as TREC writes them, and what is measured by them (ir-measures)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...kb.errors import ApikbError
from .queries import Query
from .systems import Ranked

MEASURES = ("R@1", "R@5", "R@10", "RR@10", "nDCG@10")
"""Recall, reciprocal rank and gain, as ir-measures calls them."""


def documents_of(query: Query, ranked: Ranked) -> list[str]:
    """What a run calls the hits: the first one that has the name of an answer is called by it, `=append`,
    any other by its path.

    A question is answered by a name, and `DataFrame.append` says it as well as `Series.append`: whoever
    found one of them need not find the other.
    """
    open_answers = dict.fromkeys(query.answers)
    documents = []
    for paths in ranked:
        leaves = [path.rpartition(".")[2] for path in paths]
        answer = next((leaf for leaf in leaves if leaf in open_answers), None)
        if answer is not None:
            del open_answers[answer]
        documents.append(paths[0] if answer is None else f"={answer}")
    return documents


def write_qrels(path: Path, queries: Iterable[Query]) -> None:
    """Which document answers which query."""
    lines = (f"{query.id} 0 ={answer} 1\n" for query in queries for answer in query.answers)
    path.write_text("".join(lines), encoding="utf-8")


def write_run(path: Path, name: str, rankings: Mapping[str, Sequence[str]]) -> None:
    """The documents of each query in their order; the score is what keeps it."""
    lines = (
        f"{query} Q0 {document} {rank} {1 / rank:.6f} {name}\n"
        for query, documents in rankings.items()
        for rank, document in enumerate(documents, 1)
    )
    path.write_text("".join(lines), encoding="utf-8")


def measured(qrels: Path, run: Path, queries: Sequence[str]) -> dict[str, npt.NDArray[np.float64]]:
    """Measure -> one value (queries,) a query, in their order; 0 for a query without any hit.

    Raises ApikbError where ir-measures is not installed.
    """
    try:
        import ir_measures
    except ImportError as error:
        raise ApikbError("ir-measures is not installed", hint="pip install 'apikb[eval]'") from error
    places = {query: place for place, query in enumerate(queries)}
    values = {name: np.zeros(len(queries)) for name in MEASURES}
    parsed = {ir_measures.parse_measure(name): name for name in MEASURES}
    judged = list(ir_measures.read_trec_qrels(str(qrels)))  # type: ignore[no-untyped-call]
    ranked = list(ir_measures.read_trec_run(str(run)))  # type: ignore[no-untyped-call]
    for metric in ir_measures.iter_calc(list(parsed), judged, ranked):
        values[parsed[metric.measure]][places[metric.query_id]] = metric.value
    return values
