"""Classes of stub files that do not list what they hold."""

from __future__ import annotations

import ast

EMPTY = "its stub does not say what it holds"
PARTIAL = "its stub says that it has more attributes (__getattr__)"


def unlisted_members(node: ast.ClassDef) -> str | None:
    """Why a class of a stub may have members that the stub leaves out, None where nothing says so."""
    if any(isinstance(part, ast.FunctionDef) and part.name == "__getattr__" for part in node.body):
        return PARTIAL
    derived = any(not (isinstance(base, ast.Name) and base.id == "object") for base in node.bases)
    return None if derived or not all(_says_nothing(part) for part in node.body) else EMPTY


def _says_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )
