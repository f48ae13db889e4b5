"""What Python code can see of a Cython module, as an `ast` tree.

The text is rewritten to Python line by line, so that every line number stays true:
`cdef` parts are blanked, typed arguments become annotations, public attributes become
annotated names.  Types and defaults that Python cannot express become an `ast.Name`
whose id is the text as written.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from .legacy import Module, annotated_module, expand_mixed_tabs, parse_legacy, restore_texts
from .sources import Lexeme, SourceError, lexemes

_OPENING = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


def cython_skeleton(text: str, pxd: str | None = None) -> Module:
    """The visible part of a `.pyx` file, with the declarations of the `.pxd` of the same name.

    Besides the marks of `Module`, attributes that cannot be set carry `_readonly`, and
    nodes that only the `.pxd` has carry `_pxd_line`, their line there (their `lineno` is
    that of the class, or 1).  A `__cinit__` is given as `__init__` where there is none.

    Raises `SourceError` for a NUL; what cannot be parsed is left out and counted in `errors`.

    >>> print(ast.unparse(cython_skeleton("cpdef int twice(int x, list l=None) except -1: return 2 * x")))
    def twice(x: int, l: list=None):
        return 2 * x
    """
    if "\0" in text or "\0" in (pxd or ""):
        raise SourceError("NUL byte: not a Cython source file")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if pxd is None:
            return _Rewriter(text).module()
        declared = _Rewriter(pxd)
        declarations = declared.module()
        module = _Rewriter(text, cpdef_names=frozenset(declared.declared)).module()
    _merge(module, declarations, declared.enum_lines)
    return module


# ------------------------------------------------------------------ logical lines


class _Line(NamedTuple):
    """A logical line: physical lines [first, first + rows), its indent, and its code in one line."""

    first: int
    rows: int
    indent: str
    code: str
    text: str

    @property
    def width(self) -> int:
        return len(self.indent.expandtabs(8))


_NEVER_INSIDE = frozenset({"def", "cdef", "cpdef", "class", "ctypedef"})


def _logical_lines(text: str) -> Iterator[_Line]:
    """Statements, joined over brackets, strings and backslashes; comments and blank lines left out."""
    starts = [0, *(match.end() for match in re.finditer(r"\n", text))]
    pieces: list[Lexeme] = []
    depth = 0
    for piece in lexemes(text):
        if piece.kind == "comment":
            continue
        source = text[piece.start : piece.end]
        if pieces:
            between = text[pieces[-1].end : piece.start]
            # A bracket that is never closed must not swallow the rest of the file.
            recovered = depth > 0 and source in _NEVER_INSIDE
            if "\n" in between and (recovered or (depth <= 0 and not _continued(between))):
                yield _line(text, pieces, starts)
                pieces, depth = [], 0
        if source == "\\":
            continue
        pieces.append(piece)
        depth += _OPENING.get(source, 0) if piece.kind == "op" else 0
    if pieces:
        yield _line(text, pieces, starts)


def _continued(between: str) -> bool:
    return re.match(r"[ \t]*\\\n\s*\Z", between) is not None


def _line(text: str, pieces: list[Lexeme], starts: list[int]) -> _Line:
    start, end = pieces[0].start, pieces[-1].end
    first = bisect_right(starts, start) - 1
    indent = re.match(r"[ \t\f]*", text[starts[first] : start])
    whole = text[start:end]
    parts: list[str] = []
    for before, piece in zip([None, *pieces], pieces, strict=False):
        if before is not None and before.end != piece.start:
            parts.append(" ")
        parts.append(text[piece.start : piece.end])
    code = "".join(parts)
    return _Line(first, whole.count("\n") + 1, indent[0] if indent else "", code, whole)


# ------------------------------------------------------------- pieces of a statement


def _pieces(code: str) -> list[tuple[str, int, int, int]]:
    """(source, start, end, bracket depth) of each lexeme; a bracket counts as outside itself."""
    found = []
    depth = 0
    for piece in lexemes(code):
        source = code[piece.start : piece.end]
        step = _OPENING.get(source, 0) if piece.kind == "op" else 0
        depth += min(step, 0)
        found.append((source, piece.start, piece.end, depth))
        depth += max(step, 0)
    return found


def _split(code: str, separator: str, limit: int = -1) -> list[str]:
    """Split at a one-character operator that stands outside brackets and strings."""
    parts = []
    start = 0
    for source, at, end, depth in _pieces(code):
        if source == separator and depth == 0 and limit != 0:
            # `=` is a piece of its own also in `==`, `<=` and the like.
            around = code[max(at - 1, 0) : at], code[end : end + 1]
            if separator == "=" and (around[0] in ("=", "<", ">", "!") or around[1] == "="):
                continue
            parts.append(code[start:at])
            start = end
            limit -= 1
    return [*parts, code[start:]]


def _is_expression(text: str) -> bool:
    try:
        ast.parse(f"({text})", mode="eval")
    except _PARSE_ERRORS:
        return False
    return bool(text.strip())


def _is_statement(code: str) -> bool:
    """Whether a logical line is Python, with what must surround it supplied."""
    word = re.match(r"@|\w*", code)
    keyword = word[0] if word else ""
    body = code + (" pass" if code.endswith(":") else "")
    match keyword:
        case "elif" | "else":
            body = f"if 1: pass\n{body}"
        case "except" | "finally":
            body = f"try: pass\n{body}"
        case "try":
            body += "\nfinally: pass"
        case "@":
            body += "\ndef f(): pass"
        case "case":
            body = f"match 1:\n {body}"
    try:
        ast.parse(body)
    except _PARSE_ERRORS:
        return False
    return True


_VALUE_KEYWORDS = frozenset(
    {"return", "in", "and", "or", "not", "if", "else", "elif", "while", "yield", "print", "is", "assert"}
)


def _without_casts(code: str) -> str:
    """Leave out `<double*> x`, `&x` and `new X()`, which all give the value of the rest."""
    pieces = _pieces(code)
    dropped: list[tuple[int, int]] = []
    position = 0
    while position < len(pieces):
        source, start, _, _ = pieces[position]
        previous = pieces[position - 1][0] if position else "="
        is_operand = previous[-1:].isalnum() or previous[-1:] in "_)]}'\"`"
        if source in "<&" and (not is_operand or previous in _VALUE_KEYWORDS):
            closing = position if source == "&" else _closing_angle(pieces, position)
            if closing is not None:
                dropped.append((start, pieces[closing][2]))
                position = closing
        elif source == "new" and position + 1 < len(pieces) and pieces[position + 1][0].isidentifier():
            dropped.append((start, pieces[position][2]))
        position += 1
    for start, end in reversed(dropped):
        code = code[:start] + " " + code[end:]
    return code


def _closing_angle(pieces: list[tuple[str, int, int, int]], opening: int) -> int | None:
    for position in range(opening + 1, len(pieces)):
        source = pieces[position][0]
        if source == ">":
            return position
        if not (re.fullmatch(r"\w+", source) or source in "*.[],:&?()"):
            return None
    return None


# --------------------------------------------------------------------- the rewriting


@dataclass
class _Block:
    """An open block: the width of its header's indent, what it is, and its class name."""

    width: int
    kind: str
    """module, class, function, other (if, try, ...: transparent), drop, extern, cdef, enum, property."""
    name: str = ""
    indent: str = ""
    visibility: str = ""


_MODIFIERS = r"(?:public|readonly|api|inline|private|packed)"
_CDEF = re.compile(rf"(cdef|cpdef)\b\s*((?:{_MODIFIERS}\b\s*)*)(.*)\Z", re.DOTALL)
_CLASS = re.compile(r"class\s+([\w.]+)\s*(.*)\Z", re.DOTALL)
_ENUM = re.compile(r"enum\b\s*(?:class\b\s*)?(\w*)[^:]*:\s*(.*)\Z", re.DOTALL)
_DEF = re.compile(r"(async\s+)?def\s+(\w+)\s*(?=[(\[])", re.DOTALL)
_IGNORED = re.compile(r"(?:cimport\b|from\s+[\w.\s]+\bcimport\b|DEF\s+\w|ctypedef\b)")
_INCLUDE = re.compile(r"include\s+[rbuRBU]?(?P<quote>['\"])(?P<file>.+?)(?P=quote)\s*;?\Z")
_STRUCTURES = re.compile(r"(?:struct|union|enum|cppclass|fused)\b")


@dataclass
class _Rewriter:
    source: str
    cpdef_names: frozenset[tuple[str, str]] = frozenset()
    """(class or '', function) that the .pxd declares `cpdef`, however the .pyx spells it."""
    declared: set[tuple[str, str]] = field(default_factory=set)
    enum_lines: set[int] = field(default_factory=set)
    property_lines: set[int] = field(default_factory=set)
    cdef_class_lines: set[int] = field(default_factory=set)
    readonly: set[tuple[int, str]] = field(default_factory=set)
    texts: dict[str, str] = field(default_factory=dict)
    includes: list[str] = field(default_factory=list)
    error_lines: list[int] = field(default_factory=list)

    def module(self) -> Module:
        self.source = expand_mixed_tabs(self.source.removeprefix("\ufeff"))
        self.out = [""] * (self.source.count("\n") + 1)
        self.blocks = [_Block(-1, "module")]
        self.kept: list[tuple[_Line, bool]] = []
        self.decorators: list[_Line] = []
        for line in _logical_lines(self.source):
            self.line(line)
        tree = self.parse()
        restore_texts(tree, self.texts)
        _Finish(self).apply(tree)
        return annotated_module(tree.body, self.error_lines, self.includes)

    def parse(self) -> ast.Module:
        """As it is; else with every line of C syntax replaced; else with what tree-sitter makes of it."""
        try:
            return ast.parse("\n".join(self.out))
        except _PARSE_ERRORS:
            pass
        for line, in_function in self.kept:
            self.sanitize(line, in_function)
        text = "\n".join(self.out)
        try:
            return ast.parse(text)
        except _PARSE_ERRORS:
            module = parse_legacy(text)
            self.error_lines += module.error_lines
            return module

    # ---- output

    def put(self, line: _Line, code: str, indent: str | None = None) -> None:
        """Replace a logical line by code in its first physical line."""
        self.out[line.first] = (line.indent if indent is None else indent) + code
        for row in range(line.first + 1, line.first + line.rows):
            self.out[row] = ""

    def keep(self, line: _Line) -> None:
        """Leave a logical line as it is, to be looked at again if the whole does not parse."""
        rows = self.source_rows[line.first : line.first + line.rows]
        self.out[line.first : line.first + line.rows] = rows
        self.kept.append((line, self.context().kind == "function"))

    @property
    def source_rows(self) -> list[str]:
        if not hasattr(self, "_rows"):
            self._rows = self.source.split("\n")
        return self._rows

    def drop(self, line: _Line, *, block: str = "drop") -> None:
        """A statement without meaning in Python; its body goes with it, and so do its decorators."""
        self.put(line, "pass")
        for decorator in self.decorators:
            self.put(decorator, "")
        self.decorators = []
        if line.code.endswith(":"):
            self.push(line, block)

    def push(self, line: _Line, kind: str, name: str = "", *, visibility: str = "") -> None:
        self.blocks.append(_Block(line.width, kind, name, line.indent, visibility))

    def stand_in(self, text: str) -> str:
        """The text if it is an expression, else a name that will be replaced by it."""
        text = " ".join(text.split())
        if _is_expression(text):
            return text
        name = f"_cy_{len(self.texts)}_"
        self.texts[name] = text
        return name

    # ---- dispatch

    def context(self) -> _Block:
        """The innermost block that decides what a line means."""
        return next(block for block in reversed(self.blocks) if block.kind != "other")

    def class_name(self) -> str:
        return next((b.name for b in reversed(self.blocks) if b.kind == "class"), "")

    def line(self, line: _Line) -> None:
        while len(self.blocks) > 1 and line.width <= self.blocks[-1].width:
            self.blocks.pop()
        context = self.context()
        match context.kind:
            case "drop":
                self.put(line, "")
            case "extern":
                self.extern_line(line, context)
            case "enum":
                self.enum_line(line, context)
            case "cdef":
                self.cdef(line, f"cdef {context.visibility} {line.code}", context.indent)
            case "function":
                self.function_line(line)
            case _:
                self.statement(line)

    def function_line(self, line: _Line) -> None:
        """In a body only nested definitions and Python statements are of interest."""
        if re.match(r"(?:cdef|cpdef|ctypedef)\b", line.code) or _IGNORED.match(line.code):
            self.drop(line)
        else:
            self.python(line)

    def extern_line(self, line: _Line, context: _Block) -> None:
        """C declarations; only a `cpdef enum` among them is visible."""
        if re.match(r"cpdef\b.*\benum\b", line.code):
            self.cdef(line, line.code, context.indent)
            return
        self.put(line, "")
        if line.code.endswith(":"):
            self.push(line, "drop")

    def statement(self, line: _Line) -> None:
        """A line of a module or class body."""
        code = line.code
        if code.startswith("@"):
            self.keep(line)
            self.decorators.append(line)
            return
        if match := _INCLUDE.match(code):
            self.includes.append(match["file"])
            self.drop(line)
        elif _IGNORED.match(code):
            self.drop(line)
        elif match := re.match(r"(IF|ELIF|ELSE)\b(?=.*:)", code):
            self.put(line, match[1].lower() + self._condition(code[match.end() :]))
            self.push(line, "other")
        elif re.match(r"c(?:p)?def\b", code):
            self.cdef(line, code, line.indent)
        elif match := re.match(r"property\s+(\w+)\s*:\s*\Z", code):
            self.property_lines.add(line.first + 1)
            self.put(line, f"class {match[1]}:")
            self.push(line, "property", match[1])
        else:
            self.python(line)
        self.decorators = []

    def _condition(self, rest: str) -> str:
        condition, _, tail = rest.rpartition(":")
        return (f" {self.stand_in(condition)}" if condition.strip() else "") + ":" + tail

    def python(self, line: _Line) -> None:
        code = line.code
        if match := _DEF.match(code):
            self.function(line, code[match.end() :], f"{match[1] or ''}def {match[2]}", verbatim=True)
            return
        self.keep(line)
        if code.endswith(":"):
            match_class = _CLASS.match(code)
            if match_class:
                self.push(line, "class", match_class[1])
            else:
                self.push(line, "other")

    # ---- cdef and cpdef

    def cdef(self, line: _Line, code: str, indent: str) -> None:
        match = _CDEF.match(code)
        if match is None:
            self.drop(line)
            return
        keyword, modifiers, rest = match.groups()
        if rest == ":":
            self.put(line, "pass", indent)
            self.push(line, "cdef", visibility=modifiers)
        elif rest.startswith("extern"):
            self.drop(line, block="extern")
        elif found := _CLASS.match(rest):
            self.cdef_class(line, found, indent)
        elif keyword == "cpdef" and (found := _ENUM.match(rest)):
            self.enum(line, found, indent)
        elif _STRUCTURES.match(rest):
            self.drop(line)
        elif (name := _function_name(rest)) is not None:
            self.cdef_function(line, keyword, rest, name, indent)
        else:
            self.attributes(line, modifiers, rest, indent)

    def cdef_class(self, line: _Line, match: re.Match[str], indent: str) -> None:
        """`cdef class Name(Base) [object X, type Y]: body`; without a colon it only announces the class."""
        name, rest = match[1].rpartition(".")[2], match[2]
        header, *tail = _split(rest, ":", 1)
        if not tail:
            self.drop(line)
            return
        bases = re.match(r"\(.*\)", header, re.DOTALL)
        bases_text = ""
        if bases is not None:
            parts = [part.strip() for part in _split(bases[0][1:-1], ",")]
            bases_text = f"({', '.join(self.argument(part) for part in parts if part)})"
        body = tail[0].strip()
        self.cdef_class_lines.add(line.first + 1)
        self.put(line, f"class {name}{bases_text}: {_python_body(body)}".rstrip(), indent)
        if not body:
            self.push(line, "class", name)

    def argument(self, part: str) -> str:
        """A base class or a class keyword."""
        name, *value = _split(part, "=", 1)
        return f"{name.strip()}={self.stand_in(value[0])}" if value else self.stand_in(part)

    def cdef_function(self, line: _Line, keyword: str, rest: str, name: tuple[str, int], indent: str) -> None:
        owner = self.class_name()
        if keyword == "cpdef":
            self.declared.add((owner, name[0]))
        elif (owner, name[0]) not in self.cpdef_names:
            self.drop(line)
            return
        self.function(line, rest[name[1] :], f"def {name[0]}", indent=indent)

    def function(
        self, line: _Line, rest: str, head: str, *, indent: str | None = None, verbatim: bool = False
    ) -> None:
        """`rest` starts with the argument list; a declaration without a body is left out."""
        if rest.startswith("["):
            rest = rest[rest.find("(") :]
        closing = next((end for source, _, end, depth in _pieces(rest) if source == ")" and depth == 0), None)
        if closing is None:
            self.error(line)
            return
        after, *tail = _split(rest[closing:], ":", 1)
        if not tail:
            self.drop(line)
            return
        body = tail[0].strip()
        if verbatim and _is_statement(line.code):
            self.keep(line)
        else:
            arguments = self.arguments(rest[1 : closing - 1])
            returns = re.search(r"->\s*(.+?)\s*\Z", after)
            arrow = f" -> {self.stand_in(returns[1])}" if returns and verbatim else ""
            self.put(line, f"{head}({arguments}){arrow}: {_python_body(body)}".rstrip(), indent)
        self.decorators = []
        if not body:
            self.push(line, "function")

    def error(self, line: _Line) -> None:
        self.error_lines.append(line.first + 1)
        self.drop(line)

    def arguments(self, text: str) -> str:
        parts = (self.parameter(part.strip()) for part in _split(text, ","))
        return ", ".join(part for part in parts if part)

    def parameter(self, part: str) -> str:
        """`double[:] x not None = y` as `x: double[:] = y`."""
        if part in ("", "...", ".", "*", "/"):
            return part.strip(".")
        declared, *default = _split(part, "=", 1)
        declared = re.sub(r"\s+(?:not|or)\s+None\s*\Z", "", declared.strip())
        name, *annotation = _split(declared, ":", 1)
        if annotation:
            type_ = annotation[0]
        else:
            type_, name = _declarator(declared)
        stars, name = re.fullmatch(r"(\**)\s*(.*)", name.strip(), re.DOTALL).groups()  # type: ignore[union-attr]
        if not name.isidentifier():
            name = self.stand_in(name)
        result = f"{stars}{name}" + (f": {self.stand_in(type_)}" if type_.strip() else "")
        if default:
            value = default[0].strip()
            result += f" = {'...' if value == '*' else self.stand_in(value)}"
        return result

    def attributes(self, line: _Line, modifiers: str, rest: str, indent: str) -> None:
        """`cdef public int a, b` in a class: Python sees the attributes; all other `cdef`s it does not."""
        words = modifiers.split()
        if self.attribute_owner() is None or not {"public", "readonly"} & set(words):
            self.put(line, "pass", indent)
            if line.code.endswith(":"):
                self.push(line, "drop")
            return
        first, *others = (_split(part, "=", 1)[0].strip() for part in _split(rest, ","))
        type_, name = _declarator(first)
        found = [(name, type_), *((other.lstrip("* "), type_) for other in others)]
        statements = []
        for name, type_ in found:
            if not name.isidentifier():
                self.error_lines.append(line.first + 1)
                continue
            statements.append(f"{name}: {self.stand_in(type_ or 'object')}")
            if "readonly" in words:
                self.readonly.add((line.first + 1, name))
        self.put(line, "; ".join(statements) or "pass", indent)

    def attribute_owner(self) -> _Block | None:
        """The class whose body this line stands in, also under a `cdef public:` header."""
        blocks = (block for block in reversed(self.blocks) if block.kind not in ("other", "cdef"))
        owner = next(blocks)
        return owner if owner.kind == "class" else None

    # ---- enums

    def enum(self, line: _Line, match: re.Match[str], indent: str) -> None:
        """`cpdef enum Name:` is a class; without a name its members are names of the module."""
        name, body = match.groups()
        self.enum_lines.add(line.first + 1)
        members = "; ".join(self.members(body, name)) if body else ""
        self.put(line, f"class {name}: {members}".rstrip() if name else members or "pass", indent)
        if not body:
            self.blocks.append(_Block(line.width, "enum", name, indent))

    def enum_line(self, line: _Line, context: _Block) -> None:
        if not context.name:
            self.enum_lines.add(line.first + 1)
        code = "; ".join(self.members(line.code, context.name)) or "pass"
        self.put(line, code, line.indent if context.name else context.indent)

    def members(self, code: str, owner: str) -> Iterator[str]:
        """Assignments; a value that is implied is an annotation in a class, and `...` in a module."""
        if _is_docstring(code):
            yield code
            return
        for part in _split(code.replace(";", ","), ","):
            name = re.match(r"\s*(\w+)", part)
            value = _split(part, "=", 1)[1:]
            if name is not None and not name[1][0].isdigit():
                known = value and _is_expression(value[0])
                yield (
                    f"{name[1]} = {value[0].strip()}" if known else name[1] + (": int" if owner else " = ...")
                )

    # ---- lines that are not Python

    def sanitize(self, line: _Line, in_function: bool) -> None:
        """Replace a kept line by the nearest thing that parses."""
        if _is_statement(line.text) or _is_statement(line.code):
            return
        code = _without_casts(line.code)
        code = re.sub(r"(^|:\s*)raise\s+([\w.]+)\s*,\s*(.+)$", r"\1raise \2(\3)", code, flags=re.DOTALL)
        code = re.sub(r"^except\s+(.+?)\s*,\s*(\w+)\s*:", r"except \1 as \2:", code)
        if not _is_statement(code):
            code = _empty_statement(code)
            if not in_function:
                self.error_lines.append(line.first + 1)
        self.put(line, code)


def _python_body(code: str) -> str:
    """What stands behind a header's colon, as Python."""
    if not code or _is_statement(code):
        return code
    code = _without_casts(code).strip()
    return code if _is_statement(code) else "pass"


def _empty_statement(code: str) -> str:
    """A statement of the same kind that says nothing, so that blocks stay as they are."""
    word = re.match(r"@|\w*", code)
    keyword = word[0] if word else ""
    replacements = {
        "if": "if _:",
        "elif": "elif _:",
        "else": "else:",
        "while": "while _:",
        "for": "for _ in _:",
        "with": "with _:",
        "try": "try:",
        "except": "except Exception:",
        "finally": "finally:",
        "class": "class _:",
    }
    if keyword == "@":
        return ""
    if keyword not in replacements:
        return "if _:" if code.endswith(":") else "pass"
    return replacements[keyword] + ("" if code.endswith(":") else " pass")


def _is_docstring(code: str) -> bool:
    return re.match(r"[rRuU]?['\"]", code) is not None


def _function_name(rest: str) -> tuple[str, int] | None:
    """The name of the function that a declaration declares, and where its arguments start."""
    pieces = _pieces(rest)
    for (name, _, _, _), (source, at, _, depth) in pairwise(pieces):
        if source == "=" and depth == 0:
            return None
        if source == "(" and depth == 0 and name.isidentifier() and not re.match(r"\(\s*\*", rest[at:]):
            return name, at
    return None


def _declarator(text: str) -> tuple[str, str]:
    """(type, name) of a declaration: `unsigned int n`, `int[:] b`, `char *s`, `int a[3]`, `int (*f)(int)`."""
    if pointer := re.match(r"(.*?)\(\s*\*\s*(\w+)\s*\)(.*)\Z", text, re.DOTALL):
        return f"{pointer[1]}(*){pointer[3]}", pointer[2]
    if array := re.match(r"(.*[\w\])*&]\s+|.*[*&])(\w+)\s*(\[[^\[\]:]*\])\Z", text, re.DOTALL):
        return f"{array[1].strip()}{array[3]}", array[2]
    name = re.search(r"[^\W\d]\w*\Z", text)
    if name is None:
        return "", text
    type_ = text[: name.start()].strip()
    return ("", text) if not type_.strip("*") else (type_, name[0])


# ---------------------------------------------------------------------- afterwards


class _Finish:
    """What only shows in the tree: properties, read-only marks, constructors."""

    def __init__(self, rewriter: _Rewriter) -> None:
        self.rewriter = rewriter

    def apply(self, tree: ast.Module) -> None:
        for node in list(ast.walk(tree)):
            for name in ("body", "orelse", "finalbody"):
                body = getattr(node, name, None)
                if isinstance(body, list):
                    body[:] = [new for old in body for new in self.statement(old)]
            if isinstance(node, ast.ClassDef):
                _constructor(node)
                if node.lineno in self.rewriter.cdef_class_lines:
                    _without_instance_attributes(node)

    def statement(self, node: ast.AST) -> list[ast.AST]:
        if isinstance(node, ast.ClassDef) and node.lineno in self.rewriter.property_lines:
            return list(_property(node))
        match node:
            case ast.AnnAssign(target=ast.Name(id=name)) if (node.lineno, name) in self.rewriter.readonly:
                node._readonly = True  # type: ignore[attr-defined]
        return [node]


def _property(node: ast.ClassDef) -> Iterator[ast.stmt]:
    """The methods of a `property name:` block as functions that `property` decorates."""
    document = node.body[0] if node.body and ast.get_docstring(node, clean=False) is not None else None
    decorators = {"__get__": "property", "__set__": f"{node.name}.setter", "__del__": f"{node.name}.deleter"}
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or method.name not in decorators:
            continue
        decorator = ast.parse(decorators[method.name], mode="eval").body
        for part in ast.walk(decorator):
            if isinstance(part, ast.expr):
                ast.copy_location(part, node)
        if method.name == "__get__":
            method.lineno, method.col_offset = node.lineno, node.col_offset
            if document is not None and ast.get_docstring(method, clean=False) is None:
                method.body.insert(0, document)
        method.name = node.name
        method.decorator_list = [decorator]
        yield method


def _constructor(node: ast.ClassDef) -> None:
    """`__cinit__` takes what the class is called with; it and its like are no attributes."""
    methods = {child.name: child for child in node.body if isinstance(child, ast.FunctionDef)}
    hidden = [methods[name] for name in ("__cinit__", "__dealloc__") if name in methods]
    if "__cinit__" in methods and "__init__" not in methods:
        hidden.remove(methods["__cinit__"])
        methods["__cinit__"].name = "__init__"
    if hidden:
        rest = [child for child in node.body if child not in hidden]
        node.body = rest or [ast.copy_location(ast.Pass(), node)]


def _without_instance_attributes(node: ast.ClassDef) -> None:
    """An instance of a `cdef class` has no `__dict__`: what `self.x = ...` sets is a C member.

    Those that Python sees were declared `public` or `readonly`.
    """
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or not (method.args.posonlyargs + method.args.args):
            continue
        owner = (method.args.posonlyargs + method.args.args)[0].arg
        for inner in ast.walk(method):
            for name in ("body", "orelse", "finalbody"):
                body = getattr(inner, name, None)
                if isinstance(body, list):
                    body[:] = [_value_only(statement, owner) for statement in body]


def _value_only(statement: ast.AST, owner: str) -> ast.AST:
    """`self.x = value` as `value`; any other statement as it is."""
    if not isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign) or statement.value is None:
        return statement
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if any(_is_attribute_of(part, owner) for target in targets for part in ast.walk(target)):
        return ast.copy_location(ast.Expr(value=statement.value), statement)
    return statement


def _is_attribute_of(node: ast.AST, owner: str) -> bool:
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store):
        return False
    return isinstance(node.value, ast.Name) and node.value.id == owner


def _merge(module: Module, declarations: Module, enum_lines: set[int]) -> None:
    """Add what the `.pxd` alone declares: attributes of classes, and `cpdef enum`s."""
    classes = {node.name: node for node in ast.walk(module) if isinstance(node, ast.ClassDef)}
    bound = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)} | set(classes)
    for node in declarations.body:
        if isinstance(node, ast.ClassDef) and node.name in classes:
            _merge_class(classes[node.name], node)
        elif node.lineno in enum_lines and not isinstance(node, ast.Pass):
            name = node.name if isinstance(node, ast.ClassDef) else None
            if name not in bound:
                module.body.append(_moved(node, 1))
    module.includes += declarations.includes


def _merge_class(target: ast.ClassDef, declared: ast.ClassDef) -> None:
    has = {
        n.target.id for n in target.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
    }
    has |= {n.name for n in target.body if isinstance(n, ast.FunctionDef)}
    position = 1 if ast.get_docstring(target, clean=False) is not None else 0
    new = [
        _moved(n, target.lineno)
        for n in declared.body
        if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name) and n.target.id not in has
    ]
    target.body[position:position] = new


def _moved(node: ast.stmt, line: int) -> ast.stmt:
    """A statement of the `.pxd`, put at a line of the `.pyx`."""
    for part in ast.walk(node):
        if hasattr(part, "lineno"):
            part._pxd_line = part.lineno  # type: ignore[attr-defined]
            part.lineno = part.end_lineno = line  # type: ignore[attr-defined]
    return node
