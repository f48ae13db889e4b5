"""Names of compiled modules, by what the readable files of the same release say of them.

Three witnesses: calls that give a docstring to a compiled object, imports without which the importing
module could not be loaded, and stubs beside the package that hands the name on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..kb.symbols import Parameter, ParameterKind
from .facts import CANDIDATE, AttributeFacts, Binding, ClassFacts, FunctionFacts, Injection
from .numpy_types import MODULES as NUMPY_TYPES
from .numpy_types import type_names
from .stubs import of_compiled

if TYPE_CHECKING:
    from .namespaces import ModuleEntry, Release

COMPILED_CLASS = "a compiled class, of which only the documented members can be seen"
TEST_SUITE = "a test suite, left out by rule"
_LEFT_OUT = 0.03
"""Share of the exported names that it may lack: deprecated ones are often taken out early."""
_FIRST = -1
"""Number of a witnessed binding: whatever a file of the module itself binds comes later."""
_MAX_STEPS = 40
_MANY = 50
"""Exported names that a stub must have before it is believed to have the others."""
_SELF = Parameter("self", ParameterKind.POSITIONAL_ONLY.value)


def add_documented(release: Release) -> bool:
    """Bind what docstring injectors name, where it is bound nowhere else; True where anything was added."""
    objects: dict[tuple[str, str], list[Injection]] = {}
    members: dict[tuple[str, str], dict[str, Injection]] = {}
    for injection in _injections(release):
        located = _split(release, injection.path)
        if located is None:
            continue
        module, parts = located
        place = origin(release, module, parts[0])
        if place is None:
            continue
        if len(parts) == 1:
            objects.setdefault(place, []).append(injection)
        else:
            members.setdefault(place, {}).setdefault(parts[1], injection)
    changed = False
    for module, name in {**objects, **members}:
        place = module, name
        known = release.namespace(module).get(name)
        binding = _documented(name, objects.get(place, []), members.get(place, {}))
        if known is not None and _is_type_of(known):
            if binding.form != "class":
                continue
            binding = binding._replace(seq=known.seq, line=known.line)
        if known != binding:
            _bind(release, module, binding)
            changed = True
    return changed


def add_imported(release: Release) -> bool:
    """Bind what other modules import, unconditionally, from a module that cannot be read whole."""
    found: dict[tuple[str, str], None] = {}
    made = {name for module in NUMPY_TYPES if module in release.modules for name in type_names(module)}
    for module, entry in release.modules.items():
        if entry.facts is None:
            continue
        for binding in release.namespace(module).values():
            if binding.form != "from" or binding.condition or binding.others or binding.via == "lazy":
                continue
            source, name = release.locate(module, binding.data[0]), binding.data[1]
            # With the number of its import: names that a star import brought prove nothing.
            if binding.via == "star-import":
                continue
            if name in made:
                source, name = origin(release, source, name) or (source, name)
            if _hides(release, source, name):
                found[source, name] = None
    for source, name in found:
        _bind(release, source, Binding(name, "attr", AttributeFacts(), 0, _FIRST, "import"))
    return bool(found)


def prefer_stubs(release: Release) -> None:
    """What a package takes from a compiled module, the stub beside the package may describe."""
    for module, entry in release.modules.items():
        if entry.stub is None or entry.facts is None:
            continue
        names = release.namespace(module)
        stubs = {binding.name: binding for binding in entry.stub.bindings}
        for described in stubs.values():
            known = names.get(described.name)
            if described.form not in ("def", "class") or known is None:
                continue
            if known.form in ("from", "import", "ref") and _says_more(release, module, described):
                shown = of_compiled(described)
                names[described.name] = shown._replace(seq=known.seq, condition=known.condition)
                if described.form == "class":
                    _add_bases(names, described, stubs)


def _add_bases(names: dict[str, Binding], described: Binding, stubs: dict[str, Binding]) -> None:
    """The ancestors that a stub's class has in the stub alone: its members are inherited from them."""
    pending = [described]
    while pending:
        for base in pending.pop().data.bases:
            known = stubs.get(base or "")
            if known is not None and known.form == "class" and known.name not in names:
                names[known.name] = of_compiled(known)._replace(seq=_FIRST)
                pending.append(known)


def _says_more(release: Release, module: str, described: Binding) -> bool:
    """True where a name leads to nothing that can be read, or to less than the stub tells."""
    target = release.resolve(module, described.name)
    known = target.binding
    if target.form == "unknown" or (known is not None and known.seq == CANDIDATE):
        return True
    if target.form != "object" or known is None or known.via not in ("docstring", "import"):
        return False
    return known.form == "attr" or (described.form == "class" and known.form in ("attr", "def", "class"))


def listed_in_stub(release: Release, module: str) -> bool:
    """True where the stub beside a source file proves to be complete.

    It says nothing of further names, and has those that the source is known to export.
    """
    entry = release.modules[module]
    if entry.stub is None or entry.facts is None or entry.opaque or entry.stub.opaque or entry.stub.stars:
        return False
    exports = release.exports(module)
    names = release.namespace(module)
    exported = [name for name in (exports.names if exports is not None else ()) if name in names]
    listed = {binding.name for binding in entry.stub.bindings}
    missing = [name for name in exported if name not in listed and f"{module}.{name}" not in release.modules]
    return len(exported) >= _MANY and len(missing) <= len(exported) * _LEFT_OUT


def origin(release: Release, module: str, name: str) -> tuple[str, str] | None:
    """The (module, name) that a chain of imports ends at without a binding of its own, in an open module."""
    for _ in range(_MAX_STEPS):
        binding = release.namespace(module).get(name)
        if binding is None or binding.seq == CANDIDATE:
            return (module, name) if _hides(release, module, name) else None
        if binding.via == "docstring" or _is_type_of(binding):
            return module, name
        if binding.form == "from":
            module, name = release.locate(module, binding.data[0]), binding.data[1]
        elif binding.form == "ref" and "." in binding.data:
            owner, _, last = binding.data.rpartition(".")
            target = release.resolve_dotted(module, owner)
            if target.form != "module":
                return None
            module, name = target.path, last
        else:
            return None
        if module not in release.modules:
            return None
    return None


def _is_type_of(binding: Binding) -> bool:
    """`ufunc = type(sin)`: a class of which the assignment shows nothing."""
    return binding.form == "attr" and binding.data.calls == "type"


def _hides(release: Release, module: str, name: str) -> bool:
    """True where a module does not bind a name visibly, but may."""
    entry = release.modules.get(module)
    if entry is None or entry.opaque == TEST_SUITE or f"{module}.{name}" in release.modules:
        return False
    known = release.namespace(module).get(name)
    return known.seq == CANDIDATE if known is not None else release.opaque(module) is not None


def _injections(release: Release) -> Iterator[Injection]:
    for entry in release.modules.values():
        if entry.facts is not None:
            yield from entry.facts.injected


def _split(release: Release, path: str) -> tuple[str, list[str]] | None:
    """(module, what lies in it) for an object of a module or a member of one."""
    parts = path.split(".")
    for length in (len(parts) - 1, len(parts) - 2):
        module = ".".join(parts[:length])
        if length > 0 and module in release.modules:
            return module, parts[length:]
    return None


def _documented(name: str, texts: list[Injection], members: dict[str, Injection]) -> Binding:
    """One object, as its texts show it: with members it is a class."""
    signature = next((text.signature for text in texts if text.signature is not None), None)
    called = any(text.callable for text in texts)
    if not members:
        form, data = ("def", FunctionFacts(signature)) if called else ("attr", AttributeFacts())
        return Binding(name, form, data, 0, _FIRST, "docstring")
    inner = [_member(member, text) for member, text in members.items()]
    if signature is not None and "__init__" not in members:
        inner.append(_member("__init__", Injection("", True, (signature[0], None), True)))
    facts = ClassFacts((), None, (), tuple(inner), labels=("compiled",), opaque=COMPILED_CLASS)
    return Binding(name, "class", facts, 0, _FIRST, "docstring")


def _member(name: str, text: Injection) -> Binding:
    if not text.callable:
        return Binding(name, "attr", AttributeFacts(), 0, _FIRST, "docstring")
    signature: Any = None
    if text.signature is not None:
        parameters, returns = text.signature
        signature = ((tuple(_SELF), *parameters), returns)
    return Binding(name, "def", FunctionFacts(signature), 0, _FIRST, "docstring")


def _bind(release: Release, module: str, binding: Binding) -> None:
    release.namespace(module)[binding.name] = binding
    entry: ModuleEntry = release.modules[module]
    # What the module holds now rests on more than its own file.
    entry.key = hashlib.blake2b(entry.key + repr(binding).encode(), digest_size=16).digest()
