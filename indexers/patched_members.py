"""Attributes that a module sets on classes and modules of other files: `Tensor.storage = storage`."""

from __future__ import annotations

import ast
import hashlib
from typing import TYPE_CHECKING

from .facts import AttributeFacts, Binding, FunctionFacts
from .signatures import dotted_name, signature_of

if TYPE_CHECKING:
    from .namespaces import Release, Target
    from .scope import Scope


def note_patch(scope: Scope, owner: str, name: str, value: ast.expr, line: int) -> None:
    """Note `owner.name = value`, where the module has imported `owner`."""
    head, _, rest = owner.partition(".")
    binding = scope.env.get(head)
    if scope.kind != "module" or binding is None or binding.form not in ("import", "from"):
        return
    known = binding.data if binding.form == "import" else ".".join(binding.data)
    path = f"{known}.{rest}" if rest else str(known)
    # Nothing of the standard library or of other projects can be meant: their top-level names differ.
    if path.partition(".")[0] == scope.reader.module.partition(".")[0]:
        scope.reader.patches.append((path, _patch(scope, name, value, line)))


def _patch(scope: Scope, name: str, value: ast.expr, line: int) -> Binding:
    conditions = [f"{scope.reader.module} has been imported", *scope.conditions]
    known = scope.env.get(value.id) if isinstance(value, ast.Name) else None
    binding = Binding(name, "attr", AttributeFacts())
    if known is not None and known.form in ("def", "class", "from"):
        binding = Binding(name, known.form, known.data)
    elif isinstance(value, ast.Lambda):
        binding = Binding(name, "def", FunctionFacts(signature_of(value.args)))
    elif isinstance(value, ast.Attribute) and (dotted := dotted_name(value)) is not None:
        binding = Binding(name, "attr", AttributeFacts(dotted))
    return binding._replace(line=line, seq=-1, via="dynamic", condition=" and ".join(conditions))


def add_patches(release: Release) -> bool:
    """Give classes and modules what other files set on them; what they have themselves stays."""
    changed = False
    for entry in list(release.modules.values()):
        for path, patch in entry.facts.patches if entry.facts is not None else ():
            target = _find(release, path)
            if target is not None:
                changed |= _apply(release, target, patch)
    return changed


def _find(release: Release, path: str) -> Target | None:
    top, _, rest = path.partition(".")
    if top not in release.modules:
        return None
    if not rest:
        return None  # what a module sets on its own top-level package is read as that package's
    target = release.resolve_dotted(top, rest)
    return target if target.form in ("module", "object") else None


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
        names[known.name] = known._replace(data=known.data._replace(members=(*known.data.members, patch)))
        release.forget(module, known.name)
    entry = release.modules[module]
    entry.key = hashlib.blake2b(entry.key + repr(patch).encode(), digest_size=16).digest()
    return True
