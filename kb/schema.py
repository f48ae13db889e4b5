"""The layout of the file: tables, views, macros, their comments, and the migrations that made them.

Tables live in the schema `internal` and are sorted for point queries; analysts read the
views of the schema `main`, which know versions as text and no ids.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

APPLICATION = "apikb"
SCHEMA_VERSION = 3
OLDEST_READABLE = 1
"""Files of this schema and newer ones can be read as they are; older ones are migrated by the next writer."""

Columns = tuple[tuple[str, str], ...]


def _columns(text: str) -> Columns:
    pairs = (item.strip().rpartition(" ") for item in text.split(","))
    return tuple((name.strip(), kind) for name, _, kind in pairs)


_DATES = "added VARCHAR, added_exact BOOLEAN, deprecated VARCHAR, removed VARCHAR, last_seen VARCHAR"

TABLES: dict[str, Columns] = {
    "projects": _columns(
        "pid INTEGER, project VARCHAR, top_levels VARCHAR, symbols BIGINT, indexed_at VARCHAR, "
        "newest VARCHAR, indexed INTEGER, total INTEGER"
    ),
    "releases": _columns(
        "pid INTEGER, ordinal INTEGER, version VARCHAR, status VARCHAR, reason VARCHAR, prerelease BOOLEAN, "
        "yanked BOOLEAN, yanked_reason VARCHAR, uploaded_at VARCHAR, requires_python VARCHAR, "
        "artifact VARCHAR, sha256 VARCHAR, size BIGINT, fetched BIGINT, reader INTEGER"
    ),
    "modules": _columns(
        "pid INTEGER, module VARCHAR, file VARCHAR, status VARCHAR, parser VARCHAR, detail VARCHAR, "
        "first INTEGER, last INTEGER"
    ),
    "blocks": _columns("pid INTEGER, block BIGINT, digest BLOB, file VARCHAR, mask BLOB"),
    "rows": _columns(
        "pid INTEGER, block BIGINT, position INTEGER, symbol VARCHAR, state BIGINT, line INTEGER"
    ),
    "states": _columns(
        "pid INTEGER, state BIGINT, data VARCHAR, status VARCHAR, kind VARCHAR, visibility VARCHAR, "
        "signature VARCHAR, deprecated BOOLEAN, target VARCHAR, via VARCHAR"
    ),
    "runs": _columns(
        "pid INTEGER, bucket BIGINT, symbol VARCHAR, role TINYINT, state BIGINT, first INTEGER, "
        "last INTEGER, text VARCHAR"
    ),
    "spans": _columns(
        f"pid INTEGER, symbol VARCHAR, kind VARCHAR, visibility VARCHAR, {_DATES}, added_after VARCHAR, "
        "removed_exact BOOLEAN, unknown_inside INTEGER, alias_of VARCHAR, inherited_from VARCHAR, via VARCHAR"
    ),
    "callables": _columns("pid INTEGER, symbol VARCHAR, set INTEGER"),
    "signatures": _columns(
        "pid INTEGER, set INTEGER, signature VARCHAR, added VARCHAR, removed VARCHAR, last_seen VARCHAR"
    ),
    "parameters": _columns(
        "pid INTEGER, set INTEGER, parameter VARCHAR, kind VARCHAR, default VARCHAR, annotation VARCHAR, "
        f"position INTEGER, {_DATES}"
    ),
    "deprecations": _columns(
        "pid INTEGER, symbol VARCHAR, parameter VARCHAR, since VARCHAR, until VARCHAR, mechanism VARCHAR, "
        "message VARCHAR, claimed_since VARCHAR, announced_removal VARCHAR, replacement VARCHAR, "
        "file VARCHAR, line INTEGER"
    ),
    "moves": _columns(
        "pid INTEGER, symbol VARCHAR, moved_to VARCHAR, version VARCHAR, evidence VARCHAR, confidence DOUBLE"
    ),
    "changes": _columns("pid INTEGER, version VARCHAR, symbol VARCHAR, change VARCHAR, detail VARCHAR"),
    "tombstones": _columns("pid INTEGER, symbol VARCHAR, since VARCHAR, last_seen VARCHAR, message VARCHAR"),
    "documented": _columns("pid INTEGER, symbol VARCHAR, set INTEGER"),
    "docstring_runs": _columns(
        "pid INTEGER, set INTEGER, hash VARCHAR, added VARCHAR, removed VARCHAR, last_seen VARCHAR"
    ),
    "docstrings": _columns("pid INTEGER, hash VARCHAR, text VARCHAR"),
    "docstring_examples": _columns("pid INTEGER, hash VARCHAR, position INTEGER, example INTEGER"),
    "examples": _columns(
        "pid INTEGER, example INTEGER, kind VARCHAR, code VARCHAR, output VARCHAR, compiles BOOLEAN"
    ),
}
"""Every table that holds content of projects, with its columns."""
DOCSTRINGS_SINCE = 2
"""Files of older schemas hold no docstrings."""
EXAMPLES_SINCE = 3
"""Files of older schemas hold no examples; the docstrings have them."""
_LATER = {
    "documented": DOCSTRINGS_SINCE,
    "docstring_runs": DOCSTRINGS_SINCE,
    "docstrings": DOCSTRINGS_SINCE,
    "docstring_examples": EXAMPLES_SINCE,
    "examples": EXAMPLES_SINCE,
}
"""Tables and views that came with a later schema than the first."""

VIEWS: dict[str, str] = {
    "spans": "One row for every span of every symbol: a maximal run of releases in which it is present, "
    "half-open [added, removed).",
    "signatures": "Maximal runs of releases in which a symbol has the same signature.",
    "parameters": "One row for every run of releases in which a symbol accepts a parameter; kind, default "
    "and annotation as last seen.",
    "deprecations": "Marks that a symbol, or one of its parameters, should no longer be used: observed since "
    "and until, with what the mark says.",
    "moves": "Removed symbols and what took their place, with the evidence and a confidence from 0 to 1.",
    "releases": "Every release that the index lists, in PEP 440 order, and what became of it.",
    "modules": "Every module of every release, and whether it could be read.",
    "changes": "What each release added, deprecated, removed and altered.",
    "tombstones": "Names that are still there but raise when they are used.",
    "docstrings": "Maximal runs of releases in which a symbol has the same docstring, aliases and inherited "
    "members included.",
    "examples": "The code examples of docstrings, aliases and inherited members included, each over the "
    "maximal runs of releases in which the docstring of the symbol has it.",
}

COLUMN_COMMENTS: dict[str, str] = {
    "project": "Normalised name on the package index.",
    "symbol": "Qualified name: the public path, the defining path or an alias, each with its own rows.",
    "kind": "module, class, function, method, attribute; of a parameter its kind as inspect names it; of an "
    "example how it is marked: doctest, directive, fence, literal, section.",
    "visibility": "exported, public or private.",
    "added": "First release of the span.",
    "added_exact": "False where the symbol may be older: the first indexed release has it, or releases just "
    "before could not be read.",
    "deprecated": "First release of the span that marks it as deprecated.",
    "removed": "First release that provably lacks it; NULL while nothing proves the end.",
    "last_seen": "Last release that has it.",
    "added_after": "Last release before the span that provably lacks it.",
    "removed_exact": "False where unknown releases lie between last_seen and removed.",
    "unknown_inside": "Releases inside the span that could not be read.",
    "alias_of": "The defining path, where this path is an alias.",
    "inherited_from": "The member of the ancestor that this one is.",
    "via": "How the path comes to be bound.",
    "signature": "As inspect.signature prints it.",
    "parameter": "Name of the parameter; NULL where the symbol itself is meant.",
    "default": "Source text of the default.",
    "annotation": "Source text of the annotation.",
    "position": "0-based place in the signature; of an example, in the docstring that has it last.",
    "since": "First release in which this was observed.",
    "until": "First release in which it is no longer observed.",
    "mechanism": "decorator, warning, docstring, getattr, or default (one that says so).",
    "message": "What the mark or the tombstone says.",
    "claimed_since": "The version that the text claims.",
    "announced_removal": "The removal that the text announces. Announced is not actual.",
    "replacement": "What the text says to use instead.",
    "file": "File inside the artifact.",
    "line": "1-based line in the file.",
    "moved_to": "The path that took its place.",
    "version": "Version of the release, normalised by PEP 440.",
    "evidence": "Why this is thought to be a move.",
    "confidence": "From 0 to 1.",
    "ordinal": "0-based rank in PEP 440 order.",
    "status": "Whether it could be read.",
    "reason": "Why it could not be read.",
    "prerelease": "Alpha, beta, candidate or development release.",
    "yanked": "Withdrawn from the index.",
    "yanked_reason": "Why it was withdrawn.",
    "uploaded_at": "ISO 8601, UTC.",
    "requires_python": "The specifier of the artifact.",
    "artifact": "Name of the file that was read.",
    "sha256": "Of the artifact.",
    "size": "Of the artifact, in bytes.",
    "fetched": "Bytes fetched to read it.",
    "reader": "Version of the extractor that read it.",
    "docstring": "As inspect.cleandoc gives it, at most 64 KiB; NULL where the release was read before "
    "docstrings were kept.",
    "hash": "Names the text: equal for equal docstrings.",
    "module": "Dotted name.",
    "code": "Source text without prompts.",
    "output": "What it prints, as the docstring says; empty where it says nothing.",
    "compiles": "Whether the Python that published it takes the code for a program.",
    "parser": "The parser that could read it.",
    "detail": "What exactly.",
    "change": "added, removed, tombstone, deprecated, undeprecated, kind or signature.",
}


_SETS = ("signatures", "parameters")
"""Views whose rows are shared by all paths of one object."""


def _view(name: str) -> str:
    if name in _SETS:
        columns = ", ".join(f't."{column}"' for column, _ in TABLES[name] if column not in ("pid", "set"))
        return (
            f'CREATE VIEW main."{name}" AS SELECT p.project, c.symbol, {columns} FROM internal.callables c '
            f'JOIN internal.projects p USING (pid) JOIN internal."{name}" t '
            "ON t.pid = c.pid AND t.set = c.set"
        )
    columns = ", ".join(f't."{column}"' for column, _ in TABLES[name] if column != "pid")
    source = f'FROM internal."{name}" t JOIN internal.projects p USING (pid)'
    return f'CREATE VIEW main."{name}" AS SELECT p.project, {columns} {source}'


_MODULES_VIEW = """CREATE VIEW main.modules AS
SELECT p.project, r.version, m.module, m.status, m.parser, m.detail, m.file
FROM internal.modules m JOIN internal.projects p USING (pid)
JOIN internal.releases r ON r.pid = m.pid AND r.ordinal BETWEEN m.first AND m.last"""

_DOCSTRINGS_VIEW = """CREATE VIEW main.docstrings AS
SELECT p.project, c.symbol, t.added, t.removed, t.last_seen, d.text AS docstring, t.hash
FROM internal.documented c JOIN internal.projects p USING (pid)
JOIN internal.docstring_runs t ON t.pid = c.pid AND t.set = c.set
LEFT JOIN internal.docstrings d ON d.pid = t.pid AND d.hash = t.hash"""

_EXAMPLES_VIEW = """CREATE VIEW main.examples AS
WITH told AS (
    SELECT c.pid, c.symbol, e.example, e.position, t.added, t.removed, t.last_seen, r.ordinal
    FROM internal.documented c
    JOIN internal.docstring_runs t ON t.pid = c.pid AND t.set = c.set
    JOIN internal.docstring_examples e ON e.pid = t.pid AND e.hash = t.hash
    JOIN internal.releases r ON r.pid = t.pid AND r.version = t.added
), numbered AS (
    SELECT *, lag(removed) OVER runs IS DISTINCT FROM added AS starts
    FROM told WINDOW runs AS (PARTITION BY pid, symbol, example ORDER BY ordinal)
), grouped AS (
    SELECT *, count(*) FILTER (starts) OVER (PARTITION BY pid, symbol, example ORDER BY ordinal) AS run
    FROM numbered
), merged AS (
    SELECT pid, symbol, example, arg_min(added, ordinal) AS since,
        arg_max({'until': removed, 'last_seen': last_seen, 'position': position}, ordinal) AS ending
    FROM grouped GROUP BY pid, symbol, example, run
)
SELECT p.project, m.symbol, m.since, m.ending.until, m.ending.last_seen, m.ending.position,
    x.kind, x.code, x.output, x.compiles
FROM merged m JOIN internal.projects p USING (pid)
JOIN internal.examples x ON x.pid = m.pid AND x.example = m.example"""

_NORMAL_VERSION = r"""CREATE MACRO internal.normal_version(v) AS
regexp_replace(regexp_replace(lower(trim(v)), '^v', ''), '^(\d+(?:\.\d+)*?)(?:\.0)+$', '\1')"""

_SYMBOLS_AT = """CREATE MACRO main.symbols_at(project, version) AS TABLE
SELECT u.symbol, s.kind, s.visibility, s.signature, s.deprecated,
    CASE WHEN s.via <> 'inherited' THEN s.target END AS alias_of,
    CASE WHEN s.via = 'inherited' THEN s.target END AS inherited_from, s.via
FROM internal.projects p
JOIN internal.releases r ON r.pid = p.pid
JOIN internal.runs u ON u.pid = r.pid AND u.role = 0 AND r.ordinal BETWEEN u.first AND u.last
JOIN internal.states s ON s.state = u.state
WHERE p.project = regexp_replace(lower(project), '[-_.]+', '-', 'g')
    AND internal.normal_version(r.version) = internal.normal_version(version)
    AND r.status = 'indexed' AND s.status = 'present'
ORDER BY u.symbol, s.kind"""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _comments(views: Iterable[str]) -> list[str]:
    found = []
    for view in views:
        found.append(f'COMMENT ON VIEW main."{view}" IS {_quoted(VIEWS[view])}')
        for column in view_columns()[view]:
            found.append(f'COMMENT ON COLUMN main."{view}"."{column}" IS {_quoted(COLUMN_COMMENTS[column])}')
    return found


def _macro_comment() -> str:
    text = (
        "symbols_at(project, version): every symbol that is present in a release, members included. "
        "2.3 and 2.3.0 are one version."
    )
    return f"COMMENT ON MACRO TABLE main.symbols_at IS {_quoted(text)}"


def view_columns() -> dict[str, tuple[str, ...]]:
    """The columns of the public views, in their order."""
    found = {
        view: ("project", *("symbol" if name == "set" else name for name, _ in TABLES[view] if name != "pid"))
        for view in VIEWS
        if view not in ("modules", "releases", "docstrings", "examples")
    }
    found["modules"] = ("project", "version", "module", "status", "parser", "detail", "file")
    found["releases"] = (
        "project",
        "version",
        *(column for column, _ in TABLES["releases"] if column not in ("pid", "version")),
    )
    found["docstrings"] = ("project", "symbol", "added", "removed", "last_seen", "docstring", "hash")
    found["examples"] = (
        *("project", "symbol", "since", "until", "last_seen", "position"),
        *("kind", "code", "output", "compiles"),
    )
    return found


def _releases_view() -> str:
    columns = ", ".join(f't."{column}"' for column in view_columns()["releases"][1:])
    return (
        f"CREATE VIEW main.releases AS SELECT p.project, {columns} "
        "FROM internal.releases t JOIN internal.projects p USING (pid)"
    )


_COMPRESSION = dict.fromkeys(
    (("docstrings", "text"), ("examples", "code"), ("examples", "output")), " USING COMPRESSION zstd"
)
"""DuckDB chooses it for very long texts only; docstrings in the order of symbols take a fifth of the room."""


def _table(table: str) -> str:
    listed = ", ".join(
        f'"{name}" {kind}{_COMPRESSION.get((table, name), "")}' for name, kind in TABLES[table]
    )
    return f'CREATE TABLE internal."{table}" ({listed})'


def _first_schema() -> list[str]:
    made = ["CREATE SCHEMA internal", "CREATE TABLE internal.meta (key VARCHAR, value VARCHAR)"]
    made += [_table(table) for table in TABLES if table not in _LATER]
    views = [view for view in VIEWS if view not in _LATER]
    made += [_view(view) for view in views if view not in ("modules", "releases")]
    made += [
        _MODULES_VIEW,
        _releases_view(),
        _NORMAL_VERSION,
        _SYMBOLS_AT,
        *_comments(views),
        _macro_comment(),
    ]
    made.append(f"INSERT INTO internal.meta VALUES ('application', '{APPLICATION}')")
    return made


def _second_schema() -> list[str]:
    return [*map(_table, _tables_of(DOCSTRINGS_SINCE)), _DOCSTRINGS_VIEW, *_comments(["docstrings"])]


def _third_schema() -> list[str]:
    return [*map(_table, _tables_of(EXAMPLES_SINCE)), _EXAMPLES_VIEW, *_comments(["examples"])]


def _tables_of(version: int) -> list[str]:
    return [table for table, since in _LATER.items() if since == version]


def views_of(version: int) -> list[str]:
    """The public views that a file of a schema has."""
    return [view for view in VIEWS if _LATER.get(view, 1) <= version]


class Migration(NamedTuple):
    """One change of the schema: it leads to `version`."""

    version: int
    description: str
    statements: tuple[str, ...]


MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, "first schema", tuple(_first_schema())),
    Migration(2, "docstrings", tuple(_second_schema())),
    Migration(3, "examples of docstrings", tuple(_third_schema())),
)
