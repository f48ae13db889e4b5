"""The witnesses themselves: what they count as right, what they report, and what fails them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from apikb.indexers.simple_index import SimpleIndex

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "witnesses"))
import deprecation_mappings
import golden_facts
import versicode_names
from exceptions import Exceptions
from harness import Finding, around, last_of_each_series, read_rows, settle, shared_file
from support import make_wheel, serving

ROOT = Path(__file__).parents[2]
Made = tuple[int, str]
Run = Callable[..., Made]

OLD = '''
import warnings
def kept(a, b=None): ...
def gone(): ...
def gone2():
    warnings.warn("`gone2` is deprecated and will be removed in 2.0, use `kept` instead.", FutureWarning)
def renamed():
    """Do.

    .. deprecated:: 1.1
        Use :func:`tiny.new_name` instead.
    """
def silent():
    """Deprecated."""
'''
NEW = """
def kept(a): ...
def new_name(): ...
def gone():
    raise RuntimeError("gone was removed in 2.0")
class C:
    def run(self): ...
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """An index with four releases of a tiny library."""
    first = "def kept(a, b=None): ...\n" + "".join(
        f"def {name}(): ...\n" for name in ("gone", "gone2", "renamed", "silent")
    )
    texts = {
        "1.0": first,
        "1.1": OLD + "def new_name(): ...\n",
        "2.0": NEW,
        "2.1": NEW,
    }
    with serving() as index:
        for version, text in texts.items():
            elsewhere = b"from tiny_clean import *\n" if version >= "2" else b"def clean(): ...\n"
            files = {"tiny/__init__.py": text.encode(), "tiny/clean.py": elsewhere}
            wheel = make_wheel(files, "tiny", version)
            index.add(f"tiny-{version}-py3-none-any.whl", wheel)
        yield index.url


@pytest.fixture(scope="module")
def kb(url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Indexed by a witness itself: the releases around what the facts name."""
    folder = tmp_path_factory.mktemp("witness")
    (folder / "facts.jsonl").write_text(json.dumps(fact(1, "tiny.kept", removed_in="2.0")))
    options = ["--kb", str(folder / "kb.duckdb"), "--cache", str(folder / "cache"), "--jobs", "1"]
    options += ["--data", str(folder / "facts.jsonl"), "--index", "--index-url", url]
    assert golden_facts.main(options) == 1
    return folder / "kb.duckdb"


@pytest.fixture
def run(kb: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a witness over rows and exceptions; its exit code and what it printed."""

    def make(witness: Any, rows: list[dict[str, Any]], exceptions: str = "", *options: str) -> Made:
        (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
        (tmp_path / "exceptions.toml").write_text(exceptions)
        files = ["--data", str(tmp_path / "rows.jsonl"), "--exceptions", str(tmp_path / "exceptions.toml")]
        code = witness.main(["--kb", str(kb), *files, *options])
        return code, capsys.readouterr().out

    return make


def fact(number: int, symbol: str, before: str = "1.1", after: str = "2.0", **fields: Any) -> dict[str, Any]:
    """A row of the golden facts with one boundary."""
    what = " and ".join(name for name in ("added_in", "deprecated_in", "removed_in") if name in fields)
    evidence = [{"mode": "removed", "last_release_before": before, "first_release_after": after}]
    blank = dict.fromkeys(
        ("added_in", "deprecated_in", "removed_in", "renamed_or_moved_to", "after_removal", "spans")
    )
    kind = "parameter" if "(" in symbol else "function"
    row = {"id": number, "distribution": "Tiny", "symbol": symbol, "kind": kind, "evidence": evidence}
    return {**blank, **row, "verified": True, "verified_what": what, **fields}


RIGHT = [
    fact(1, "tiny.gone2", deprecated_in="1.1", removed_in="2.0", after_removal="absent"),
    fact(2, "tiny.gone", removed_in="2.0", after_removal="tombstone (callable that raises)"),
    fact(3, "tiny.kept(b)", removed_in="2.0", after_removal="absent"),
    fact(4, "tiny.C", added_in="2.0"),
    fact(5, "tiny.new_name", before="1.0", after="1.1", added_in="1.1"),
]


def test_facts_that_hold(run: Run) -> None:
    code, said = run(golden_facts, RIGHT)
    assert code == 0, said
    assert "0 not right, 0 excused, 0 stale" in said
    assert [line.split()[:3] for line in said.splitlines() if line.startswith("all")] == [["all", "5", "5"]]


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (fact(1, "tiny.kept", removed_in="2.0", after_removal="absent"), "false yes"),
        (fact(1, "tiny.gone2", before="1.1", after="2.0", added_in="1.1"), "boundary off"),
        (fact(1, "tiny.gone2", added_in=None, verified_what="nothing that is a field"), "false no"),
        (fact(1, "tiny.gone", removed_in="2.0", after_removal="absent"), "boundary off"),
        (fact(1, "tiny.gone2", deprecated_in="1.0"), "boundary off"),
        (fact(1, "tiny.kept(b)", before="1.0", removed_in="1.1", after="1.1"), "false yes"),
    ],
)
def test_facts_that_do_not_hold(run: Run, row: dict[str, Any], kind: str) -> None:
    code, said = run(golden_facts, [row], "", "--json")
    told = json.loads(said)
    assert code == 1
    assert kind in {found for _, found, _ in told["unexcused"]}


def test_an_end_in_doubt_is_right_where_the_fact_has_it_so(run: Run) -> None:
    forwarded = "forwarded to another distribution if installed"
    code, said = run(golden_facts, [fact(1, "tiny.clean.clean", removed_in="2.0", after_removal=forwarded)])
    assert code == 0, said
    for version, after in (("2.0", "absent"), ("1.1", forwarded)):
        row = fact(
            1, "tiny.clean.clean", before="1.0", removed_in=version, after=version, after_removal=after
        )
        code, said = run(golden_facts, [row])
        assert code == 1, said


def test_what_is_not_verified_is_no_truth(run: Run) -> None:
    wrong = fact(1, "tiny.kept", removed_in="2.0", verified=False)
    lead = fact(2, "tiny.gone2", deprecated_in="1.0", removed_in="2.0", verified_what="removed_in")
    code, said = run(golden_facts, [wrong, lead])
    assert code == 0, said


def test_an_exception_excuses_until_it_stops_failing(run: Run) -> None:
    wrong = fact(7, "tiny.kept", removed_in="2.0", after_removal="absent")
    excuse = '[[exception]]\nid = "{}"\nkind = "{}"\nreason = "the truth is wrong"\n'
    both = excuse.format("7", "false yes") + excuse.format("7", "boundary off")
    code, said = run(golden_facts, [*RIGHT, wrong], both)
    assert code == 0
    row = next(line.split() for line in said.splitlines() if line.startswith("all"))
    assert row == ["all", "6", "5", "1", "0", "0", "0", "0", "100.0", "%"]
    code, said = run(golden_facts, [*RIGHT, wrong], both + excuse.format("1", "unknown"))
    assert code == 1
    assert "does not fail any more" in said
    assert run(golden_facts, [wrong], both + excuse.format("99", "unknown"))[0] == 0, "99 was not asked"
    with pytest.raises(ValueError, match="reason"):
        run(golden_facts, [wrong], '[[exception]]\nid = "7"\n')


def pair(old: str, new: str) -> dict[str, str]:
    return {"library": "Tiny", "deprecated_api": old, "replacement_api": new}


def test_mappings(run: Run) -> None:
    good = [pair("tiny.gone2", "tiny.kept"), pair("tiny.renamed", "tiny.new_name")]
    code, said = run(deprecation_mappings, good)
    assert code == 0, said
    assert "tiny         2      2      2  100.0 %  100.0 %" in said
    bad = [pair("tiny.kept", "tiny.new_name"), pair("tiny.gone2", "tiny.C"), pair("tiny.silent", "tiny.C")]
    code, said = run(deprecation_mappings, bad, "", "--json")
    assert code == 1
    assert {(name, kind) for name, kind, _ in json.loads(said)["unexcused"]} == {
        ("tiny.kept", "not found"),
        ("tiny.kept", "no replacement"),
        ("tiny.gone2", "other replacement"),
        ("tiny.silent", "no replacement"),
    }


def test_a_member_of_the_replacement_is_right(run: Run) -> None:
    assert run(deprecation_mappings, [pair("tiny.gone2", "tiny")])[0] == 0
    old = deprecation_mappings.Pair("tiny", "tiny.a.b", "x")
    assert list(deprecation_mappings.places(old, "t.c")) == ["t.c", "tiny.a.t.c", "tiny.t.c", "tiny.c"]


def test_called_names() -> None:
    code = """
import tiny.sub as s, other
from tiny import C as K, deep as d
K(); d.e.f(1); s.g(); other.h(); tiny.i(); tiny.j; np.k(); tiny.l().m()
def local(tiny2): tiny2.n()
"""
    assert versicode_names.called_names(code, {"tiny"}) == {
        "tiny.C", "tiny.deep.e.f", "tiny.sub.g", "tiny.i", "tiny.l",
    }  # fmt: skip
    assert versicode_names.called_names("tiny = 1\ntiny.f()", {"tiny"}) == set()
    assert versicode_names.called_names("np.zeros(1)", {"numpy"}) == {"numpy.zeros"}
    assert versicode_names.called_names("f(x) = 1", {"tiny"}) is None


def test_names_of_examples(run: Run) -> None:
    def row(version: str, code: str) -> dict[str, str]:
        return {"dependency": "tiny", "version": f"=={version}", "code": code}

    rows = [row("2.0", "tiny.kept(1)\ntiny.gone()"), row("1.1", "tiny.C()"), row("9", "x"), row("2.0", "1 +")]
    code, said = run(versicode_names, rows, "", "--json")
    told = json.loads(said)
    assert code == 1
    assert {(name, kind) for name, kind, _ in told["unexcused"]} == {
        ("tiny:tiny.gone", "tombstone"),
        ("tiny:tiny.C", "absent"),
    }
    total = told["figures"][-1]
    assert (total["examples"], total["unparsed"], total["not indexed"]) == (4, 1, 1)
    assert (total["names"], total["present"], total["share"]) == (3, 1, "33.3 %")


def test_which_releases_are_needed() -> None:
    versions = ["1.0", "1.1", "1.2", "1.10", "2.0"]
    assert around(versions, ["1.2"], 1) == ["1.1", "1.2", "2.0"]
    assert around(versions, [], 1) == ["2.0"]
    assert around([], ["1"]) == []
    assert last_of_each_series(["1.0.1", "1.0", "1.10.0", "1.2", "2.0rc1"]) == [
        "1.0.1",
        "1.2",
        "1.10.0",
        "2.0rc1",
    ]


def test_settling() -> None:
    settled = settle([Finding("1", "unknown"), Finding("2", "unknown")], Exceptions(), ["1", "2"])
    assert (len(settled.unexcused), settled.exit_code) == (2, 1)
    assert settle([], Exceptions(), []).exit_code == 0


def test_without_the_shared_data_it_says_so(
    kb: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("APIKB_SHARED", raising=False)
    for witness in (golden_facts, deprecation_mappings, versicode_names):
        assert witness.main(["--kb", str(kb)]) == 2
        assert "APIKB_SHARED" in capsys.readouterr().err


# ---- a sample of the real thing


@pytest.mark.network
@pytest.mark.parametrize(
    ("witness", "data", "options"),
    [
        (
            golden_facts,
            "cases/golden_facts.jsonl",
            ["--project", "click", "--project", "itsdangerous", "--project", "markupsafe"],
        ),
        (deprecation_mappings, "data/deprecated_api_mappings.jsonl", ["--project", "seaborn"]),
        (versicode_names, "data/versicode_library_source_metadata.jsonl", ["--project", "click"]),
    ],
)
def test_a_sample_on_the_package_index(
    witness: Any, data: str, options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        shared_file(data)
    except golden_facts.ShareMissing as error:
        pytest.skip(str(error))
    where = ["--kb", str(tmp_path / "kb.duckdb"), "--cache", str(tmp_path / "cache"), "--index"]
    assert witness.main([*where, *options]) == 0, capsys.readouterr().out


def test_every_exceptions_file_can_be_read() -> None:
    for path in (ROOT / "witnesses" / "exceptions").glob("*.toml"):
        assert Exceptions.load(path).entries, path


def test_the_shared_rows_are_understood() -> None:
    try:
        facts = list(map(golden_facts.read_fact, read_rows(shared_file("cases/golden_facts.jsonl"))))
        pairs = list(
            map(deprecation_mappings.read_pair, read_rows(shared_file("data/deprecated_api_mappings.jsonl")))
        )
    except golden_facts.ShareMissing as error:
        pytest.skip(str(error))
    found = [one for one in facts if one is not None]
    assert len(found) > 100
    assert all(one.statuses or one.spans for one in found)
    assert len(pairs) == len({one.old for one in pairs})


def test_the_index_is_asked_for_final_releases(url: str) -> None:
    from harness import listed_finals

    with SimpleIndex(url) as index:
        assert listed_finals(index, "tiny") == ["1.0", "1.1", "2.0", "2.1"]
