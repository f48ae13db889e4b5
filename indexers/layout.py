"""Which modules an artifact installs, told from its file names alone."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from packaging.utils import canonicalize_name


class Role(StrEnum):
    """What a file is to its module."""

    SOURCE = "source"
    STUB = "stub"
    CYTHON = "cython"
    DECLARED = "declared"
    """A `.pxd` beside a binary whose source is not there."""
    COMPILED = "compiled"


@dataclass(frozen=True, slots=True)
class ModuleFile:
    """One file of one module.

    `pxd` is the path of a Cython declaration file beside it, `includable` are those of files that
    it may include.
    """

    module: str
    path: str
    role: Role
    is_init: bool
    pxd: str | None = None
    includable: tuple[str, ...] = ()


@dataclass(slots=True)
class Layout:
    """The modules of an artifact.

    `skipped` holds (module, path) of test suites, the topmost name only.
    `native_packages`: packages of a source distribution with C, C++, Fortran or Rust
    below them, whose compiled modules therefore cannot be listed.
    """

    files: list[ModuleFile] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    native_packages: set[str] = field(default_factory=set)

    @property
    def tops(self) -> set[str]:
        """The top-level import names."""
        return {file.module.partition(".")[0] for file in self.files}


_EXTENSION = re.compile(r"\.(?:so|pyd|dll|dylib)$")
_NATIVE_SOURCE = re.compile(r"\.(?:c|cc|cpp|cxx|pyx|f|f90|rs|m|cu)$")
_TEST_FILE = re.compile(r"^(?:test_.*|.*_test|conftest)$")
_NOT_API = {
    "tests", "test", "docs", "doc", "examples", "example", "benchmarks", "benchmark", "bench", "scripts",
    "tools", "setup", "conftest", "tasks", "noxfile", "fabfile", "ez_setup", "distribute_setup", "versioneer",
    "build", "run_tests", "runtests", "setupegg", "ci", "utils", "demo", "demos", "tutorials",
    "_version_helper", "asv_bench",
}  # fmt: skip
"""Top-level names of source trees that are no API, unless the metadata or the project's name says so."""
_MOST_INCLUDABLE = 512
_SOURCE_ROOTS = ("src", "lib", "lib3", "python", "Lib", "source")


def lay_out(paths: Iterable[str], kind: str, project: str, top_level: Sequence[str] | None = None) -> Layout:
    """The modules of a wheel (`kind` "wheel"), a source distribution ("sdist") or a folder ("folder").

    Paths are posix and relative to the artifact's root, an sdist's own top folder left
    out.  `top_level` is the content of top_level.txt, None where there is none.
    """
    listed = list(paths)
    located = (
        _located_sdist(listed, project, top_level) if kind == "sdist" else _located_wheel(listed, top_level)
    )
    layout = Layout()
    if kind == "sdist":
        located = _without_loose_folders(located)
        layout.native_packages = _native_packages(listed, located)
    packages = {module for module, path in located if _stem(path) == "__init__"}
    for module, path in located:
        _place(layout, module, path, packages, located)
    layout.files = _chosen([*layout.files, *_declared(layout.files, located)])
    includable = tuple(sorted(path for path in listed if path.endswith(".pxi"))[:_MOST_INCLUDABLE])
    if includable:
        layout.files = [
            replace(file, includable=includable) if file.role is Role.CYTHON else file
            for file in layout.files
        ]
    shortest: dict[str, str] = {}
    for module, path in sorted(layout.skipped, key=lambda item: (item[0], len(item[1]), item[1])):
        shortest.setdefault(module, path)
    layout.skipped = list(shortest.items())
    return layout


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _suffix(path: str) -> str:
    return path[path.rfind(".") :]


def _is_code(path: str) -> bool:
    return path.endswith((".py", ".pyi", ".pyx", ".pxd")) or bool(_EXTENSION.search(path))


def _module_name(path: str) -> str | None:
    """The dotted name of a file, None where no import statement could name it."""
    folders = path.split("/")
    parts = [*folders[:-1], _stem(path)]
    if parts[0].endswith("-stubs"):
        parts[0] = parts[0].removesuffix("-stubs")
    if parts[-1] == "__init__":
        parts.pop()
    if not parts or any(not part.isidentifier() or keyword.iskeyword(part) for part in parts):
        return None
    return ".".join(parts)


def _located_wheel(paths: list[str], top_level: Sequence[str] | None) -> list[tuple[str, str]]:
    """(module, path) of a wheel's files; `*.data/purelib` and `platlib` land in site-packages."""
    located = []
    for path in paths:
        if not _is_code(path):
            continue
        inner = path
        head, _, rest = path.partition("/")
        if head.endswith(".data"):
            category, _, inner = rest.partition("/")
            if category not in ("purelib", "platlib"):
                continue
        elif head.endswith((".dist-info", ".egg-info", ".libs")):
            continue
        module = _module_name(inner)
        if module is not None:
            located.append((module, path))
    tops = {module.partition(".")[0] for module, _ in located}
    unwanted = {top for top in tops if top in _NOT_API and not (top_level and top in top_level)}
    if unwanted == tops:
        return located
    return [(module, path) for module, path in located if module.partition(".")[0] not in unwanted]


def _located_sdist(paths: list[str], project: str, top_level: Sequence[str] | None) -> list[tuple[str, str]]:
    """(module, path) of a source tree's files, for each top-level name under the root that holds it."""
    code = [path for path in paths if _is_code(path)]
    tops = _sdist_tops(code, project, top_level)
    located = []
    for path in code:
        for root, top in tops:
            inner = path[len(root) :] if path.startswith(root) else ""
            if inner.partition("/")[0] == top or ("/" not in inner and inner and _stem(inner) == top):
                module = _module_name(inner)
                if module is not None:
                    located.append((module, path))
                break
    return located


def _sdist_tops(code: list[str], project: str, top_level: Sequence[str] | None) -> list[tuple[str, str]]:
    """(root, top-level name) pairs: where the tree keeps each import package."""
    roots = ["", *(f"{root}/" for root in _SOURCE_ROOTS)]
    listed = set(code)
    found: dict[tuple[str, str], bool] = {}
    for root in roots:
        for path in code:
            inner = path[len(root) :] if path.startswith(root) else ""
            head, _, rest = inner.partition("/")
            is_root = f"{head}/" in roots and f"{root}{head}/__init__.py" not in listed
            if rest and head.isidentifier() and not is_root:
                found[root, head] = found.get((root, head), False) or rest in ("__init__.py", "__init__.pyx")
            elif head and not rest and head.endswith(".py"):
                found.setdefault((root, _stem(head)), True)
    if top_level:
        named = [
            (root, top)
            for root, top in found
            if top.split("/")[0] in {name.split("/")[0] for name in top_level}
        ]
        first: dict[str, str] = {}
        for root, top in named:
            first.setdefault(top, root)
        if first:
            return [(root, top) for top, root in first.items()]
    return _guessed_tops(found, code, project)


def _guessed_tops(found: dict[tuple[str, str], bool], code: list[str], project: str) -> list[tuple[str, str]]:
    """Without metadata: packages that look like the library, by root; then the module of its name."""
    wanted = canonicalize_name(project).replace("-", "")

    def is_named(top: str) -> bool:
        return canonicalize_name(top).replace("-", "") == wanted

    folders = {
        (root, path[len(root) :].partition("/")[0])
        for root, _ in found
        for path in code
        if path.startswith(root) and "/" in path[len(root) :]
    }
    packages = [(root, top) for (root, top), has_init in found.items() if has_init and (root, top) in folders]
    packages = [(root, top) for root, top in packages if top not in _NOT_API or is_named(top)]
    modules = [
        (root, top)
        for (root, top), ok in found.items()
        if ok and is_named(top) and (root, top) not in packages
    ]
    named = [pair for pair in packages if is_named(pair[1])] + modules
    if named:
        root = named[0][0]
        return [pair for pair in [*packages, *modules] if pair[0] == root]
    if packages:
        root = packages[0][0]
        return [pair for pair in packages if pair[0] == root]
    return [(root, top) for (root, top), ok in found.items() if ok and root == "" and top not in _NOT_API]


def _without_loose_folders(located: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """A source tree's folders without `__init__` are not installed (`find_packages` passes them over)."""
    packages = {module for module, path in located if _stem(path) == "__init__"}
    kept = []
    for module, path in located:
        parent = module if _stem(path) == "__init__" else module.rpartition(".")[0]
        chain = {parent[: match.start()] for match in re.finditer(r"\.", parent)} | (
            {parent} if parent else set()
        )
        if chain <= packages or not any(top == module.partition(".")[0] for top in packages):
            kept.append((module, path))
    return kept


def _native_packages(paths: list[str], located: list[tuple[str, str]]) -> set[str]:
    """The nearest package above each native source, sources that Cython generated left out."""
    folders = {path.rpartition("/")[0]: module for module, path in located if _stem(path) == "__init__"}
    cython = {path.removesuffix(".pyx") for path in paths if path.endswith(".pyx")}
    found = set()
    for path in paths:
        native = _NATIVE_SOURCE.search(path)
        if native is None or path[: native.start()] in cython:
            continue
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folder = folder.rpartition("/")[0]
        if folder in folders:
            found.add(folders[folder])
    return found


def _place(
    layout: Layout, module: str, path: str, packages: set[str], located: list[tuple[str, str]]
) -> None:
    parts = module.split(".")
    is_init = _stem(path) == "__init__"
    for depth, part in enumerate(parts):
        last = depth == len(parts) - 1 and not is_init
        if (
            (depth and part == "tests")
            or (last and depth and _TEST_FILE.match(part))
            or (last and part == "conftest")
        ):
            layout.skipped.append((".".join(parts[: depth + 1]), path if last else path.rpartition("/")[0]))
            return
    if not is_init and module in packages and not _EXTENSION.search(path):
        return  # a package wins over a module of the same name
    suffix = _suffix(path)
    if suffix == ".pxd":
        return
    if suffix == ".pyx":
        role = Role.CYTHON
    elif suffix == ".pyi":
        role = Role.STUB
    else:
        role = Role.SOURCE if suffix == ".py" else Role.COMPILED
    pxd = f"{path[: -len(suffix)]}.pxd" if role is Role.CYTHON else None
    if pxd is not None and all(other != pxd for _, other in located):
        pxd = None
    layout.files.append(ModuleFile(module, path, role, is_init, pxd))


def _declared(files: list[ModuleFile], located: list[tuple[str, str]]) -> Iterator[ModuleFile]:
    """The `.pxd` files of binaries that have neither a stub nor a source."""
    compiled = {file.module for file in files if file.role is Role.COMPILED}
    compiled -= {file.module for file in files if file.role is not Role.COMPILED}
    for module, path in located:
        if path.endswith(".pxd") and module in compiled and _stem(path) != "__init__":
            yield ModuleFile(module, path, Role.DECLARED, is_init=False)


def _chosen(files: list[ModuleFile]) -> list[ModuleFile]:
    """One file per module and role, by the shortest and then first path; in a fixed order."""
    best: dict[tuple[str, Role], ModuleFile] = {}
    for file in sorted(files, key=lambda file: (file.module, file.role, len(file.path), file.path)):
        best.setdefault((file.module, file.role), file)
    return list(best.values())
