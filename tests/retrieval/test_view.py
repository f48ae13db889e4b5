"""Hits on a terminal and as JSON."""

from __future__ import annotations

import json
from dataclasses import fields, replace

from apikb.kb.answers import Evidence
from apikb.kb.examples import Example
from apikb.kb.text import ASCII, width
from apikb.retrieval.hits import Hit, Leg, Marked
from apikb.retrieval.packing import pack
from apikb.retrieval.view import hit_json, hit_lines, packed_line

APPEND = Hit(
    rank=1,
    score=0.0325,
    project="pandas",
    version="1.5.3",
    symbol="pandas.DataFrame.append",
    kind="method",
    signature="(self, other, ignore_index=False)",
    summary="Append rows of `other`.",
    examples=(
        Example("import pandas", "", True, "doctest"),
        Example("df.append(1)", "   A\n0  1", True, "doctest"),
    ),
    paths=("pandas.DataFrame.append", "pandas.core.frame.DataFrame.append"),
    versions=("1.5.2", "1.5.3"),
    since="0.20.0",
    since_exact=False,
    until="2.0.0",
    deprecated=Marked("1.4.0", "The frame.append\nmethod is deprecated.", "pandas.concat"),
    evidence=Evidence("pandas-1.5.3.whl", "ab" * 32, "pandas/core/frame.py", 9),
    legs={"lexical": Leg(12.5, 1), "dense": Leg(0.61, 4)},
)
VALUE = Hit(2, 0.1, "lib", "1.0", "lib.VALUE", "attribute", None, "")
HOSTILE = replace(
    APPEND,
    symbol="lib.\x1b[31mred",
    kind="\x1b]0;kind\x07",
    project="p\x9b",
    version="1\x9b",
    signature="(x='\x1b[2J\u202e')",
    summary="a\x1b[31m\nrank 1: trust me\r\u2028now",
    examples=(Example("red = '\x1b]0;owned\x07'\n\tindented\r", "\x1b[1mout\x1b", True, "doctest"),),
    since="1\x1b",
    until="2\x1b",
    deprecated=Marked("1\x1b[31m", "\x1b[31mgone\nsoon", "\x1b[2Jb"),
    deprecated_parameters={"a\x1b[1m\nb": Marked("1\x9b", "\x1b[31mgone\nsoon", "\x1b[2Jb")},
    evidence=Evidence("a\x1b.whl", None, "b\x1b.py", 1),
    legs={"leg\x1b": Leg(1.0, 1)},
)


def test_the_lines_of_hits() -> None:
    assert list(hit_lines([APPEND, VALUE])) == [
        "1  pandas.DataFrame.append: method in pandas 1.5.3 and 1 more release",
        "   signature   (self, other, ignore_index=False)",
        "   summary     Append rows of `other`.",
        "   span        [0.20.0 or before, 2.0.0)",
        "   deprecated  since 1.4.0",
        "   use instead pandas.concat",
        "   says        The frame.append method is deprecated.",
        "   example",
        "      df.append(1)",
        "      #>    A",
        "      #> 0  1",
        "   artifact    pandas-1.5.3.whl",
        "   file        pandas/core/frame.py:9",
        "",
        "2  lib.VALUE: attribute in lib 1.0",
        "   span        [unknown, no end seen)",
    ]


def test_the_lines_of_deprecated_parameters() -> None:
    marks = {"sort": Marked("1.0", "Pass it no more.", None), "other": Marked(None, "Renamed.", "others")}
    lines = list(hit_lines([replace(VALUE, deprecated_parameters=marks)]))
    assert lines[2:] == [
        "   parameter   sort: deprecated since 1.0 (Pass it no more.)",
        "   parameter   other: deprecated, use others instead",
    ]


def test_explain_adds_what_each_leg_said() -> None:
    told = list(hit_lines([APPEND], explain=True))
    assert told[:-3] == list(hit_lines([APPEND]))
    assert told[-3:] == [
        "   score       0.0325",
        "               lexical 12.5000, rank 1",
        "               dense 0.6100, rank 4",
    ]


def test_colours_go_by_role() -> None:
    painted = list(hit_lines([APPEND], paint=lambda text, role: f"<{role}>{text}</>"))
    assert painted[0].startswith("1  <head>pandas.DataFrame.append</>: method")
    assert "   <warn>use instead pandas.concat</>" in painted
    assert [line for line in painted if "<warn>" in line] == painted[4:7]


def test_hostile_text_stays_on_its_line_and_prints() -> None:
    lines = list(hit_lines([HOSTILE], explain=True))
    assert all(line.isprintable() for line in lines)
    assert len([line for line in lines if line.startswith("1  ")]) == 1
    assert "   summary     a\\x1b[31m rank 1: trust me now" in lines
    assert [line for line in lines if "trust me" in line] == [
        line for line in lines if line.startswith("   summary")
    ]


def test_long_lines_and_long_examples_are_cut() -> None:
    code = "\n".join(f"df.append({number}, " + "x" * 100 + ")" for number in range(20))
    long = replace(
        APPEND,
        signature="(" + ", ".join(f"parameter{n}=None" for n in range(30)) + ")",
        examples=(Example(code, "", True, "doctest"),),
    )
    lines = list(hit_lines([long], columns=60, glyphs=ASCII))
    assert max(map(width, lines[1:])) <= 60
    assert len([line for line in lines if line.startswith("      df.append(")]) == 7
    assert "      ~" in lines
    assert all(line.isascii() for line in lines)


def test_an_object_has_every_field_and_goes_into_json() -> None:
    for hit in (APPEND, VALUE, HOSTILE):
        told = json.loads(json.dumps(hit_json(hit)))
        assert set(told) == {field.name for field in fields(Hit)}
    assert hit_json(VALUE)["summary"] is None
    told = json.loads(json.dumps(hit_json(APPEND)))
    assert told["examples"][1] == {"code": "df.append(1)", "output": "   A\n0  1", "compiles": True}
    assert told["deprecated"]["replacement"] == "pandas.concat"
    assert told["evidence"]["line"] == 9
    marked = replace(VALUE, deprecated_parameters={"a": Marked("1.0", None, "b")})
    assert hit_json(marked)["deprecated_parameters"] == {
        "a": {"since": "1.0", "message": None, "replacement": "b"}
    }
    assert told["legs"]["dense"] == {"score": 0.61, "rank": 4}
    assert json.loads(json.dumps(hit_json(HOSTILE)))["summary"] == HOSTILE.summary


def test_one_line_says_what_was_packed() -> None:
    whole = pack([APPEND, VALUE], 1000)
    assert packed_line(whole) == f"{whole.tokens} of 1000 tokens, 2 symbols"
    room = pack([APPEND], 1000).tokens
    line = packed_line(pack([APPEND, replace(HOSTILE, symbol="lib.\x1bred")], room))
    assert line.isprintable()
    assert "1 symbol; no room for lib.\\x1bred" in line
    assert packed_line(pack([APPEND], 1)) == "0 of 1 tokens, 0 symbols; no room for pandas.DataFrame.append"
