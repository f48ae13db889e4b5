"""Pins: never another release's answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from apikb.kb.corpus import ordinals
from apikb.kb.errors import ApikbError, NotIndexed
from apikb.kb.lookup import KnowledgeBase
from apikb.kb.observations import Block, ModuleRead, ProjectObservation, ReleaseObservation, Row
from apikb.kb.releases import Release, ReleaseStatus
from apikb.kb.store import open_reader, publish
from apikb.kb.symbols import Kind, SymbolState, Visibility
from apikb.retrieval.pins import Pin, PinnedProject, parse_pin, resolve_pins


@pytest.fixture
def kb(demo_kb: Path) -> KnowledgeBase:
    return KnowledgeBase.open(demo_kb)


def resolved(kb: KnowledgeBase, *texts: str) -> PinnedProject:
    (found,) = resolve_pins(kb, [parse_pin(text) for text in texts])
    return found


def of_file(project: str, specifier: str = "", where: str = "requirements.txt:1") -> Pin:
    return Pin(project, specifier, where, required=False)


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("flask", ["3.0.0"]),
        ("Flask == 2.2.5", ["2.2.5"]),
        ("flask==v2.3", ["2.3.0"]),
        ("flask==2.3.*", ["2.3.0", "2.3.1", "2.3.2"]),
        ("flask>=2.2.4,<2.3.1", ["2.2.5", "2.3.0"]),
        ("flask[async]~=2.2.3", ["2.2.3", "2.2.5"]),
        ("flask===2.2.3", ["2.2.3"]),
        ("flask>2.3.2", ["3.0.0"]),
        ("flask>2.3.2,<=3.0.0rc1", ["3.0.0rc1"]),
        ("flask==3.0.0rc1", ["3.0.0rc1"]),
        ("flask>=3.0.0rc1", ["3.0.0rc1", "3.0.0"]),
        ("flask!=3.0.0rc1,>=2.3.2", ["2.3.2", "3.0.0"]),
        ("flask==2.2.5+local.1", ["2.2.5"]),
    ],
)
def test_which_releases_a_pin_allows(kb: KnowledgeBase, text: str, versions: list[str]) -> None:
    assert list(resolved(kb, text).versions) == versions


def test_ordinals_are_those_of_the_corpus(kb: KnowledgeBase, demo_kb: Path) -> None:
    counted = ordinals(open_reader(demo_kb), "flask")
    found = resolved(kb, "flask>=0rc1")
    assert list(found.versions) == counted
    assert found.ordinals == tuple(range(len(counted)))
    some = resolved(kb, "flask>=2.3.1")
    assert [counted[ordinal] for ordinal in some.ordinals] == ["2.3.1", "2.3.2", "3.0.0"]
    assert some.unread == ("2.3.3",)


def test_pins_of_one_project_must_all_hold(kb: KnowledgeBase) -> None:
    assert resolved(kb, "flask>=2.2.5", "flask", "flask<2.3.1").versions == ("2.2.5", "2.3.0")
    with pytest.raises(NotIndexed, match=r"matches.*\(--with flask>=3 and --with flask<3 together\)"):
        resolved(kb, "flask>=3", "flask<3")


def test_a_pre_release_is_never_what_is_left(tmp_path: Path) -> None:
    observation = ProjectObservation("lib")
    for version in ("1.0", "2.0rc1"):
        observation.releases.append(ReleaseObservation(Release(version)))
    publish(tmp_path / "kb.duckdb", [observation])
    with KnowledgeBase.open(tmp_path / "kb.duckdb") as kb:
        assert resolved(kb, "lib").versions == ("1.0",)
        with pytest.raises(NotIndexed, match=r"no indexed release of lib matches >1\.0"):
            resolved(kb, "lib>1.0")
        assert resolved(kb, "lib>1.0,<=2.0rc1").versions == ("2.0rc1",)


@pytest.mark.parametrize("version", ["2.2.4", "2.3.3", "0.1", "99"])
def test_an_exact_release_that_is_not_there_says_what_a_lookup_says(kb: KnowledgeBase, version: str) -> None:
    with pytest.raises(NotIndexed) as looked_up:
        kb.lookup("flask.Flask", version=version)
    with pytest.raises(NotIndexed) as pinned:
        resolved(kb, f"flask=={version}")
    assert (pinned.value.message, pinned.value.hint) == (looked_up.value.message, looked_up.value.hint)
    assert "nearest" in pinned.value.message


def test_what_matches_could_not_be_read(kb: KnowledgeBase) -> None:
    with pytest.raises(NotIndexed, match=r"could not be read: 2\.3\.3"):
        resolved(kb, "flask>2.3.2,<3")


def test_a_wrong_name_says_what_a_lookup_says(kb: KnowledgeBase) -> None:
    with pytest.raises(NotIndexed) as looked_up:
        kb.info("flaskk")
    with pytest.raises(NotIndexed, match="did you mean flask") as pinned:
        resolved(kb, "flaskk")
    assert pinned.value.message == looked_up.value.message


@pytest.mark.parametrize(
    "text", ["", "pandas=1.5.3", "==1.0", "pandas 1.5", "a @ file:///x", "a; python_version>'3'", "a==x y"]
)
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(ApikbError, match="is not a project with a version"):
        parse_pin(text)


def with_imports(path: Path, projects: dict[str, str]) -> KnowledgeBase:
    """Projects that are imported by another name than their own."""
    made = []
    for project, name in projects.items():
        file = f"{name}/__init__.py"
        row = Row(name, SymbolState(kind=Kind.MODULE, visibility=Visibility.PUBLIC), 0)
        read = ReleaseObservation(Release("1.0"), (ModuleRead(name, file, parser="ast"),), (file.encode(),))
        blocks = {file.encode(): Block(file, (row,))}
        made.append(ProjectObservation(project, releases=[read], blocks=blocks))
    publish(path, made)
    return KnowledgeBase.open(path)


def test_people_may_write_an_import_name_and_files_may_not(tmp_path: Path) -> None:
    kb = with_imports(tmp_path / "kb.duckdb", {"pillow": "PIL", "attrs": "attr"})
    assert resolved(kb, "PIL==1.0").project == "pillow"
    with pytest.raises(NotIndexed, match="attr"):
        resolve_pins(kb, [of_file("attr")])


def test_an_import_name_of_several_projects(tmp_path: Path) -> None:
    kb = with_imports(tmp_path / "kb.duckdb", {"opencv-python": "cv2", "opencv-contrib-python": "cv2"})
    with pytest.raises(ApikbError, match=r"cv2 is provided by opencv-contrib-python, opencv-python"):
        resolved(kb, "cv2")


def test_files_leave_out_what_is_not_indexed_with_one_note(kb: KnowledgeBase) -> None:
    notes: list[str] = []
    others = [of_file(f"other{number}", "==1") for number in range(8)]
    found = resolve_pins(kb, [of_file("click", "==8.0"), *others, of_file("flask", "==2.2.5")], notes.append)
    assert [(pinned.project, pinned.versions) for pinned in found] == [
        ("click", ("8.0",)),
        ("flask", ("2.2.5",)),
    ]
    assert notes == [
        "left out, not indexed: 8 of 10 projects (other0, other1, other2, other3, other4 and 3 more)"
    ]


def test_files_leave_out_a_release_that_is_not_indexed(kb: KnowledgeBase) -> None:
    notes: list[str] = []
    found = resolve_pins(kb, [of_file("click", "==8.1"), of_file("flask")], notes.append)
    assert [pinned.project for pinned in found] == ["flask"]
    assert len(notes) == 1
    assert "requirements.txt:1: left out: click 8.1 is not among its releases; nearest: 7.0, 8.0" in notes[0]
    with pytest.raises(NotIndexed, match=r"click 8\.1"):
        resolve_pins(kb, [of_file("click", "==8.1"), parse_pin("click")])


def test_nothing_left_and_nothing_pinned(kb: KnowledgeBase) -> None:
    with pytest.raises(NotIndexed, match="nothing that is pinned is in the knowledge base: a, b"):
        resolve_pins(kb, [of_file("a"), of_file("b")])
    with pytest.raises(ApikbError, match="no project is pinned"):
        resolve_pins(kb, [])


def test_a_project_of_which_nothing_could_be_read(tmp_path: Path) -> None:
    failed = ProjectObservation("lib")
    failed.releases.append(ReleaseObservation(Release("1.0", ReleaseStatus.FAILED, "broken")))
    publish(tmp_path / "kb.duckdb", [failed])
    with (
        KnowledgeBase.open(tmp_path / "kb.duckdb") as kb,
        pytest.raises(NotIndexed, match="could be indexed"),
    ):
        resolved(kb, "lib")
