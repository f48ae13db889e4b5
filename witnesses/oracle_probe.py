"""What a Python that has a project installed says of its names.  Runs inside the throw-away environment.

    python oracle_probe.py REQUEST ANSWER

Standard library only: it is run by the environment's own interpreter.  REQUEST is a JSON object:
`project`, `skip` (modules not to be imported), `seconds` for one import, `names` (public
paths that are claimed to be there) and `signatures` (path to the claimed parameters
`[name, kind, default text, annotation text]`).  ANSWER gets JSON lines, each with a `type`:

- `importing`: written before an import, so that the last one names the module that killed the process
- `module`: `error` is None where it could be imported
- `name`: `path`, `group` (exported, public or imported), `kind`, `parameters`
- `member`: the same of what a public class has in a class of the project
- `class`: its members have been listed
- `failed`: the probe itself broke down
- `claim`: a claimed name that no list has, and `how` it is there all the same (None: it is not)

A claimed default or annotation is *evaluated* where the function was defined and compared with the
real one: texts alone cannot tell `DEFAULT` from its value.
"""

from __future__ import annotations

import contextlib
import dis
import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import os
import pkgutil
import re
import signal
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

_SUITE = re.compile(r"^(?:tests?_suite|tests|test_.*|.*_test|conftest|setup|__main__)$")
"""Test suites inside packages, and what is meant to be run: neither is API."""
_MAX_REPR = 300
_VALUES = (property, types.MemberDescriptorType, types.GetSetDescriptorType)
_ROUTINES = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.MethodType,
    types.WrapperDescriptorType, types.MethodWrapperType, types.ClassMethodDescriptorType,
)  # fmt: skip


class TooLong(BaseException):
    """An import took longer than it may; no `Exception`, or a careless handler would swallow it."""


class Probe:
    """One look at one project."""

    def __init__(self, request: dict[str, Any], answer: TextIO) -> None:
        self.request = request
        self.answer = answer
        self.skip = set(request["skip"])
        self.tops = top_levels(request["project"])
        self.modules: dict[str, types.ModuleType] = {}
        self.classes: dict[str, type] = {}
        self.listed: set[str] = set()
        self._assigned: dict[type, set[str]] = {}

    def run(self) -> None:
        for top in self.tops:
            self.load(top)
        for name, module in self.modules.items():
            self.list_module(name, module)
        for path, cls in self.classes.items():
            self.list_class(path, cls)
        for path in self.request["names"]:
            self.check_claim(path)

    def write(self, sort: str, **values: Any) -> None:
        self.answer.write(json.dumps({"type": sort, **values}) + "\n")

    # ---- modules

    def load(self, name: str) -> None:
        """Import a module and what lies below it."""
        if name in self.skip:
            self.write("module", path=name, error="its import ended the process")
            return
        self.write("importing", path=name)
        self.answer.flush()
        error = self._import(name)
        module = sys.modules.get(name)
        self.write("module", path=name, error=error)
        if error is not None or not isinstance(module, types.ModuleType):
            return
        self.modules[name] = module
        with contextlib.suppress(Exception):
            found = list(pkgutil.iter_modules(list(getattr(module, "__path__", ()) or ())))
            for info in sorted(found, key=lambda info: info.name):
                if not info.name.startswith("_") and not _SUITE.match(info.name):
                    self.load(f"{name}.{info.name}")

    def _import(self, name: str) -> str | None:
        try:
            with time_limit(self.request["seconds"]):
                importlib.import_module(name)
        except BaseException as error:
            return f"{type(error).__name__}: {error}"[:_MAX_REPR]
        return None

    def list_module(self, path: str, module: types.ModuleType) -> None:
        """Names of a module: those of `__all__`, and all others without an underscore."""
        exported = getattr(module, "__all__", None)
        listed = [name for name in exported if isinstance(name, str)] if _is_list(exported) else []
        others = [name for name in list(vars(module)) if isinstance(name, str) and not name.startswith("_")]
        for name in dict.fromkeys([*listed, *others]):
            found, value = attribute(module, name)
            if not found:
                continue
            place = f"{path}.{name}"
            group = "exported" if name in listed else "public" if self.is_own(value, module) else "imported"
            self.listed.add(place)
            self.write("name", path=place, group=group, kind=kind_of(value), **self.signature(place, value))
            if group != "imported" and isinstance(value, type) and self.is_project(value):
                self.classes[place] = value

    def is_own(self, value: Any, module: types.ModuleType) -> bool:
        """Defined in the module, or by the project and shown by a package?  Of plain values nothing tells."""
        home = home_of(value)
        if home is None:
            return type(value).__module__ != "__future__"
        return home == module.__name__ or (hasattr(module, "__path__") and _top(home) in self.tops)

    def is_project(self, value: Any) -> bool:
        """Defined by the project?"""
        return _top(home_of(value)) in self.tops

    # ---- classes

    def list_class(self, path: str, cls: type) -> None:
        """Members that a class or an ancestor of the project defines."""
        for name in dir_of(cls):
            owner = next((base for base in mro_of(cls) if name in vars(base)), None)
            if name.startswith("_") or owner is None or _top(owner.__module__) not in self.tops:
                continue
            place = f"{path}.{name}"
            raw = vars(owner)[name]
            self.listed.add(place)
            kind, shown = member_kind(cls, name, raw)
            self.write("member", path=place, kind=kind, **self.signature(place, shown))
        self.write("class", path=path)

    # ---- claims

    def check_claim(self, path: str) -> None:
        """Is a claimed name there though nothing lists it?"""
        owner, _, name = path.rpartition(".")
        if path in self.listed or path in self.modules:
            return
        if owner in self.classes:
            self.write("claim", path=path, how=self._of_class(self.classes[owner], name))
        elif owner in self.modules and path not in self.skip:
            found = attribute(self.modules[owner], name)[0]
            how = "getattr" if found else "module" if self._is_module(path) else None
            self.write("claim", path=path, how=how)

    def _of_class(self, cls: type, name: str) -> str | None:
        if any(name in own_annotations(base) for base in mro_of(cls)):
            return "annotation"
        if any(name in self.assigned(base) for base in mro_of(cls)):
            return "assigned"
        if any(name in vars(base) for base in mro_of(cls)):
            return "hidden from dir"
        for fields in ("model_fields", "__fields__", "__dataclass_fields__"):
            if name in (getattr(cls, fields, None) or ()):
                return "field"
        return "getattr" if attribute(cls, name)[0] else None

    def assigned(self, cls: type) -> set[str]:
        """Attributes that the methods of a class set on anything: read from their bytecode."""
        known = self._assigned.get(cls)
        if known is None:
            codes = [code for value in vars(cls).values() for code in codes_of(value)]
            known = {
                step.argval
                for code in codes
                for step in dis.get_instructions(code)
                if step.opname == "STORE_ATTR"
            }
            self._assigned[cls] = known
        return known

    def _is_module(self, path: str) -> bool:
        with contextlib.suppress(Exception):
            return importlib.util.find_spec(path) is not None
        return False

    # ---- signatures

    def signature(self, path: str, value: Any) -> dict[str, Any]:
        """Its parameters as `inspect` shows them, and which of the claimed texts are right."""
        if not callable(value):
            return {}
        try:
            with time_limit(self.request["seconds"]):
                shown = inspect.signature(value)
        except BaseException:
            return {}
        known = self.request["signatures"].get(path)
        claimed = {item[0]: item for item in known or ()}
        names = namespaces_of(value)
        parameters = []
        for parameter in shown.parameters.values():
            claim = claimed.get(parameter.name, (None, None, None, None))
            parameters.append(
                {
                    "name": parameter.name,
                    "kind": parameter.kind.description,
                    "default": None if parameter.default is parameter.empty else shown_as(parameter.default),
                    "default_same": same(claim[2], parameter.default, names) if known else None,
                    "annotation_same": same_annotation(claim[3], parameter.annotation, names)
                    if known
                    else None,
                }
            )
        return {"parameters": parameters}


def top_levels(project: str) -> list[str]:
    """Import packages and modules that a distribution installs, by its own list of files."""
    found = set()
    for file in importlib.metadata.files(project) or ():
        head = file.parts[0]
        if head.endswith((".dist-info", ".data", ".libs", ".pth")) or head in ("..", "__pycache__"):
            continue
        name = head.partition(".")[0]
        if name.isidentifier() and not name.startswith("_") and (len(file.parts) > 1 or "." in head):
            found.add(name)
    return sorted(found)


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise `TooLong` in the block after a number of seconds."""

    def stop(*_: object) -> None:
        raise TooLong(f"longer than {seconds} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def attribute(owner: Any, name: str) -> tuple[bool, Any]:
    """(is it there, its value)."""
    try:
        return True, getattr(owner, name)
    except BaseException:
        return False, None


def home_of(value: Any) -> str | None:
    """The module that defines a module, class or function; None of a plain value."""
    if isinstance(value, types.ModuleType):
        return value.__name__
    found = getattr(value, "__module__", None) if isinstance(value, (type, *_ROUTINES)) else None
    return found if isinstance(found, str) else None


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, set, frozenset))


def _top(name: Any) -> str:
    return name.partition(".")[0] if isinstance(name, str) else ""


def dir_of(cls: type) -> list[str]:
    """The names that `dir` lists; what breaks it is passed over."""
    try:
        return [name for name in dir(cls) if isinstance(name, str)]
    except BaseException:
        return list(vars(cls))


def mro_of(cls: type) -> tuple[type, ...]:
    """Itself and its ancestors."""
    return type.mro(cls) if cls is type else cls.__mro__


def own_annotations(cls: type) -> dict[str, Any]:
    """Names that the body of a class annotates."""
    found = vars(cls).get("__annotations__")
    return found if isinstance(found, dict) else {}


def codes_of(value: Any) -> Iterator[types.CodeType]:
    """The code of a member, of the functions inside it, and of what a decorator wrapped."""
    for name in ("__func__", "fget", "fset", "func", "__wrapped__"):
        inner = getattr(value, name, None) if not isinstance(value, type) else None
        if isinstance(inner, types.FunctionType) and inner is not value:
            yield from codes_of(inner)
    code = getattr(value, "__code__", None) if isinstance(value, types.FunctionType) else None
    pending = [code] if code is not None else []
    while pending:
        code = pending.pop()
        yield code
        pending += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]


def kind_of(value: Any) -> str:
    """What a name of a module is bound to; `callable` for objects that can be called."""
    if isinstance(value, types.ModuleType):
        return "module"
    if isinstance(value, type):
        return "class"
    if isinstance(value, _ROUTINES):
        return "function"
    return "callable" if safe(lambda: callable(value), False) else "attribute"


def member_kind(cls: type, name: str, raw: Any) -> tuple[str, Any]:
    """(kind, what to ask for the signature) of a member of a class.

    An attribute that holds a class or module of another name is "held": both answers are right.
    """
    if isinstance(raw, staticmethod):
        return "method", raw.__func__
    if isinstance(raw, (classmethod, types.ClassMethodDescriptorType)):
        return "method", attribute(cls, name)[1]
    if isinstance(raw, _VALUES):
        return "attribute", None
    if isinstance(raw, (type, types.ModuleType)):
        return kind_of(raw) if getattr(raw, "__name__", "") == name else f"held {kind_of(raw)}", raw
    if isinstance(raw, _ROUTINES):
        return "method", raw
    return ("callable", raw) if safe(lambda: callable(raw), False) else ("attribute", None)


def safe(ask: Callable[[], Any], otherwise: Any) -> Any:
    """An answer of foreign code, or another value where it raises."""
    try:
        return ask()
    except BaseException:
        return otherwise


def shown_as(value: Any) -> str:
    """A default as text."""
    return str(safe(lambda: repr(value), "?"))[:_MAX_REPR]


def namespaces_of(value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """(globals, locals) in which the texts of a signature were written."""
    if isinstance(value, type):
        init = next((vars(base)["__init__"] for base in mro_of(value) if "__init__" in vars(base)), None)
        found = getattr(inspect.unwrap(init), "__globals__", None) if init is not None else None
        home = sys.modules.get(value.__module__)
        return found or (vars(home) if home is not None else {}), dict(vars(value))
    inner = safe(lambda: inspect.unwrap(value), value)
    inner = getattr(inner, "__func__", getattr(inner, "func", inner))
    found = getattr(inner, "__globals__", None) or {}
    scope = safe(lambda: class_of(inner, found), None)
    return found, dict(vars(scope)) if scope is not None else {}


def class_of(function: Any, names: dict[str, Any]) -> type | None:
    """The class in whose body a function stands."""
    found: Any = None
    for part in function.__qualname__.split(".")[:-1]:
        found = names.get(part) if found is None else vars(found).get(part)
    return found if isinstance(found, type) else None


def evaluated(text: str, names: tuple[dict[str, Any], dict[str, Any]]) -> tuple[bool, Any]:
    """(could it be evaluated, value)."""
    try:
        return True, eval(text, dict(names[0]), names[1])
    except BaseException:
        return False, None


def same(text: str | None, value: Any, names: tuple[dict[str, Any], dict[str, Any]]) -> bool | None:
    """Does a source text give a value?  None where it cannot be evaluated there, or does not say."""
    if value is inspect.Parameter.empty or text is None:
        return (value is inspect.Parameter.empty) is (text is None)
    if text == shown_as(value):
        return True
    possible, found = evaluated(text, names)
    if not possible or (text == "..." and found is not value):
        return None  # a stub says no more than that there is a default
    if found is value or safe(lambda: type(found) is type(value) and bool(found == value), False):
        return True
    return shown_as(found) == shown_as(value) or plain(shown_as(found)) == plain(shown_as(value))


def plain(text: str) -> str:
    """A representation without the addresses in it."""
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def same_annotation(
    text: str | None, value: Any, names: tuple[dict[str, Any], dict[str, Any]]
) -> bool | None:
    """The same of an annotation, which may be text at run time too."""
    if value is inspect.Parameter.empty or text is None:
        return (value is inspect.Parameter.empty) is (text is None)
    if isinstance(value, str):
        return squeezed(text) == squeezed(value)
    if squeezed(inspect.formatannotation(value)) == squeezed(text):
        return True
    possible, found = evaluated(text, names)
    if not possible:
        return None
    if isinstance(found, str):
        possible, found = evaluated(found, names)
        if not possible:
            return None
    return found is value or safe(lambda: bool(found == value), False) or shown_as(found) == shown_as(value)


def squeezed(text: str) -> str:
    """Annotation text without spaces and quotes."""
    return re.sub(r"[\s'\"]", "", text)


def main() -> None:
    request = json.loads(Path(sys.argv[1]).read_text())
    warnings.simplefilter("ignore")
    with Path(sys.argv[2]).open("w") as answer, Path(os.devnull).open("w") as nowhere:
        sys.argv[1:] = []
        sys.path[:] = [entry for entry in sys.path if entry not in ("", str(Path(__file__).parent))]
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            try:
                Probe(request, answer).run()
            except BaseException:
                answer.write(json.dumps({"type": "failed", "error": traceback.format_exc()[-2000:]}) + "\n")
        answer.write(json.dumps({"type": "end"}) + "\n")
        answer.flush()
        os._exit(0)  # threads and exit handlers of the imported modules are of no interest


if __name__ == "__main__":
    main()
