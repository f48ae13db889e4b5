"""What reaches a terminal: escapes, widths, tables, timelines."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apikb.kb.text import ASCII, UNICODE, Glyphs, fit, one_line, table, visible, width, wrap
from apikb.kb.timeline import Mark, legend, timeline

STATUSES = ["present", "deprecated", "absent", "tombstone", "unknown"]


def test_nothing_that_a_terminal_obeys_is_left() -> None:
    """Every control, format character, surrogate and line separator of Unicode, one by one."""
    for code in range(sys.maxunicode + 1):
        shown = visible(chr(code))
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
            assert shown.isascii() and shown.isprintable(), hex(code)
        else:
            assert all(unicodedata.category(c)[0] != "C" for c in shown), hex(code)


@pytest.mark.parametrize(
    "text", ["\x1b]0;title\x07", "\x9b31m", "safe\u202eevil", "a\u200bb", "a\rb", "\x7f", "\u2028", "\udcff"]
)
def test_known_attacks_become_visible(text: str) -> None:
    assert "\\" in visible(text)
    assert visible(text).isprintable()


def test_ordinary_text_is_left_alone() -> None:
    assert visible("naïve 日本 🙂 x = {'a': 1}") == "naïve 日本 🙂 x = {'a': 1}"
    assert visible("a\u00a0b") == "a b"


@given(st.text())
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1
    assert one_line(text).isprintable()


@given(st.text(), st.integers(2, 20))
def test_fit_never_exceeds(text: str, columns: int) -> None:
    shown = visible(text)
    assert width(fit(shown, columns)) <= columns
    if width(shown) <= columns:
        assert fit(shown, columns) == shown


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=12)), st.integers(5, 40))
def test_wrap_keeps_every_word(words: list[str], columns: int) -> None:
    text = " ".join(words)
    lines = wrap(text, columns)
    assert " ".join(lines) == text
    assert all(width(line) <= columns or " " not in line.strip() for line in lines)


def test_a_table_shrinks_its_widest_columns() -> None:
    lines = list(table(["symbol", "message"], [["a.b", "x" * 200]], limit=40, glyphs=ASCII))
    assert max(map(len, lines)) <= 40
    assert lines[-1] == "a.b     " + "x" * 31 + "~"


def test_a_table_of_nothing_has_a_head() -> None:
    assert list(table(["a", "bc"], [], glyphs=ASCII)) == ["a  bc", "-  --"]


def test_a_table_cell_stays_on_its_line() -> None:
    assert list(table(["a"], [["x\ny\x1b"]], glyphs=ASCII))[-1] == "x\\ny\\x1b"


@pytest.mark.parametrize("glyphs", [ASCII, UNICODE])
@given(data=st.data())
def test_a_timeline_fits_and_shows_every_status_and_event(glyphs: Glyphs, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 300))
    statuses = data.draw(st.lists(st.sampled_from(STATUSES), min_size=count, max_size=count))
    releases = [(f"1.{number}.0", status) for number, status in enumerate(statuses)]
    events = sorted(data.draw(st.sets(st.integers(0, count - 1), max_size=6)))
    marks = [Mark(f"1.{number}.0", "removed") for number in events]
    lines = list(timeline(releases, marks, columns=80, glyphs=glyphs))
    assert max(map(width, lines)) <= 80
    for number in events:
        assert any(line.endswith(f" 1.{number}.0 removed") for line in lines)


def test_a_short_gap_in_a_long_history_is_seen() -> None:
    releases = [(f"1.{number}", "present") for number in range(400)]
    releases[217] = ("1.217", "absent")
    bar = list(timeline(releases, [], columns=80, glyphs=ASCII))[1]
    assert bar.count(".") == 1


def test_the_last_release_is_seen() -> None:
    releases = [(f"1.{n}", "absent") for n in range(200)] + [(f"2.{n}", "present") for n in range(9)]
    releases += [("3.0", "absent")]
    bar = list(timeline(releases, [], columns=80, glyphs=ASCII))[1]
    assert bar.endswith("#.")


def test_the_legend_explains_what_is_drawn_and_nothing_else() -> None:
    assert legend(STATUSES, ASCII).count("   ") == len(STATUSES) - 1
    assert "unknown" not in legend(["present"], ASCII)
