"""A project in memory answers as the file does, within a budget, and for many threads at once."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from apikb.kb import resident
from apikb.kb.errors import ApikbError
from apikb.kb.lookup import KnowledgeBase
from apikb.kb.observations import ProjectObservation
from apikb.kb.resident import Residents
from apikb.kb.store import open_reader, publish, query_with

Opener = Callable[..., KnowledgeBase]
Build = Any

SYMBOLS = (
    *("lib", "lib.base", "lib.base.Base", "lib.base.Base.run", "lib.Heir", "lib.Heir.run", "lib.Heir._own"),
    *("lib.Heir.__init__", "lib.Heir.runn", "lib.Alias.run", "lib.Alias.run(x)", "lib.Alias.run(y)"),
    *("lib.old", "lib.old(b)", "lib.olt", "lib.new", "lib.fast.anything", "lib.fast.gone", "lib.ext.name"),
    *("lib.tools.Base", "lib.Foreign.x", "lib.none.at.all", "lib.VALUE.x", "lib.np.array", "lib.odd name"),
)
VERSIONS = ("1.0", "1.1", "1.2", "2.0.0", None, ">=1")


def project(build: Build, name: str = "lib") -> ProjectObservation:
    """Aliases, heirs, hidden names, a tombstone, names that no path can name."""
    module, klass, function = build.module, build.klass, build.function
    base = {
        name: module(),
        f"{name}.base": module(),
        f"{name}.base.Base": klass("object"),
        f"{name}.base.Base.run": function("self", "x"),
        f"{name}.base.Base._own": function("self"),
        f"{name}.Heir": klass(f"{name}.base.Base"),
        f"{name}.Alias": klass(f"{name}.base.Base", target=f"{name}.Heir", via="import"),
        f"{name}.Foreign": klass("torch.nn.Module"),
        f"{name}.np": module(target="numpy", visibility="private", via="import"),
        f"{name}.tools": module(target=f"{name}.base", visibility="private", via="import"),
        f"{name}.fast": module(opaque="it is compiled", removed_names=("gone",)),
        f"{name}.VALUE": module()._replace(kind="attribute", value="1"),
        f"{name}.odd name": function("a"),
        f"{name}.tab\tname\n{name}.fake\t1": function("a"),
    }
    dead = function()._replace(status="tombstone", message="it was removed")
    found: ProjectObservation = build.observe(
        {
            "1.0": {**base, f"{name}.old": function("a")},
            "1.1": {**base, f"{name}.old": function("a", "b")},
            "1.2": "the wheel is broken",
            "2.0.0": {**base, f"{name}.old": dead, f"{name}.new": function("a")},
            "2.1": {**base, f"{name}.new": function("a", "c")},
        },
        project=name,
        unread={f"{name}.ext": "compiled"},
    )
    return found


def tell(kb: KnowledgeBase, symbol: str, version: str | None) -> str:
    """An answer, or an error, as text."""
    try:
        return repr(kb.lookup(symbol, version=version, project="lib"))
    except ApikbError as error:
        return f"{error.message}; {error.hint}"


def state(kb: KnowledgeBase, name: str = "lib") -> tuple[bool, bool]:
    """Whether a project is in memory, and with places."""
    found = kb._current().reader(name)._resident()
    return found is not None, found is not None and found.has_places


def test_answers_from_memory_are_those_from_the_file(
    build: Build, open_kb: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = [(symbol, version) for symbol in SYMBOLS for version in VERSIONS]
    with monkeypatch.context() as patch:
        patch.setattr(resident, "BYTES_A_SYMBOL", 1 << 40)
        with open_kb(project(build)) as kb:
            cold = [tell(kb, *question) for question in questions]
            assert state(kb) == (False, False)
    with KnowledgeBase.open(kb.path) as kb:
        for again in range(3):
            warm = [tell(kb, *question) for question in questions]
            assert warm == cold, again
        assert state(kb) == (True, True)
    assert len({status for answer in cold for status in answer.split("status=")[1:2]}) > 3


def test_the_first_look_up_loads_nothing(build: Build, open_kb: Opener) -> None:
    with open_kb(project(build)) as kb:
        kb.lookup("lib.Alias.run(x)", version="1.0")
        assert state(kb) == (False, False)
        kb.lookup("lib.Alias.run", version="1.0")
        assert state(kb) == (True, False)


def test_a_replaced_file_is_noticed(build: Build, open_kb: Opener) -> None:
    with open_kb(project(build)) as kb:
        for _ in range(4):
            assert "ABSENT" in tell(kb, "lib.later", None)
        assert state(kb)[0]
        later = build.observe({"3.0": {"lib": build.module(), "lib.later": build.function()}})
        publish(kb.path, [later])
        assert "PRESENT" in tell(kb, "lib.later", None)


def test_what_no_path_names_does_not_shift_the_lines(build: Build, open_kb: Opener) -> None:
    with open_kb(project(build)) as kb:
        for _ in range(4):
            assert "ABSENT" in tell(kb, "lib.fake", "1.0")
        assert state(kb)[0]


def test_the_budget_drops_what_was_not_asked_for_longest(build: Build, tmp_path: Path) -> None:
    file = tmp_path / "kb.duckdb"
    publish(file, [project(build, name) for name in ("lib", "other", "third")])
    connection = open_reader(file)
    query = query_with(connection, file)
    pids = [row[0] for row in query("SELECT pid FROM internal.projects ORDER BY project")]
    whole = Residents()
    assert whole.load(query, pids[0], 20)
    tight = Residents(budget=2 * whole.size + whole.size // 2)
    assert all(tight.load(query, pid, 20) for pid in pids[:2])
    assert tight.get(pids[0]) is not None
    assert tight.load(query, pids[2], 20)
    assert [tight.get(pid) is not None for pid in pids] == [True, False, True]
    assert tight.size <= tight.budget
    assert not tight.load(query, pids[1], 1 << 30)


def test_threads_share_a_knowledge_base_while_the_file_is_replaced(build: Build, open_kb: Opener) -> None:
    faults: list[BaseException] = []
    kb = open_kb(project(build))
    expected = {symbol: tell(kb, symbol, "1.0") for symbol in SYMBOLS}
    done = threading.Event()

    def ask() -> None:
        try:
            while not done.is_set():
                for symbol, answer in expected.items():
                    assert tell(kb, symbol, "1.0") == answer
                    kb.sql("SELECT count(*) FROM spans")
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        publish(kb.path, [project(build)])
        os.utime(kb.path)
    done.set()
    for thread in threads:
        thread.join()
    kb.close()
    assert not faults
