"""Attributes that code sets on what other files define: `Tensor.storage = storage`, `@Backend.export`."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .facts import AttributeFacts, Binding, ClassFacts, FunctionFacts, GivenName
from .literals import string_value
from .patchers import BARE_CALL, Patcher
from .signatures import dotted_name, signature_of
from .string_flow import KEYS

COMPUTED = "*"
"""The name of a patch whose names only the run tells."""
_MAX_DEPTH = 8
"""Bases of bases that are looked at."""

if TYPE_CHECKING:
    from .namespaces import Release, Target
    from .scope import Scope


def note_patch(scope: Scope, owner: str, name: str | None, value: ast.expr | None, line: int) -> None:
    """Note `owner.name = value`, where the module has imported `owner`; None is a name that is computed."""
    path = imported_path(scope, owner) if scope.kind == "module" else None
    if path is None:
        return
    if name is None:
        reason = f"{scope.reader.module} sets names on it that are computed"
        scope.reader.patches.append((path, Binding(COMPUTED, "unknown", reason, line, -1, "dynamic")))
    else:
        scope.reader.patches.append((path, _patch(scope, name, value, line)))


def note_on_registered(scope: Scope, node: ast.expr, name: str | None, value: ast.expr, line: int) -> None:
    """Note `sys.modules["package"].name = value`."""
    path = registered_module(scope, node)
    if path is None or scope.kind != "module" or not _is_own(scope, path):
        return
    if name is None:
        reason = f"{scope.reader.module} sets names on it that are computed"
        scope.reader.patches.append((path, Binding(COMPUTED, "unknown", reason, line, -1, "dynamic")))
    else:
        scope.reader.patches.append((path, _patch(scope, name, value, line, path)))


def note_registration(scope: Scope, key: ast.expr, value: ast.expr, line: int) -> None:
    """Note `sys.modules["package.name"] = module`: the name can be imported from the package."""
    path, _, name = (_module_name(scope, key) or "").rpartition(".")
    if path and scope.kind == "module" and _is_own(scope, path):
        scope.reader.patches.append((path, _patch(scope, name, value, line, path)))


def registered_module(scope: Scope, node: ast.expr) -> str | None:
    """The name of the module in `sys.modules["package"]`."""
    if isinstance(node, ast.Subscript) and dotted_name(node.value) == "sys.modules":
        return _module_name(scope, node.slice)
    return None


def _module_name(scope: Scope, node: ast.expr) -> str | None:
    reader = scope.reader
    own = {"__name__": ast.Constant(reader.module), "__package__": ast.Constant(reader.package)}
    return string_value(node, {**scope.constants, **own})


def _is_own(scope: Scope, path: str) -> bool:
    return path.partition(".")[0] == scope.reader.module.partition(".")[0]


def imported_path(scope: Scope, dotted: str) -> str | None:
    """The absolute path of what a module has imported from its own project; None for anything else.

    Nothing of the standard library or of other projects can be meant: their top-level names differ.
    """
    head, _, rest = dotted.partition(".")
    binding = scope.env.get(head)
    if binding is None or binding.form not in ("import", "from"):
        return None
    known = binding.data if binding.form == "import" else ".".join(binding.data)
    path = f"{known}.{rest}" if rest else str(known)
    return path if path.partition(".")[0] == scope.reader.module.partition(".")[0] else None


def _patch(scope: Scope, name: str, value: ast.expr | None, line: int, path: str | None = None) -> Binding:
    """The binding of what is set; a module of `path` or below it has been imported with its package."""
    module = scope.reader.module
    always = path is not None and f"{path}.".startswith(f"{module}.")
    conditions = [*([] if always else [f"{module} has been imported"]), *scope.conditions]
    known = scope.env.get(value.id) if isinstance(value, ast.Name) else None
    binding = Binding(name, "attr", AttributeFacts())
    if known is not None and known.form in ("def", "class", "from", "import"):
        binding = Binding(name, known.form, known.data)
    elif isinstance(value, ast.Lambda):
        binding = Binding(name, "def", FunctionFacts(signature_of(value.args)))
    elif isinstance(value, ast.Attribute) and (dotted := dotted_name(value)) is not None:
        binding = Binding(name, "attr", AttributeFacts(dotted))
    condition = " and ".join(conditions) or None
    return binding._replace(line=line, seq=-1, via="dynamic", condition=condition)


def add_patches(release: Release) -> bool:
    """Give classes and modules what other files set on them; what they have themselves stays."""
    changed = False
    for entry in list(release.modules.values()):
        for path, patch in entry.facts.patches if entry.facts is not None else ():
            target = _find(release, path)
            if target is not None and patch.name == COMPUTED:
                changed |= _open(release, target, patch)
            elif target is not None and (patch.form != "unknown" or _is_whole(release, target)):
                changed |= _apply(release, target, patch)
    return changed


def add_class_exports(release: Release) -> bool:
    """Bind in modules what a decorator of their classes sets there; what they bind themselves stays.

    Where the names are computed, the module is open.
    """
    known: dict[str, list[tuple[str, Patcher]]] = {}
    for module, entry in release.modules.items():
        for patcher in map(Patcher._make, entry.facts.patchers if entry.facts is not None else ()):
            if patcher.on_module:
                last = patcher.name.rpartition(".")[2]
                known.setdefault(last, []).append((f"{module}.{patcher.name}", patcher))
    changed = False
    for module in release.modules if known else ():
        classes = [binding for binding in release.namespace(module).values() if binding.form == "class"]
        for binding in classes:
            for name in binding.data.decorators:
                decorator = name.removesuffix(BARE_CALL)
                candidates = known.get(decorator.rpartition(".")[2])
                paths = set(_defined_at(release, module, decorator)) if candidates else ()
                for path, patcher in candidates or ():
                    if path in paths:
                        _export(release, module, binding, patcher)
                        changed = True
    return changed


def add_held_members(release: Release) -> bool:
    """Give classes what code sets on them by way of an attribute of other classes: `cls._target.x = ...`.

    The other classes have an ancestor in the file of that code.
    """
    known: dict[str, list[tuple[str, Patcher]]] = {}
    for module, entry in release.modules.items():
        for patcher in map(Patcher._make, entry.facts.patchers if entry.facts is not None else ()):
            if patcher.holder is not None:
                known.setdefault(patcher.holder, []).append((module, patcher))
    changed = False
    for module in release.modules if known else ():
        classes = [binding for binding in release.namespace(module).values() if binding.form == "class"]
        for binding in classes:
            for member in binding.data.members:
                for source, patcher in known.get(member.name, ()) if member.form == "ref" else ():
                    target = release.resolve_dotted(module, member.data)
                    if target.form == "object" and source in _ancestor_modules(release, module, binding):
                        changed |= _set_held(release, target, patcher, module, binding.line)
    return changed


def add_set_names(release: Release) -> bool:
    """Give classes the names that their classmethods are called with: `Frame._setup_axes(["index"])`."""
    changed = False
    for module, entry in list(release.modules.items()):
        for owner, method, arguments, line in entry.facts.setter_calls if entry.facts is not None else ():
            target = release.resolve_dotted(module, owner)
            given = _given_names(release, target, method)
            if given is None:
                continue
            names = [_argument_names(parameter, arguments) for parameter in given]
            condition = f"{module} has been imported" if module != target.module else None
            if None in names:
                reason = f"{module} sets names on it that cannot be told"
                changed |= _apply(release, target, Binding(COMPUTED, "unknown", reason, line, -1, "dynamic"))
            for name in sorted({name for found in names if found is not None for name in found}):
                patch = Binding(name, "attr", AttributeFacts(), line, -1, "dynamic", condition)
                changed |= _apply(release, release.resolve_dotted(module, owner), patch)
    return changed


def _given_names(
    release: Release, target: Target, method: str, depth: int = 0
) -> tuple[GivenName, ...] | None:
    """The parameters of a class's method that become names on it; None where it sets nothing."""
    binding = target.binding
    if binding is None or binding.form != "class" or depth > _MAX_DEPTH:
        return None
    for name, given in binding.data.setters:
        if name == method:
            return tuple(map(GivenName._make, given))
    if any(member.name == method for member in binding.data.members):
        return None
    bases = (release.resolve_dotted(target.module, base) for base in binding.data.bases if base is not None)
    inherited = (_given_names(release, base, method, depth + 1) for base in bases)
    return next((given for given in inherited if given is not None), None)


def _argument_names(parameter: GivenName, arguments: Sequence[tuple[Any, ...]]) -> tuple[str, ...] | None:
    """The names that a call gives for a parameter; None where they cannot be told."""
    if any(place == "**" for place, _, _ in arguments):
        return None
    for place, items, keys in arguments:
        if place in (parameter.position, parameter.parameter):
            names: tuple[str, ...] | None = keys if parameter.part == KEYS else items
            return names
    return () if parameter.optional else None


def _set_held(release: Release, target: Target, patcher: Patcher, module: str, line: int) -> bool:
    condition = f"{module} has been imported" if module != target.module else None
    patch = Binding(patcher.keys[0], "attr", AttributeFacts(), line, -1, "dynamic", condition)
    return _apply(release, target, patch)


def _ancestor_modules(release: Release, module: str, binding: Binding, depth: int = 0) -> Iterator[str]:
    yield module
    for base in binding.data.bases if depth < _MAX_DEPTH else ():
        target = release.resolve_dotted(module, base) if base is not None else None
        if target is not None and target.binding is not None and target.binding.form == "class":
            yield from _ancestor_modules(release, target.module, target.binding, depth + 1)


def _defined_at(release: Release, module: str, dotted: str, depth: int = 0) -> Iterator[str]:
    """Where a function may be defined: as it is written, and in bases of the class that it is taken from."""
    yield release.resolve_dotted(module, dotted).path
    owner, _, last = dotted.rpartition(".")
    target = release.resolve_dotted(module, owner) if owner and depth < _MAX_DEPTH else None
    if target is not None and target.binding is not None and target.binding.form == "class":
        for base in target.binding.data.bases:
            if base is not None:
                yield from _defined_at(release, target.module, f"{base}.{last}", depth + 1)


def _export(release: Release, module: str, owner: Binding, patcher: Patcher) -> None:
    entry, names = release.modules[module], release.namespace(module)
    bound = [Binding(name, "ref", f"{owner.name}.{name}") for name in patcher.keys]
    bound += [Binding(name, "attr", AttributeFacts()) for name in patcher.others]
    for binding in bound:
        set_here = binding._replace(line=owner.line, seq=-1, via="dynamic", condition=owner.condition)
        names.setdefault(binding.name, set_here)
    if not patcher.closed and entry.facts is not None:
        reason = f"{patcher.name} sets names in it"
        entry.facts = entry.facts._replace(opaque=entry.facts.opaque or reason)
    entry.key = hashlib.blake2b(entry.key + repr((owner.name, patcher)).encode(), digest_size=16).digest()


def _find(release: Release, path: str) -> Target | None:
    from .namespaces import Target

    top, _, rest = path.partition(".")
    if top not in release.modules:
        return None
    if not rest or path in release.modules:
        return Target("module", path)
    target = release.resolve_dotted(top, rest)
    return target if target.form in ("module", "object") else None


def _is_whole(release: Release, target: Target) -> bool:
    """True for a module of which all else is known; in any other, what may be there is unknown anyway."""
    return target.form == "module" and release.opaque(target.path) is None


def _open(release: Release, target: Target, patch: Binding) -> bool:
    """A module has names that only the run tells."""
    entry = release.modules.get(target.path) if target.form == "module" else None
    if entry is None or entry.facts is None:
        return False
    entry.facts = entry.facts._replace(opaque=entry.facts.opaque or patch.data)
    entry.key = hashlib.blake2b(entry.key + repr(patch).encode(), digest_size=16).digest()
    return True


def _apply(release: Release, target: Target, patch: Binding) -> bool:
    if target.form == "module":
        module, names = target.path, release.namespace(target.path)
        if patch.name in names or f"{module}.{patch.name}" in release.modules:
            return False
        names[patch.name] = patch
    else:
        module, names = target.module, release.namespace(target.module)
        known = target.binding
        if known is None or known.form != "class" or names.get(known.name) != known:
            return False
        if any(member.name == patch.name for member in known.data.members):
            return False
        facts: ClassFacts = known.data
        changed = (
            facts._replace(members=(*facts.members, patch))
            if patch.name != COMPUTED
            else facts._replace(opaque=facts.opaque or patch.data)
        )
        names[known.name] = known._replace(data=changed)
        release.forget(module, known.name)
    entry = release.modules[module]
    entry.key = hashlib.blake2b(entry.key + repr(patch).encode(), digest_size=16).digest()
    return True
