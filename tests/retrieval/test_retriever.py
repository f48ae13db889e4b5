"""Searching: the pinned releases alone, names first, everything as the store says; indexes that break."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from support import make_wheel

from apikb.indexers.pipeline import IndexOptions, index_projects
from apikb.kb.errors import ApikbError, NotIndexed
from apikb.kb.lookup import KnowledgeBase
from apikb.kb.symbols import Status
from apikb.retrieval.encoders import HashingEncoder, Vectors
from apikb.retrieval.hits import Hit
from apikb.retrieval.indexes import search_folder
from apikb.retrieval.pins import parse_pin, resolve_pins
from apikb.retrieval.retriever import Retriever

OLD = '''
def concat(frames):
    """Join the rows of several tables."""

class Table:
    """Rows and columns."""

    def append(self, other):
        """Add the rows of another table."""

    def __add__(self, other):
        """Add the rows of another table by an operator."""
'''
NEW = '''
def concat(frames, axis=0):
    """Join the rows of several tables.

    >>> concat([a, b])
    """

def add_rows(table, rows):
    """Put rows at the end."""

class Table:
    """Rows and columns."""
'''
SOURCES = {"1.0": OLD, "1.1": OLD, "1.2rc1": NEW, "2.0": NEW, "2.1": NEW + "\ndef late():\n    '''Rows.'''\n"}


def index(folder: Path, sources: dict[str, str], project: str = "tables") -> None:
    wheels = folder / "wheels"
    wheels.mkdir(exist_ok=True)
    for version, source in sources.items():
        content = make_wheel({f"{project}/__init__.py": source.encode()}, project, version)
        (wheels / f"{project}-{version}-py3-none-any.whl").write_bytes(content)
    options = IndexOptions(
        kb=folder / "kb.duckdb",
        pre=True,
        jobs=1,
        find_links=(wheels,),
        cache=folder / "cache",
    )
    index_projects([project], options)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("engine")
    index(folder, SOURCES)
    index(folder, {"3.0": 'def rows(text):\n    """Add the rows of a text."""\n'}, "texts")
    return folder


@pytest.fixture
def kb(made: Path, tmp_path: Path) -> Iterator[KnowledgeBase]:
    shutil.copy(made / "kb.duckdb", tmp_path / "kb.duckdb")
    with KnowledgeBase.open(tmp_path / "kb.duckdb") as opened:
        yield opened


Search = Callable[..., list[Hit]]


@pytest.fixture
def search(kb: KnowledgeBase) -> Search:
    retriever = Retriever(kb)

    def run(query: str, *pins: str, **options: object) -> list[Hit]:
        return retriever.search(query, resolve_pins(kb, map(parse_pin, pins)), **options)  # type: ignore[arg-type]

    return run


def symbols(hits: list[Hit]) -> list[str]:
    return [hit.symbol for hit in hits]


def test_a_release_decides_what_is_found(search: Search) -> None:
    assert symbols(search("add rows of a table", "tables==1.1"))[0] == "tables.Table.append"
    found = symbols(search("add rows of a table", "tables==2.0"))
    assert "tables.Table.append" not in found
    assert found[0] == "tables.add_rows"


def test_all_of_several_releases_or_any(search: Search) -> None:
    assert "tables.add_rows" not in symbols(search("add rows", "tables>=1.0"))
    both = {hit.symbol: hit for hit in search("add rows", "tables>=1.0", every=False)}
    assert both["tables.Table.append"].version == "1.1"
    assert both["tables.Table.append"].versions == ("1.0", "1.1")
    assert both["tables.add_rows"].versions == ("2.0", "2.1")
    (joined, *_) = search("join several", "tables>=1.0")
    assert (joined.symbol, joined.versions) == ("tables.concat", ("1.0", "1.1", "2.0", "2.1"))
    assert joined.signature == "(frames, axis=0)"


def test_a_hit_is_what_the_store_says(search: Search, kb: KnowledgeBase) -> None:
    (hit,) = search("concat", "tables==2.0", k=1)
    assert (hit.rank, hit.symbol, hit.kind, hit.version) == (1, "tables.concat", "function", "2.0")
    assert [example.code for example in hit.examples] == ["concat([a, b])"]
    assert hit.summary == "Join the rows of several tables."
    assert (hit.since, hit.since_exact, hit.until) == ("1.0", False, None)
    assert hit.evidence == kb.lookup("tables.concat", version="2.0").evidence  # type: ignore[union-attr]
    (gone,) = search("Table.append", "tables==1.0", k=1)
    assert (gone.since, gone.until) == ("1.0", "2.0")


@pytest.mark.parametrize(
    "query", ["tables.concat", "CONCAT", "why does `concat` fail?", "call x.concat() here"]
)
def test_a_name_in_the_question_comes_first(search: Search, query: str) -> None:
    (hit, *_) = search(query, "tables==2.1")
    assert hit.symbol == "tables.concat"
    assert hit.legs["name"].rank == 1


def test_what_is_named_and_not_there_is_not_made_up(search: Search) -> None:
    assert "tables.Table.append" not in symbols(search("Table.append", "tables==2.0", "texts"))


def test_what_stands_before_a_dot_is_a_variable_or_a_module_of_the_asker(tmp_path: Path) -> None:
    sources = {"shapes/__init__.py": b"class Shape:\n    def show(self):\n        ...\ndef draw(): ...\n"}
    sources["shapes/deep.py"] = b"def show():\n    ...\ndef hide():\n    ...\n"
    (tmp_path / "wheels").mkdir()
    content = make_wheel(sources, "shapes", "1.0")
    (tmp_path / "wheels" / "shapes-1.0-py3-none-any.whl").write_bytes(content)
    wheels = (tmp_path / "wheels",)
    options = IndexOptions(kb=tmp_path / "kb.duckdb", jobs=1, find_links=wheels, cache=tmp_path / "cache")
    index_projects(["shapes"], options)
    with KnowledgeBase.open(tmp_path / "kb.duckdb") as opened:
        pins = resolve_pins(opened, [parse_pin("shapes")])
        named = {
            query: [hit.symbol for hit in Retriever(opened).search(query, pins) if "name" in hit.legs]
            for query in ("plt.show() fails", "sh.draw() fails", "other.hide() fails", "call deep.hide()")
        }
    assert named == {
        "plt.show() fails": ["shapes.Shape.show"],
        "sh.draw() fails": ["shapes.draw"],
        "other.hide() fails": [],
        "call deep.hide()": ["shapes.deep.hide"],
    }


def test_imports_narrow_the_projects(search: Search) -> None:
    pins = ("tables==1.1", "texts==3.0")
    assert {hit.project for hit in search("add rows", *pins)} == {"tables", "texts"}
    assert {hit.project for hit in search("add rows", *pins, code="from texts import rows")} == {"texts"}
    assert {hit.project for hit in search("import tables\nadd rows", *pins)} == {"tables"}
    assert len({hit.project for hit in search("add rows", *pins, code="import os")}) == 2


def test_more_hits_than_there_are(search: Search) -> None:
    hits = search("rows", "tables==2.1", k=10_000)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert len(set(symbols(hits))) == len(hits)
    assert search("zzz qqq", "tables==2.1") == []


def test_bad_questions(search: Search) -> None:
    with pytest.raises(ApikbError, match="0 hits are none"):
        search("rows", "tables", k=0)
    with pytest.raises(ApikbError, match="query is empty"):
        search("  ", "tables")
    with pytest.raises(NotIndexed):
        search("rows", "tables==9.9")


def test_many_is_one_by_one(kb: KnowledgeBase, search: Search) -> None:
    queries = ["add rows", "concat", "rows and columns"]
    pins = resolve_pins(kb, [parse_pin("tables==2.0")])
    assert Retriever(kb).search_many(queries, pins) == [search(query, "tables==2.0") for query in queries]


def test_no_hit_is_absent_at_its_release(kb: KnowledgeBase, search: Search) -> None:
    """Random words at random releases: never a symbol that the store does not call present there."""
    chooser = random.Random(7)
    vocabulary = [
        "add",
        "rows",
        "table",
        "concat",
        "columns",
        "join",
        "several",
        "late",
        "put",
        "end",
        "operator",
        "another",
    ]
    seen = 0
    for _ in range(200):
        version = chooser.choice(list(SOURCES))
        for hit in search(" ".join(chooser.sample(vocabulary, 3)), f"tables=={version}"):
            seen += 1
            for path in hit.paths:
                answer = kb.lookup(path, version=version, project="tables")
                assert answer.status == Status.PRESENT, (path, version)  # type: ignore[union-attr]
    assert seen > 200


def state(kb: KnowledgeBase) -> list[Path]:
    return sorted(path for path in (search_folder(kb.path) / "tables").iterdir())


def test_an_index_is_kept_and_used_again(kb: KnowledgeBase, search: Search) -> None:
    hits = search("add rows", "tables==2.0")
    (folder,) = state(kb)
    notes: list[str] = []
    pins = resolve_pins(kb, [parse_pin("tables==2.0")])
    assert Retriever(kb, notes.append).search("add rows", pins) == hits
    assert notes == []
    assert state(kb) == [folder]


@pytest.mark.parametrize("how", ["cut", "flipped", "missing", "manifest", "no manifest"])
def test_a_damaged_index_is_built_anew(kb: KnowledgeBase, search: Search, how: str) -> None:
    hits = search("add rows", "tables==2.0")
    (folder,) = state(kb)
    array = folder / "posting_documents.npy"
    content = bytearray(array.read_bytes())
    if how == "cut":
        array.write_bytes(content[:-4])
    elif how == "flipped":
        content[-1] ^= 1
        array.write_bytes(content)
    elif how == "missing":
        array.unlink()
    elif how == "manifest":
        (folder / "manifest.json").write_text('{"checksums": []}')
    else:
        (folder / "manifest.json").unlink()
    notes: list[str] = []
    pins = resolve_pins(kb, [parse_pin("tables==2.0")])
    for _ in range(2):
        assert Retriever(kb, notes.append).search("add rows", pins) == hits
    assert len(notes) == 1 and "damaged" in notes[0]


def test_a_newer_store_gets_a_new_index(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "copy")
    folder = tmp_path / "copy"
    with KnowledgeBase.open(folder / "kb.duckdb") as kb:
        retriever = Retriever(kb)
        old = resolve_pins(kb, [parse_pin("tables==2.1")])
        assert symbols(retriever.search("late", old)) == ["tables.late"]
        (before,) = state(kb)
        index(folder, {"1.5": OLD, "3.0": NEW + "\ndef newest():\n    '''Rows.'''\n"})
        new = resolve_pins(kb, [parse_pin("tables==3.0")])
        assert symbols(retriever.search("newest", new)) == ["tables.newest"]
        # The old pins count releases of before: it is the version that says which one is meant.
        assert symbols(retriever.search("late", old)) == ["tables.late"]
        assert state(kb) != [before] and len(state(kb)) == 1


def test_a_folder_that_cannot_be_written(kb: KnowledgeBase) -> None:
    search_folder(kb.path).write_text("a file where the folder should be")
    notes: list[str] = []
    pins = resolve_pins(kb, [parse_pin("tables==2.0")])
    assert symbols(Retriever(kb, notes.append).search("add_rows", pins))[0] == "tables.add_rows"
    assert any("cannot be kept" in note for note in notes)


CHILD = """
import os, signal, sys
from apikb.kb.lookup import KnowledgeBase
from apikb.retrieval import indexes
from apikb.retrieval.pins import parse_pin, resolve_pins
from apikb.retrieval.retriever import Retriever

path, step, when = sys.argv[1:]
if step:
    whole = getattr(indexes, step)
    def die(*values, **named):
        if when == "after":
            whole(*values, **named)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(indexes, step, die)
with KnowledgeBase.open(path) as kb:
    hits = Retriever(kb).search("add rows", resolve_pins(kb, [parse_pin("tables==2.0")]))
    print(*(hit.symbol for hit in hits))
"""
"""Searches, and kills itself at a step of building."""


def child(kb: KnowledgeBase, step: str = "", when: str = "") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CHILD, str(kb.path), step, when]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    ("step", "when"),
    [
        ("build_index", "after"),
        ("_checksum", "before"),
        ("write_arrays", "after"),
        ("remove_others", "after"),
    ],
)
def test_killed_at_a_step_of_building(kb: KnowledgeBase, search: Search, step: str, when: str) -> None:
    killed = child(kb, step, when)
    assert killed.communicate(timeout=60)[0] == ""
    assert killed.returncode == -signal.SIGKILL
    assert symbols(search("add rows", "tables==2.0"))[0] == "tables.add_rows"
    assert len([path for path in state(kb) if not path.name.startswith(".")]) == 1


def test_two_processes_and_many_threads_at_once(kb: KnowledgeBase) -> None:
    children = [child(kb) for _ in range(3)]
    told = [process.communicate(timeout=60)[0].split() for process in children]
    retriever = Retriever(kb)
    pins = resolve_pins(kb, [parse_pin("tables==2.0")])
    threads = [
        threading.Thread(target=lambda: told.append(symbols(retriever.search("add rows", pins))))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(told) == 11
    assert all(answer == told[0] and answer for answer in told)


def test_what_replaces_a_deprecated_hit_comes_next(tmp_path: Path) -> None:
    source = "import warnings\n" + OLD.replace(
        '        """Add the rows of another table."""\n',
        '        """Add the rows of another table."""\n'
        '        warnings.warn("append is deprecated, use tables.concat", DeprecationWarning)\n',
    )
    index(tmp_path, {"1.2": source})
    with KnowledgeBase.open(tmp_path / "kb.duckdb") as kb:
        hits = Retriever(kb).search("add another", resolve_pins(kb, [parse_pin("tables==1.2")]))
    assert symbols(hits)[:2] == ["tables.Table.append", "tables.concat"]
    assert hits[0].deprecated is not None and hits[0].deprecated.replacement == "tables.concat"
    assert list(hits[1].legs) == ["replacement"]
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


class Counting(HashingEncoder):
    """Remembers what it was asked to embed."""

    def __init__(self) -> None:
        super().__init__(64)
        self.texts: list[str] = []

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().encode_documents(texts)

    def encode_query(self, text: str) -> Vectors:
        return HashingEncoder(64).encode_query(text)


def embedded_names(encoder: Counting) -> list[str]:
    return sorted(text.partition("\n")[0] for text in encoder.texts)


def test_with_an_encoder_the_search_is_dense_as_well(kb: KnowledgeBase) -> None:
    encoder = Counting()
    retriever = Retriever(kb, encoder=encoder)
    hits = retriever.search("add the rows", resolve_pins(kb, [parse_pin("tables==1.1")]))
    assert hits[0].symbol == "tables.Table.append"
    assert hits[0].legs.keys() == {"lexical", "dense"}
    assert 0 < hits[0].legs["dense"].score <= 1
    assert "tables.add_rows" not in symbols(hits)
    assert embedded_names(encoder) == [
        "Table.append",
        "tables.Table",
        "tables.add_rows",
        "tables.concat",
        "tables.late",
    ]
    encoder.texts = []
    again = Retriever(kb, encoder=encoder)
    assert again.embed("Tables") == 5
    assert encoder.texts == []


def test_only_the_texts_of_a_new_release_are_embedded(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    encoder = Counting()
    with KnowledgeBase.open(tmp_path / "kb.duckdb") as opened:
        retriever = Retriever(opened, encoder=encoder)
        retriever.embed("tables")
        encoder.texts = []
        index(tmp_path, {"2.2": NEW + '\ndef newest():\n    """The newest rows."""\n'})
        hits = retriever.search("newest rows", resolve_pins(opened, [parse_pin("tables==2.2")]))
        assert hits[0].symbol == "tables.newest"
        assert embedded_names(encoder) == ["tables.newest"]


def test_the_code_of_the_task_counts_for_the_dense_leg(kb: KnowledgeBase) -> None:
    retriever = Retriever(kb, encoder=HashingEncoder(256))
    pins = resolve_pins(kb, [parse_pin("tables==1.1")])
    alone = retriever.search("rows of tables", pins, k=50)
    helped = retriever.search("rows of tables", pins, k=50, code="join(several)")
    assert cosine(helped, "tables.concat") > cosine(alone, "tables.concat")
    blank = retriever.search("rows of tables", pins, k=50, code=" ")
    assert cosine(blank, "tables.concat") == cosine(alone, "tables.concat")


def cosine(hits: list[Hit], symbol: str) -> float:
    (hit,) = [hit for hit in hits if hit.symbol == symbol]
    return hit.legs["dense"].score


def test_without_an_encoder_nothing_is_embedded(kb: KnowledgeBase) -> None:
    with pytest.raises(ApikbError, match="no encoder"):
        Retriever(kb).embed("tables")
