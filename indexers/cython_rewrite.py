"""A Cython file as Python text, line for line, and the tree of that."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from .cython_lines import (
    PARSE_ERRORS,
    Line,
    is_expression,
    is_statement,
    logical_lines,
    pieces_of,
    split,
    without_casts,
)
from .cython_tree import Finish
from .legacy import Module, annotated_module, expand_mixed_tabs, parse_legacy, restore_texts


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
_ENUM = re.compile(r"enum\b\s*(class\b\s*)?(\w*)[^:]*:\s*(.*)\Z", re.DOTALL)
_DEF = re.compile(r"(async\s+)?def\s+(\w+)\s*(?=[(\[])", re.DOTALL)
_IGNORED = re.compile(r"(?:cimport\b|from\s+[\w.\s]+\bcimport\b|DEF\s+\w|ctypedef\b)")
_INCLUDE = re.compile(r"include\s+[rbuRBU]?(?P<quote>['\"])(?P<file>.+?)(?P=quote)\s*;?\Z")
_MAX_DEPTH = 8
_STRUCTURES = re.compile(r"(?:struct|union|enum|cppclass|fused)\b")


@dataclass
class Rewriter:
    source: str
    cpdef_names: frozenset[tuple[str, str]] = frozenset()
    """(class or '', function) that the .pxd declares `cpdef`, however the .pyx spells it."""
    declared: set[tuple[str, str]] = field(default_factory=set)
    included: Mapping[str, str] = field(default_factory=dict)
    """Texts of the files that `include` statements name."""
    depth: int = 0
    """How many files include one another down to this one."""
    declares: bool = False
    """A `.pxd` alone: what it declares without a body is there."""
    enum_lines: set[int] = field(default_factory=set)
    unscoped_enums: set[tuple[int, str]] = field(default_factory=set)
    inserted: dict[str, Module] = field(default_factory=dict)
    """Trees of included files by the name that stands in their place."""
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
        self.kept: list[tuple[Line, bool]] = []
        self.decorators: list[Line] = []
        for line in logical_lines(self.source):
            self.line(line)
        tree = self.parse()
        restore_texts(tree, self.texts)
        Finish(self).apply(tree)
        return annotated_module(tree.body, self.error_lines, self.includes)

    def parse(self) -> ast.Module:
        """As it is; else with every line of C syntax replaced; else with what tree-sitter makes of it."""
        try:
            return ast.parse("\n".join(self.out))
        except PARSE_ERRORS:
            pass
        for line, in_function in self.kept:
            self.sanitize(line, in_function)
        text = "\n".join(self.out)
        try:
            return ast.parse(text)
        except PARSE_ERRORS:
            module = parse_legacy(text)
            self.error_lines += module.error_lines
            return module

    # ---- output

    def put(self, line: Line, code: str, indent: str | None = None) -> None:
        """Replace a logical line by code in its first physical line."""
        self.out[line.first] = (line.indent if indent is None else indent) + code
        for row in range(line.first + 1, line.first + line.rows):
            self.out[row] = ""

    def keep(self, line: Line) -> None:
        """Leave a logical line as it is, to be looked at again if the whole does not parse."""
        rows = self.source_rows[line.first : line.first + line.rows]
        self.out[line.first : line.first + line.rows] = rows
        self.kept.append((line, self.context().kind == "function"))

    @property
    def source_rows(self) -> list[str]:
        if not hasattr(self, "_rows"):
            self._rows = self.source.split("\n")
        return self._rows

    def drop(self, line: Line, *, block: str = "drop") -> None:
        """A statement without meaning in Python; its body goes with it, and so do its decorators."""
        self.put(line, "pass")
        for decorator in self.decorators:
            self.put(decorator, "")
        self.decorators = []
        if line.code.endswith(":"):
            self.push(line, block)

    def push(self, line: Line, kind: str, name: str = "", *, visibility: str = "") -> None:
        self.blocks.append(_Block(line.width, kind, name, line.indent, visibility))

    def stand_in(self, text: str) -> str:
        """The text if it is an expression, else a name that will be replaced by it."""
        text = " ".join(text.split())
        if is_expression(text):
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

    def line(self, line: Line) -> None:
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

    def function_line(self, line: Line) -> None:
        """In a body only nested definitions and Python statements are of interest."""
        if re.match(r"(?:cdef|cpdef|ctypedef)\b", line.code) or _IGNORED.match(line.code):
            self.drop(line)
        else:
            self.python(line)

    def extern_line(self, line: Line, context: _Block) -> None:
        """C declarations; only a `cpdef enum` among them is visible."""
        if re.match(r"cpdef\b.*\benum\b", line.code):
            self.cdef(line, line.code, context.indent)
            return
        self.put(line, "")
        if line.code.endswith(":"):
            self.push(line, "drop")

    def statement(self, line: Line) -> None:
        """A line of a module or class body."""
        code = line.code
        if code.startswith("@"):
            self.keep(line)
            self.decorators.append(line)
            return
        if match := _INCLUDE.match(code):
            self.include(line, match["file"])
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

    def include(self, line: Line, file: str) -> None:
        """Leave a name where the tree of an included file will stand."""
        text = self.included.get(file)
        if text is None or self.depth >= _MAX_DEPTH:
            self.includes.append(file)
            self.drop(line)
            return
        inner = Rewriter(text, self.cpdef_names, included=self.included, depth=self.depth + 1)
        module = inner.module()
        self.declared |= inner.declared
        self.includes += module.includes
        self.error_lines += [line.first + 1] * module.errors
        name = f"_cy_included_{line.first}_"
        self.inserted[name] = module
        self.put(line, name)

    def _condition(self, rest: str) -> str:
        condition, _, tail = rest.rpartition(":")
        return (f" {self.stand_in(condition)}" if condition.strip() else "") + ":" + tail

    def python(self, line: Line) -> None:
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

    def cdef(self, line: Line, code: str, indent: str) -> None:
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

    def cdef_class(self, line: Line, match: re.Match[str], indent: str) -> None:
        """`cdef class Name(Base) [object X, type Y]: body`; without a colon it only announces the class."""
        name, rest = match[1].rpartition(".")[2], match[2]
        header, *tail = split(rest, ":", 1)
        if not tail:
            self.drop(line)
            return
        bases = re.match(r"\(.*\)", header, re.DOTALL)
        bases_text = ""
        if bases is not None:
            parts = [part.strip() for part in split(bases[0][1:-1], ",")]
            bases_text = f"({', '.join(self.argument(part) for part in parts if part)})"
        body = tail[0].strip()
        self.cdef_class_lines.add(line.first + 1)
        self.put(line, f"class {name}{bases_text}: {_python_body(body)}".rstrip(), indent)
        if not body:
            self.push(line, "class", name)

    def argument(self, part: str) -> str:
        """A base class or a class keyword."""
        name, *value = split(part, "=", 1)
        return f"{name.strip()}={self.stand_in(value[0])}" if value else self.stand_in(part)

    def cdef_function(self, line: Line, keyword: str, rest: str, name: tuple[str, int], indent: str) -> None:
        owner = self.class_name()
        if keyword == "cpdef":
            self.declared.add((owner, name[0]))
        elif (owner, name[0]) not in self.cpdef_names:
            self.drop(line)
            return
        self.function(line, rest[name[1] :], f"def {name[0]}", indent=indent)

    def function(
        self, line: Line, rest: str, head: str, *, indent: str | None = None, verbatim: bool = False
    ) -> None:
        """`rest` starts with the argument list; a declaration without a body is left out."""
        if rest.startswith("["):
            rest = rest[rest.find("(") :]
        closing = next(
            (end for source, _, end, depth in pieces_of(rest) if source == ")" and depth == 0), None
        )
        if closing is None:
            self.error(line)
            return
        after, *tail = split(rest[closing:], ":", 1)
        if not tail and self.declares:
            tail = ["..."]
        if not tail:
            self.drop(line)
            return
        body = tail[0].strip()
        if verbatim and is_statement(line.code):
            self.keep(line)
        else:
            arguments = self.arguments(rest[1 : closing - 1])
            returns = re.search(r"->\s*(.+?)\s*\Z", after)
            arrow = f" -> {self.stand_in(returns[1])}" if returns and verbatim else ""
            self.put(line, f"{head}({arguments}){arrow}: {_python_body(body)}".rstrip(), indent)
        self.decorators = []
        if not body:
            self.push(line, "function")

    def error(self, line: Line) -> None:
        self.error_lines.append(line.first + 1)
        self.drop(line)

    def arguments(self, text: str) -> str:
        parts = (self.parameter(part.strip()) for part in split(text, ","))
        return ", ".join(part for part in parts if part)

    def parameter(self, part: str) -> str:
        """`double[:] x not None = y` as `x: double[:] = y`."""
        if part in ("", "...", ".", "*", "/"):
            return part.strip(".")
        declared, *default = split(part, "=", 1)
        declared = re.sub(r"\s+(?:not|or)\s+None\s*\Z", "", declared.strip())
        name, *annotation = split(declared, ":", 1)
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

    def attributes(self, line: Line, modifiers: str, rest: str, indent: str) -> None:
        """`cdef public int a, b` in a class: Python sees the attributes; all other `cdef`s it does not."""
        words = modifiers.split()
        if self.attribute_owner() is None or not {"public", "readonly"} & set(words):
            self.put(line, "pass", indent)
            if line.code.endswith(":"):
                self.push(line, "drop")
            return
        first, *others = (split(part, "=", 1)[0].strip() for part in split(rest, ","))
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

    def enum(self, line: Line, match: re.Match[str], indent: str) -> None:
        """`cpdef enum Name:` is a class; unless it is an `enum class`, its members are module names too."""
        scoped, name, body = match.groups()
        self.enum_lines.add(line.first + 1)
        if name and not scoped:
            self.unscoped_enums.add((line.first + 1, name))
        members = "; ".join(self.members(body, name)) if body else ""
        self.put(line, f"class {name}: {members}".rstrip() if name else members or "pass", indent)
        if not body:
            self.blocks.append(_Block(line.width, "enum", name, indent))

    def enum_line(self, line: Line, context: _Block) -> None:
        if not context.name:
            self.enum_lines.add(line.first + 1)
        code = "; ".join(self.members(line.code, context.name)) or "pass"
        self.put(line, code, line.indent if context.name else context.indent)

    def members(self, code: str, owner: str) -> Iterator[str]:
        """Assignments; a value that is implied is an annotation in a class, and `...` in a module."""
        if _is_docstring(code):
            yield code
            return
        for part in split(code.replace(";", ","), ","):
            name = re.match(r"\s*(\w+)", part)
            value = split(part, "=", 1)[1:]
            if name is not None and not name[1][0].isdigit():
                known = value and is_expression(value[0])
                yield (
                    f"{name[1]} = {value[0].strip()}" if known else name[1] + (": int" if owner else " = ...")
                )

    # ---- lines that are not Python

    def sanitize(self, line: Line, in_function: bool) -> None:
        """Replace a kept line by the nearest thing that parses."""
        if is_statement(line.text) or is_statement(line.code):
            return
        code = without_casts(line.code)
        code = re.sub(r"(^|:\s*)raise\s+([\w.]+)\s*,\s*(.+)$", r"\1raise \2(\3)", code, flags=re.DOTALL)
        code = re.sub(r"^except\s+(.+?)\s*,\s*(\w+)\s*:", r"except \1 as \2:", code)
        if not is_statement(code):
            code = _empty_statement(code)
            if not in_function:
                self.error_lines.append(line.first + 1)
        self.put(line, code)


def _python_body(code: str) -> str:
    """What stands behind a header's colon, as Python."""
    if not code or is_statement(code):
        return code
    code = without_casts(code).strip()
    return code if is_statement(code) else "pass"


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
    pieces = pieces_of(rest)
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
