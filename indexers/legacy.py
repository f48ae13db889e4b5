"""Real `ast` trees for source that the running interpreter refuses.

Python 2, grammar newer than this interpreter, and half-broken files.  tree-sitter
finds the statements; every statement that the interpreter does accept goes through
`ast.parse`, and only the others are put together by hand, so that the visitor of
ordinary modules reads these too.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar, cast

import tree_sitter
import tree_sitter_python

from .sources import SourceError, lexemes

_LANGUAGE = tree_sitter.Language(tree_sitter_python.language())

MAX_DEPTH = 300
"""Syntax levels within one statement; deeper ones stay text (CPython's own recursion limits are near)."""
MAX_BLOCKS = 100
"""Nested blocks; CPython, too, refuses more than 100 levels of indentation."""

_PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
_COMPOUND_KINDS = (
    "function_definition class_definition decorated_definition if_statement for_statement while_statement "
    "try_statement with_statement match_statement block"
)
_SIMPLE_KINDS = (
    "expression_statement import_statement import_from_statement future_import_statement raise_statement "
    "return_statement delete_statement assert_statement global_statement nonlocal_statement pass_statement "
    "break_statement continue_statement print_statement exec_statement type_alias_statement"
)
_COMPOUND = frozenset(_COMPOUND_KINDS.split())
_STATEMENTS = _COMPOUND | frozenset(_SIMPLE_KINDS.split())
_LOADED = ast.Load()
_STORED = ast.Store()
_Node = TypeVar("_Node", bound=ast.AST)


class Module(ast.Module):
    """An `ast.Module` that says what could not be understood.

    It has the name of its base because visitors look for `visit_Module` by class name.
    """

    errors: int
    """ERROR and MISSING nodes of tree-sitter, or lines of Cython that had to be left out."""
    error_lines: list[int]
    """Their lines, 1-based and sorted."""
    includes: list[str]
    """Files that Cython's `include` statements name."""


def annotated_module(
    body: list[ast.stmt], error_lines: list[int], includes: list[str] | None = None
) -> Module:
    """A module tree with its marks; `error_lines` has one entry per error."""
    module = Module(body=body, type_ignores=[])
    module.errors = len(error_lines)
    module.error_lines = sorted(set(error_lines))
    module.includes = includes or []
    return module


def parse_legacy(text: str, *, chunks: bool = True) -> Module:
    """The module's tree, whatever can be saved of it; never a SyntaxError.

    `text` has `\\n` line breaks.  What no grammar of this interpreter can express becomes
    an `ast.Name` whose id is the source text (`10L`), so that `ast.unparse` prints it as it
    was; `def f((a, b))` has the argument `(a, b)`; `type X[T] = ...` is an `ast.Assign` with
    `_type_alias` set, and type parameters are left out.  With `chunks` off, no compound
    statement is left to `ast.parse` as a whole (that is for tests).

    Raises `SourceError` for a NUL and for blocks nested deeper than `MAX_BLOCKS`.

    >>> ast.unparse(parse_legacy("def f((a, b), n=10L, mode=0777): print n"))
    'def f((a, b), n=10L, mode=511):\\n    print(n)'
    """
    if "\0" in text:
        raise SourceError("NUL byte: not a Python source file")
    text = expand_mixed_tabs(text.removeprefix("\ufeff"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _Builder(text, chunks).module()
        except RecursionError:
            raise SourceError("blocks nested too deeply") from None


def expand_mixed_tabs(text: str) -> str:
    """Leading tabs to stops of 8 columns, as Python 2 counts, where a file indents with both."""
    if not (re.search(r"(?m)^ *\t", text) and re.search(r"(?m)^\t* ", text)):
        return text
    inside = {
        line
        for piece in lexemes(text)
        if piece.kind == "string" and "\n" in text[piece.start : piece.end]
        for line in _lines_after_first(text, piece.start, piece.end)
    }
    lines = []
    start = 0
    for line in text.split("\n"):
        body = line.lstrip(" \t")
        indent = line[: len(line) - len(body)]
        lines.append(line if start in inside or "\t" not in indent else indent.expandtabs(8) + body)
        start += len(line) + 1
    return "\n".join(lines)


def _lines_after_first(text: str, start: int, end: int) -> Iterator[int]:
    """Offsets at which a line starts within text[start:end]."""
    at = text.find("\n", start, end)
    while at >= 0:
        yield at + 1
        at = text.find("\n", at + 1, end)


def normalize_new_syntax(module: ast.Module) -> None:
    """Bring the tree of a new interpreter into the form that an old one gives, in place.

    `type X = ...` becomes an `ast.Assign` with `_type_alias`, type parameters are emptied.
    """
    for node in ast.walk(module):
        if getattr(node, "type_params", None):
            node.type_params = []  # type: ignore[attr-defined]
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                body[:] = [_alias_as_assign(child) for child in body]


def _alias_as_assign(node: ast.AST) -> ast.AST:
    if type(node).__name__ != "TypeAlias":
        return node
    alias = ast.Assign(targets=[node.name], value=node.value)  # type: ignore[attr-defined]
    alias._type_alias = True  # type: ignore[attr-defined]
    return ast.copy_location(alias, node)


# ---------------------------------------------------------------- text to nodes


def restore_texts(tree: ast.AST, texts: dict[str, str]) -> None:
    """Put the source text back where a stand-in name had to be parsed."""
    if not texts:
        return
    for node in ast.walk(tree):
        for name in ("id", "attr", "arg", "name", "asname", "module"):
            value = getattr(node, name, None)
            if isinstance(value, str) and value in texts:
                setattr(node, name, texts[value])


_LONG = re.compile(r"(?:0[xX][0-9a-fA-F]+|0[oO]?[0-7]*|0[bB][01]+|[1-9]\d*)[lL]\Z")
_OCTAL = re.compile(r"0[0-7]+\Z")


def modernize(text: str) -> tuple[str, dict[str, str]]:
    """Python 2 lexemes to what Python 3 can parse, and the stand-in names' source texts.

    `0777` becomes `0o777` and `<>` becomes `!=`; `10L`, `ur''`, backquotes, and names that
    are keywords by now (`async`, `True = 1`) become stand-ins.
    """
    pieces: list[str] = []
    texts: dict[str, str] = {}
    done = 0
    found = list(lexemes(text))
    for position, piece in enumerate(found):
        source = text[piece.start : piece.end]
        following = text[found[position + 1].start :][:5] if position + 1 < len(found) else ""
        new = _modern_lexeme(piece.kind, source, following)
        if new is None:
            new = f"_py2_{len(texts)}_"
            texts[new] = source
        if new != source:
            pieces += (text[done : piece.start], new)
            done = piece.end
    pieces.append(text[done:])
    return "".join(pieces), texts


def _modern_lexeme(kind: str, source: str, following: str) -> str | None:
    """The lexeme in Python 3, None where it needs a stand-in."""
    if kind == "number":
        if _LONG.match(source):
            return None
        return f"0o{source[1:]}" if _OCTAL.match(source) and source.strip("0") else source
    if kind == "string" and source[:2].lower() == "ur":
        return None
    if kind == "backquote":
        return None
    if kind == "name" and source in ("async", "await"):
        return None if not re.match(r"[\w(\[{'\"]", following) else source
    if kind == "name" and source in ("True", "False", "None"):
        return None if re.match(r"=(?!=)", following) else source
    return "!=" if source == "<>" else source


def _shift(tree: ast.AST, rows: int, columns: int) -> None:
    """Move a tree; `columns` counts for what stands in its first line only."""
    for node in ast.walk(tree):
        if isinstance(
            node, ast.stmt | ast.expr | ast.excepthandler | ast.arg | ast.keyword | ast.alias | ast.pattern
        ):
            if node.lineno == 1:
                node.col_offset = max(0, node.col_offset + columns)
            if node.end_lineno == 1 and node.end_col_offset is not None:
                node.end_col_offset = max(0, node.end_col_offset + columns)
            node.lineno += rows
            if node.end_lineno is not None:
                node.end_lineno += rows


def _parse_text(text: str) -> ast.Module | None:
    """`ast.parse`, with a second try in which Python 2 lexemes are replaced; None if both fail."""
    try:
        return ast.parse(text)
    except _PARSE_ERRORS:
        pass
    modern, texts = modernize(text)
    if modern == text:
        return None
    try:
        tree = ast.parse(modern)
    except _PARSE_ERRORS:
        return None
    restore_texts(tree, texts)
    return tree


# ------------------------------------------------------------- tree-sitter to ast


def _masked(text: str) -> bytes:
    """The text for tree-sitter, as long as ever, without the names that have become keywords since.

    Python 2 had parameters and variables called `async`, `True` and so on; names are read from the text.
    """
    data = text.encode("utf-8", "replace")
    data = re.sub(rb"\b(Tru|Fals|Non)e(?=\s*=[^=])", rb"\1_", data)
    if b"async" not in data and b"await" not in data:
        return data
    return re.sub(rb"\b(asyn|awai)[ct]\b(?=\s*[=,)\].:(])", rb"\1_", data)


class _Builder:
    def __init__(self, text: str, chunks: bool) -> None:
        self.source = text.encode("utf-8", "replace")
        self.chunks = chunks
        self.tree = tree_sitter.Parser(_LANGUAGE).parse(_masked(text))
        self.error_lines: list[int] = []
        self.deep: list[tuple[int, int]] = []
        self.blocks = 0

    def module(self) -> Module:
        root = self.tree.root_node
        self._survey(root)
        module = annotated_module(self.body(root.children, empty_ok=True), self.error_lines)
        normalize_new_syntax(module)
        return module

    def _survey(self, root: tree_sitter.Node) -> None:
        """One walk, not recursive: where errors are, and which statements are too deep to parse."""
        cursor = root.walk()
        # Depth counts from the innermost statement; the stack has one entry per level.
        stack: list[tuple[int, int, int]] = []
        depth, statement = 0, (0, len(self.source))
        while True:
            node = cursor.node
            assert node is not None
            kind = node.type
            if kind == "ERROR" or node.is_missing:
                self.error_lines.append(node.start_point.row + 1)
            stack.append((depth, *statement))
            if kind in _STATEMENTS:
                depth, statement = 0, (node.start_byte, node.end_byte)
            if depth > MAX_DEPTH and (not self.deep or self.deep[-1] != statement):
                self.deep.append(statement)
            # What is below a deep level is not needed, unless it could hold statements (ERROR nodes).
            if depth <= 2 * MAX_DEPTH and cursor.goto_first_child():
                depth += 1
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                stack.pop()
            depth, *rest = stack.pop()
            statement = (rest[0], rest[1])

    # ---- pieces of source

    def text(self, node: tree_sitter.Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def flat_text(self, node: tree_sitter.Node) -> str:
        """Source text in one line, for names that stand for it."""
        return " ".join(self.text(node).split())

    def is_deep(self, node: tree_sitter.Node) -> bool:
        return any(start < node.end_byte and node.start_byte < end for start, end in self.deep)

    def place(self, new: _Node, node: tree_sitter.Node) -> _Node:
        return self.span(new, node, node)

    def span(self, new: _Node, first: tree_sitter.Node, last: tree_sitter.Node) -> _Node:
        """Set a node's place; one with a body ends where its last statement does, before any comment."""
        start, end = first.start_point, last.end_point
        new.lineno, new.col_offset = start.row + 1, start.column  # type: ignore[attr-defined]
        new.end_lineno, new.end_col_offset = end.row + 1, end.column  # type: ignore[attr-defined]
        for field in ("finalbody", "orelse", "handlers", "body"):
            if inner := getattr(new, field, None):
                new.end_lineno = inner[-1].end_lineno  # type: ignore[attr-defined]
                new.end_col_offset = inner[-1].end_col_offset  # type: ignore[attr-defined]
                break
        return new

    # ---- expressions

    def placeholder(self, node: tree_sitter.Node) -> ast.Name:
        return self.place(ast.Name(id=self.flat_text(node), ctx=_LOADED), node)

    def expression(self, node: tree_sitter.Node, prefix: str = "") -> ast.expr:
        """The expression in a node, or its text as a name; `prefix` completes an argument list."""
        if self.is_deep(node):
            return self.placeholder(node)
        opening = "(" + prefix
        tree = _parse_text(f"{opening}{self.text(node)}\n)")
        if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
            return self.placeholder(node)
        value = tree.body[0].value
        _shift(value, node.start_point.row, node.start_point.column - len(opening))
        return value

    def target(self, node: tree_sitter.Node) -> ast.expr:
        value = self.expression(node)
        pending = [value]
        while pending:
            item = pending.pop()
            if hasattr(item, "ctx"):
                item.ctx = _STORED
            if isinstance(item, ast.Tuple | ast.List):
                pending += item.elts
            elif isinstance(item, ast.Starred):
                pending.append(item.value)
        return value

    # ---- statements

    def body(self, nodes: Sequence[tree_sitter.Node], *, empty_ok: bool = False) -> list[ast.stmt]:
        self.blocks += 1
        if self.blocks > MAX_BLOCKS:
            raise SourceError(f"more than {MAX_BLOCKS} nested blocks in line {nodes[0].start_point.row + 1}")
        found = [new for node in nodes for new in self.statement(node)]
        self.blocks -= 1
        if not found and not empty_ok and nodes:
            found = [self.place(ast.Pass(), nodes[0])]
        return found

    def block(self, owner: tree_sitter.Node, field: str = "body") -> list[ast.stmt]:
        """The statements of a node's block, a Pass where there is none."""
        block = owner.child_by_field_name(field)
        if block is None:
            block = next((child for child in owner.children if child.type == "block"), None)
        children = block.children if block is not None else []
        return self.body(children) or [self.place(ast.Pass(), owner)]

    def statement(self, node: tree_sitter.Node) -> list[ast.stmt]:
        kind = node.type
        if kind == "ERROR":
            return self.recovered(node)
        if kind not in _STATEMENTS:
            return []
        if kind in _COMPOUND:
            whole = self.chunk(node) if self.chunks else None
            return whole if whole is not None else self.compound(node)
        return self.simple(node)

    def chunk(self, node: tree_sitter.Node) -> list[ast.stmt] | None:
        """A compound statement as the interpreter's own parser sees it."""
        if self.is_deep(node):
            return None
        line_start = self.source.rfind(b"\n", 0, node.start_byte) + 1
        indent = self.source[line_start : node.start_byte].decode("utf-8", "replace")
        if indent.strip():
            return None
        header = "if 1:\n" if indent else ""
        tree = _parse_text(header + indent + self.text(node) + "\n")
        if tree is None:
            return None
        body = tree.body
        if header:
            if len(body) != 1:
                return None
            body = cast(ast.If, body[0]).body
        for statement in body:
            _shift(statement, node.start_point.row - bool(header), 0)
        return body

    def compound(self, node: tree_sitter.Node) -> list[ast.stmt]:
        match node.type:
            case "decorated_definition":
                return self.decorated(node)
            case "function_definition":
                return [self.function(node, [])]
            case "class_definition":
                return [self.class_(node, [])]
            case "if_statement":
                return [self.if_(node)]
            case "for_statement" | "while_statement":
                return [self.loop(node)]
            case "try_statement":
                return [self.try_(node)]
            case "with_statement":
                return [self.with_(node)]
            case "match_statement":
                return [self.match(node)]
        return self.body(node.children, empty_ok=True)

    # ---- definitions

    def decorated(self, node: tree_sitter.Node) -> list[ast.stmt]:
        decorators = [
            self.expression(child.named_children[0])
            for child in node.children
            if child.type == "decorator" and child.named_children
        ]
        definition = node.child_by_field_name("definition")
        if definition is None:
            return self.body(node.children, empty_ok=True)
        if definition.type == "class_definition":
            return [self.class_(definition, decorators)]
        return [self.function(definition, decorators)]

    def name(self, node: tree_sitter.Node) -> str:
        name = node.child_by_field_name("name")
        return self.text(name) if name is not None else "_"

    def class_(self, node: tree_sitter.Node, decorators: list[ast.expr]) -> ast.stmt:
        arguments = node.child_by_field_name("superclasses")
        bases, keywords = self.bases(arguments) if arguments is not None else ([], [])
        new = ast.ClassDef(
            name=self.name(node),
            bases=bases,
            keywords=keywords,
            body=self.block(node),
            decorator_list=decorators,
        )
        return self._finished(new, node)

    def bases(self, arguments: tree_sitter.Node) -> tuple[list[ast.expr], list[ast.keyword]]:
        call = self.expression(arguments, prefix="_")
        if isinstance(call, ast.Call):
            return call.args, call.keywords
        return [self.expression(child) for child in arguments.named_children if child.type != "comment"], []

    def function(self, node: tree_sitter.Node, decorators: list[ast.expr]) -> ast.stmt:
        returns = node.child_by_field_name("return_type")
        parameters = node.child_by_field_name("parameters")
        kind = ast.AsyncFunctionDef if node.children and node.children[0].type == "async" else ast.FunctionDef
        new = kind(
            name=self.name(node),
            args=self.arguments(parameters.children if parameters is not None else []),
            body=self.block(node),
            decorator_list=decorators,
            returns=self.expression(returns) if returns is not None else None,
        )
        return self._finished(new, node)

    def _finished(self, new: _Node, node: tree_sitter.Node) -> _Node:
        if "type_params" in new._fields:
            new.type_params = []  # type: ignore[attr-defined]
        return self.place(new, node)

    def arguments(self, nodes: Iterable[tree_sitter.Node]) -> ast.arguments:
        result = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        keyword_only = False
        for node in nodes:
            if node.type == "positional_separator":
                result.posonlyargs, result.args = result.args, []
                continue
            if node.type in ("keyword_separator", "*"):
                keyword_only = True
                continue
            for inner in node.named_children if node.type == "ERROR" else [node]:
                parameter = self.parameter(inner)
                if parameter is None:
                    continue
                stars, argument, default = parameter
                if stars == 2:
                    result.kwarg = argument
                elif stars == 1:
                    result.vararg, keyword_only = argument, True
                elif keyword_only:
                    result.kwonlyargs.append(argument)
                    result.kw_defaults.append(default)
                else:
                    result.args.append(argument)
                    self._default(result, default, inner)
        return result

    def _default(self, result: ast.arguments, default: ast.expr | None, node: tree_sitter.Node) -> None:
        """Defaults are right-aligned in `ast`: one that is missing after another needs a stand-in."""
        if default is None and result.defaults:
            default = self.place(ast.Constant(value=...), node)
        if default is not None:
            result.defaults.append(default)

    def parameter(self, node: tree_sitter.Node) -> tuple[int, ast.arg, ast.expr | None] | None:
        """Number of stars, argument and default."""
        default = node.child_by_field_name("value")
        annotation = node.child_by_field_name("type")
        match node.type:
            case "identifier" | "tuple_pattern" | "list_splat_pattern" | "dictionary_splat_pattern":
                name: tree_sitter.Node | None = node
            case "default_parameter" | "typed_default_parameter":
                name = node.child_by_field_name("name")
            case "typed_parameter":
                name = node.named_children[0]
            case _:
                return None
        if name is None:
            return None
        text = self.flat_text(name)
        plain = text.lstrip("* ")
        new = ast.arg(arg=plain, annotation=self.expression(annotation) if annotation is not None else None)
        value = self.expression(default) if default is not None else None
        return text[: len(text) - len(plain)].count("*"), self.place(new, node), value

    # ---- control flow

    def condition(self, node: tree_sitter.Node) -> ast.expr:
        condition = node.child_by_field_name("condition")
        return (
            self.expression(condition) if condition is not None else self.place(ast.Name("_", _LOADED), node)
        )

    def if_(self, node: tree_sitter.Node) -> ast.stmt:
        """Built from the last arm to the first: a chain of `elif` is nested as deep as it is long."""
        orelse: list[ast.stmt] = []
        arms = [child for child in node.children if child.type in ("elif_clause", "else_clause")]
        for arm in reversed(arms):
            if arm.type == "else_clause":
                orelse = self.block(arm)
            else:
                body = self.block(arm, "consequence")
                new = ast.If(test=self.condition(arm), body=body, orelse=orelse)
                orelse = [self.span(new, arm, node)]
        new = ast.If(test=self.condition(node), body=self.block(node, "consequence"), orelse=orelse)
        return self.place(new, node)

    def orelse(self, node: tree_sitter.Node, kind: str = "else_clause") -> list[ast.stmt]:
        clause = next((child for child in node.children if child.type == kind), None)
        return self.block(clause) if clause is not None else []

    def loop(self, node: tree_sitter.Node) -> ast.stmt:
        body, orelse = self.block(node), self.orelse(node)
        if node.type == "while_statement":
            return self.place(ast.While(test=self.condition(node), body=body, orelse=orelse), node)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        kind = ast.AsyncFor if node.children[0].type == "async" else ast.For
        new = kind(
            target=self.target(left if left is not None else node),
            iter=self.expression(right if right is not None else node),
            body=body,
            orelse=orelse,
        )
        return self.place(new, node)

    def try_(self, node: tree_sitter.Node) -> ast.stmt:
        clauses = [child for child in node.children if child.type in ("except_clause", "except_group_clause")]
        grouped = any(
            c.type == "except_group_clause" or any(t.type == "*" for t in c.children) for c in clauses
        )
        kind = ast.TryStar if grouped else ast.Try
        new = kind(
            body=self.block(node),
            handlers=[self.handler(clause) for clause in clauses],
            orelse=self.orelse(node),
            finalbody=self.orelse(node, "finally_clause"),
        )
        return self.place(cast(ast.stmt, new), node)

    def handler(self, clause: tree_sitter.Node) -> ast.ExceptHandler:
        """`except X`, `except X as e`, `except X, e` and, for PEP 758, `except X, Y`.

        The last two look alike; CPython 2 bound the name, so a capital second one is a class.
        """
        values = [c for c in clause.named_children if c.type not in ("block", "comment", "ERROR")]
        type_: ast.expr | None = None
        name = None
        if values and values[0].type == "as_pattern":
            parts = values[0].named_children
            type_, name = self.expression(parts[0]), self.flat_text(parts[-1])
        elif values:
            type_ = self.expression(values[0])
            alias = clause.child_by_field_name("alias")
            second = alias or (values[1] if len(values) == 2 else None)
            if second is not None and (alias is not None or self.text(second)[:1].islower()):
                name = self.flat_text(second)
            elif len(values) > 1:
                elements = [type_, *map(self.expression, values[1:])]
                type_ = self.span(ast.Tuple(elts=elements, ctx=_LOADED), values[0], values[-1])
        new = ast.ExceptHandler(type=type_, name=name, body=self.block(clause, "consequence"))
        return self.place(new, clause)

    def with_(self, node: tree_sitter.Node) -> ast.stmt:
        clause = next((child for child in node.children if child.type == "with_clause"), None)
        items = []
        for item in clause.named_children if clause is not None else []:
            value = item.child_by_field_name("value")
            if value is None:
                continue
            while value.type == "parenthesized_expression" and value.named_child_count == 1:
                value = value.named_children[0]
            alias = value.named_children[-1] if value.type == "as_pattern" else None
            context = value.named_children[0] if alias is not None else value
            target = self.target(alias) if alias is not None else None
            items.append(ast.withitem(context_expr=self.expression(context), optional_vars=target))
        if not items:
            items = [ast.withitem(context_expr=self.place(ast.Name("_", _LOADED), node))]
        kind = ast.AsyncWith if node.children[0].type == "async" else ast.With
        return self.place(kind(items=items, body=self.block(node)), node)

    def match(self, node: tree_sitter.Node) -> ast.stmt:
        subject = node.child_by_field_name("subject")
        block = node.child_by_field_name("body")
        cases = []
        for clause in block.children if block is not None else []:
            if clause.type != "case_clause":
                continue
            guard = clause.child_by_field_name("guard")
            cases.append(
                ast.match_case(
                    pattern=self.pattern(clause),
                    guard=self.expression(guard.named_children[0])
                    if guard and guard.named_children
                    else None,
                    body=self.block(clause, "consequence"),
                )
            )
        if not cases or subject is None:
            return self.place(ast.Pass(), node)
        new = self.place(ast.Match(subject=self.expression(subject), cases=cases), node)
        last = cases[-1].body[-1]
        new.end_lineno, new.end_col_offset = last.end_lineno, last.end_col_offset
        return new

    def pattern(self, clause: tree_sitter.Node) -> ast.pattern:
        parts = [child for child in clause.named_children if child.type == "case_pattern"]
        if parts and not self.is_deep(clause):
            first, last = parts[0], parts[-1]
            text = self.source[first.start_byte : last.end_byte].decode("utf-8", "replace")
            many = len(parts) > 1 or text.startswith("*") or any(c.type == "," for c in clause.children)
            tree = _parse_text(f"match _:\n case ({text}{',' if many else ''}): pass")
            if tree is not None and isinstance(statement := tree.body[0], ast.Match):
                pattern = statement.cases[0].pattern
                _shift(pattern, first.start_point.row - 1, 0)
                return pattern
        return self.place(ast.MatchAs(), clause)

    # ---- simple statements

    def simple(self, node: tree_sitter.Node) -> list[ast.stmt]:
        if not self.is_deep(node) and node.type not in ("print_statement", "exec_statement"):
            tree = _parse_text(self.text(node))
            if tree is not None:
                for statement in tree.body:
                    _shift(statement, node.start_point.row, node.start_point.column)
                return tree.body
        match node.type:
            case "expression_statement":
                return self.expression_statement(node)
            case "raise_statement":
                return [self.raise_(node)]
            case "print_statement" | "exec_statement":
                return [self.call_statement(node)]
            case "type_alias_statement":
                return [self.type_alias(node)]
            case "return_statement":
                values = node.named_children
                value = self.expression(values[0]) if values else None
                return [self.place(ast.Return(value=value), node)]
        return [self.place(ast.Pass(), node)]

    def expression_statement(self, node: tree_sitter.Node) -> list[ast.stmt]:
        inner = node.named_children[0] if node.named_children else node
        if inner.type == "assignment":
            return [self.assignment(inner)]
        left, right = inner.child_by_field_name("left"), inner.child_by_field_name("right")
        if inner.type == "augmented_assignment" and left is not None and right is not None:
            target = self.target(left)
            if isinstance(target, ast.Name | ast.Attribute | ast.Subscript):
                operator = inner.child_by_field_name("operator")
                op = ast.BitOr() if operator is not None and self.text(operator) == "|=" else ast.Add()
                return [self.place(ast.AugAssign(target=target, op=op, value=self.expression(right)), node)]
        return [self.place(ast.Expr(value=self.expression(inner)), node)]

    def assignment(self, node: tree_sitter.Node) -> ast.stmt:
        """`a = b = value`, or `a: type = value`; chained targets nest to the right in tree-sitter."""
        targets: list[ast.expr] = []
        value: tree_sitter.Node | None = node
        annotation = None
        while value is not None and value.type == "assignment":
            left = value.child_by_field_name("left")
            annotation = value.child_by_field_name("type") or annotation
            if left is not None:
                targets.append(self.target(left))
            value = value.child_by_field_name("right")
        result = self.expression(value) if value is not None else None
        if annotation is not None and isinstance(targets[0], ast.Name | ast.Attribute | ast.Subscript):
            new: ast.stmt = ast.AnnAssign(
                target=targets[0],
                annotation=self.expression(annotation),
                value=result,
                simple=int(isinstance(targets[0], ast.Name)),
            )
        elif result is None:
            new = ast.Pass()
        else:
            new = ast.Assign(targets=targets, value=result)
        return self.place(new, node)

    def type_alias(self, node: tree_sitter.Node) -> ast.stmt:
        """`type X[T] = value` as `X = value`: what is bound is the same."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return self.place(ast.Pass(), node)
        name = re.match(r"\w+", self.text(left))
        if name is None:
            return self.place(ast.Pass(), node)
        target = self.place(ast.Name(id=name[0], ctx=_STORED), left)
        new = ast.Assign(targets=[target], value=self.expression(right))
        new._type_alias = True  # type: ignore[attr-defined]
        return self.place(new, node)

    def raise_(self, node: tree_sitter.Node) -> ast.stmt:
        """`raise E, "text"` means `raise E("text")`."""
        values = node.named_children
        if values and values[0].type == "expression_list":
            values = values[0].named_children
        if not values:
            return self.place(ast.Raise(), node)
        exc = self.expression(values[0])
        if len(values) > 1:
            exc = self.span(
                ast.Call(func=exc, args=[self.expression(values[1])], keywords=[]), values[0], values[1]
            )
        return self.place(ast.Raise(exc=exc), node)

    def call_statement(self, node: tree_sitter.Node) -> ast.stmt:
        """`print x, y` and `exec code` as calls: enough to see what they use."""
        name, _, _ = node.type.partition("_")
        arguments = [
            self.expression(child)
            for child in node.named_children
            if child.type not in ("chevron", "comment")
        ]
        function = self.place(ast.Name(id=name, ctx=_LOADED), node)
        call = self.place(ast.Call(func=function, args=arguments, keywords=[]), node)
        return self.place(ast.Expr(value=call), node)

    # ---- errors

    def recovered(self, node: tree_sitter.Node) -> list[ast.stmt]:
        """The statements under an ERROR node, and the definitions of which only the header was understood."""
        children = node.children
        found: list[ast.stmt] = []
        position = 0
        while position < len(children):
            header = self.torn_header(children, position)
            if header is None:
                found += self.statement(children[position])
                position += 1
                continue
            new, end = header
            # Indentation, not the tree, says what belongs to a torn definition.
            column = children[position].start_point.column
            inside = end
            while inside < len(children) and children[inside].start_point.column > column:
                inside += 1
            new.body = self.body(children[end:inside]) or [self.place(ast.Pass(), children[position])]
            found.append(self.span(new, children[position], children[inside - 1]))
            position = inside
        return found

    def torn_header(
        self, children: Sequence[tree_sitter.Node], position: int
    ) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, int] | None:
        """A definition that starts with the token at a position, without its body, and where it ends."""
        kinds = [child.type for child in children[position : position + 3]] + ["", "", ""]
        if kinds[0] == "def" and kinds[1:3] == ["identifier", "parameters"]:
            arguments = self.arguments(children[position + 2].children)
            name = self.text(children[position + 1])
            function = ast.FunctionDef(name=name, args=arguments, body=[], decorator_list=[])
            return self._finished(function, children[position]), position + 3
        if kinds[0] == "class" and kinds[1] == "identifier":
            bases: list[ast.expr] = []
            keywords: list[ast.keyword] = []
            length = 3 if kinds[2] == "argument_list" else 2
            if length == 3:
                bases, keywords = self.bases(children[position + 2])
            name = self.text(children[position + 1])
            class_ = ast.ClassDef(name=name, bases=bases, keywords=keywords, body=[], decorator_list=[])
            return self._finished(class_, children[position]), position + length
        return None
