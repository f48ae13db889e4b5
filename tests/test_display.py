"""What a person sees while projects are indexed."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor

import pytest
from rich.console import Console

from apikb.indexers.display import PlainDisplay, RichDisplay, display


def test_plain_lines_come_at_intervals() -> None:
    said: list[str] = []
    shown = PlainDisplay(said.append, every=0)
    shown.project_started("click", 2)
    shown.bytes_fetched(1500)
    shown.files(parsed=3, reused=4)
    shown.release_done("click", "1.0", "indexed", None)
    shown.release_done("click", "2.0", "skipped", "no artifact")
    assert said[0] == "click: 2 releases"
    assert said[-1] == "click: 2 of 2 releases, 1.5 kB fetched, 3 files parsed, 4 reused, 1 skipped"


def test_plain_lines_are_few() -> None:
    said: list[str] = []
    shown = PlainDisplay(said.append)
    shown.project_started("click", 1000)
    for number in range(1000):
        shown.release_done("click", str(number), "indexed", None)
    assert said == ["click: 1000 releases"]


def test_a_failure_is_said_at_once_and_without_controls() -> None:
    said: list[str] = []
    shown = PlainDisplay(said.append)
    shown.project_started("click", 1)
    shown.release_done("click", "1.0", "failed", "bad \x1b[31m\nzip")
    shown.note("a\x07b")
    assert said[1:] == ["click 1.0 failed: bad \\x1b[31m zip", "a\\x07b"]


def test_reports_from_many_threads_are_all_counted() -> None:
    said: list[str] = []
    shown = PlainDisplay(said.append)
    shown.project_started("click", 1000)
    with ThreadPoolExecutor(8) as pool:
        for number in range(1000):
            pool.submit(shown.release_done, "click", str(number), "failed", None)
            pool.submit(shown.bytes_fetched, 1)
    assert len(said) == 1001
    assert str(shown.counts) == "1.0 kB fetched, 0 files parsed, 0 reused, 1000 failed"


def test_a_terminal_gets_a_bar_for_every_project() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=120, color_system=None)
    shown = RichDisplay(console)
    with shown.bars:
        for project in ("click", "flask"):
            shown.project_started(project, 2)
            shown.release_done(project, "1.0", "indexed", None)
            shown.bytes_fetched(2_000_000)
            shown.release_done(project, "2.0", "failed", "[red]not markup[/red] \x1b]0;x\x07")
            shown.files(parsed=5)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    for part in (
        "click",
        "flask",
        "2/2",
        "2.0 MB fetched",
        "5 files parsed",
        "1 failed",
        "[red]not markup[/red]",
    ):
        assert part in text
    assert "\x1b]0;" not in text


def test_no_terminal_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with display() as progress:
        progress.project_started("click", 1)
    assert capsys.readouterr().err == "click: 1 releases\n"
