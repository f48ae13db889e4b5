"""The namespaces of one release's modules, and what their names lead to.

Nothing is imported: a name is followed through imports, star imports, `__all__`
lists and `__getattr__` tables to the definition, to something outside the project,
or to a reason why it cannot be told.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .colormaps import bind_colormaps
from .compiled_names import TEST_SUITE, add_documented, add_imported, listed_in_stub, prefer_stubs
from .exports import OWN, left_out
from .facts import CANDIDATE, Binding, ModuleFacts, StarImport
from .forwarding import bind_forwarded, bind_unseen, forwarded
from .made_getattrs import add_made_getattrs
from .marked_aliases import NOTE as MARKED_ALIASES
from .patched_members import add_class_exports, add_held_members, add_patches, add_set_names
from .stdlib import in_stdlib
from .stubs import UNSOURCED, handed_on, is_made, made_at_run_time, of_compiled

_MAX_STEPS = 60
"""Longer chains of aliases are cycles, or as good as."""


@dataclass(slots=True)
class ModuleEntry:
    """One module of a release with what is known of it.

    `facts` are those of its best file (None for a compiled or unreadable module, and for a namespace
    folder); `key` names file content and module, for digests; `stub` holds a stub's
    facts beside source.
    """

    module: str
    path: str
    key: bytes = b""
    facts: ModuleFacts | None = None
    stub: ModuleFacts | None = None
    stub_path: str = ""
    is_init: bool = False
    opaque: str | None = None


class Target(NamedTuple):
    """What a name leads to.

    `form`: `object` (with `module` and `binding`), `module`, `external`, or `unknown`
    (with the reason in `path`).
    """

    form: str
    path: str
    module: str = ""
    binding: Binding | None = None


@dataclass(slots=True)
class Exports:
    """The value of a module's `__all__`: its names, and whether some part could not be read."""

    names: dict[str, None] = field(default_factory=dict)
    partial: bool = False


class Release:
    """The modules of one release, resolved lazily and each name once."""

    def __init__(self, entries: Iterable[ModuleEntry]) -> None:
        self.modules = {entry.module: entry for entry in entries}
        self.python2 = any(
            entry.facts is not None and entry.facts.parser == "tree-sitter" for entry in self.modules.values()
        )
        self._add_namespace_folders()
        self.tops = {module.partition(".")[0] for module in self.modules}
        self.forwards = forwarded(self)
        self.marking = {
            module
            for module, entry in self.modules.items()
            if entry.facts is not None and MARKED_ALIASES in entry.facts.notes
        }
        self._has_sources = any(entry.facts is not None for entry in self.modules.values())
        self.has_binaries = any(
            entry.facts is None and entry.opaque not in (None, TEST_SUITE) for entry in self.modules.values()
        )
        """Binaries, or what could not be read: either may set names on other modules."""
        self._namespaces: dict[str, dict[str, Binding]] = {}
        self._exports: dict[str, Exports | None] = {}
        self._targets: dict[tuple[str, str], Target] = {}
        self._star_reasons: dict[str, str] = {}
        self.closed: set[str] = set()
        """Modules whose `__getattr__` was made, and read, elsewhere."""
        self._listed: set[str] = set()
        """Open modules whose stubs are complete."""
        self._bind_witnessed()

    def _add_namespace_folders(self) -> None:
        for module in list(self.modules):
            parent = module.rpartition(".")[0]
            while parent and parent not in self.modules:
                self.modules[parent] = ModuleEntry(parent, "", is_init=True)
                parent = parent.rpartition(".")[0]

    # ---- namespaces

    def namespace(self, module: str) -> dict[str, Binding]:
        """Name to binding, star imports included."""
        known = self._namespaces.get(module)
        if known is None:
            entry = self.modules.get(module)
            known = self._local(entry) if entry is not None else {}
            self._namespaces[module] = known
        return known

    def _local(self, entry: ModuleEntry) -> dict[str, Binding]:
        facts = entry.facts
        if facts is None:
            return self._shown(entry, entry.stub) if entry.stub is not None else {}
        names = {binding.name: binding for binding in facts.bindings}
        for binding in facts.served:
            if not self.is_gone(binding):
                names.setdefault(binding.name, binding)
        if facts.stub_attached and entry.stub is not None:
            for binding in entry.stub.bindings:
                names[binding.name] = binding._replace(via="lazy")
        return names

    def _shown(self, entry: ModuleEntry, stub: ModuleFacts) -> dict[str, Binding]:
        """What a stub shows of a module without source."""
        if not self._is_compiled(entry):
            return {binding.name: _in_stub(binding) for binding in stub.bindings}
        imported = ("import", "from")
        return {
            binding.name: of_compiled(_in_stub(binding))
            for binding in stub.bindings
            if binding.form in imported or is_made(binding)
        }

    def _is_compiled(self, entry: ModuleEntry) -> bool:
        """True for a module that is known by its stub alone, where that is not all that a release has."""
        return entry.facts is None and entry.stub is not None and self._has_sources

    def is_gone(self, binding: Binding) -> bool:
        """True for an entry of a lazy table that names a module of the project which is not there."""
        if binding.via != "lazy" or binding.form != "import" or binding.data in self.modules:
            return False
        return binding.data.partition(".")[0] in self.tops

    def opaque(self, module: str) -> str | None:
        """Why a module may bind names that cannot be seen, None where it cannot."""
        entry = self.modules.get(module)
        if entry is None or module in self._listed:
            return None
        if entry.opaque is not None:
            return entry.opaque
        facts = entry.facts or entry.stub
        own = facts.opaque if facts is not None and module not in self.closed else None
        if own is None and self._is_compiled(entry) and facts is not None and facts.exports is None:
            own = UNSOURCED
        return own or self._star_reasons.get(module)

    def _bind_witnessed(self) -> None:
        """Expand star imports, and add what other files say of modules that cannot be read."""
        bind_forwarded(self)
        bind_colormaps(self)
        add_made_getattrs(self)
        add_documented(self)
        self._expand_stars()
        documented = add_documented(self)
        if add_imported(self) or documented:
            self._expand_stars()
        prefer_stubs(self)
        self._targets.clear()
        for add in (add_class_exports, add_held_members, add_patches, add_set_names):
            if add(self):
                self._targets.clear()
        for module, entry in self.modules.items():
            if entry.stub is not None and self.opaque(module) is not None and listed_in_stub(self, module):
                self._listed.add(module)
                self._add_handed_on(module, entry.stub)
        bind_unseen(self)

    def _add_handed_on(self, module: str, stub: ModuleFacts) -> None:
        """What a complete stub takes from elsewhere, and the source binds by no statement."""
        names = self.namespace(module)
        for binding in stub.bindings:
            given = handed_on(binding)
            if given is not None and f"{module}.{given.name}" not in self.modules:
                names.setdefault(given.name, given)

    def forget(self, module: str, name: str) -> None:
        """Resolve a name, and whatever leads to it, anew."""
        path = f"{module}.{name}"
        self._targets = {key: target for key, target in self._targets.items() if target.path != path}

    def _expand_stars(self) -> None:
        """Add what star imports bring, until nothing changes: the result does not depend on any order."""
        for module in self.modules:
            self._fill_from_stub(module)
        starred = sorted(module for module, entry in self.modules.items() if self._stars(entry))
        for _ in range(len(starred) + 2):
            self._exports.clear()
            self._targets.clear()
            changed = False
            for module in starred:
                before = len(self.namespace(module)), self._star_reasons.get(module)
                for star in self._stars(self.modules[module]):
                    self._expand_star(module, star)
                self._fill_from_stub(module)
                if before != (len(self.namespace(module)), self._star_reasons.get(module)):
                    changed = True
            if not changed:
                break
        self._exports.clear()
        self._targets.clear()

    @staticmethod
    def _stars(entry: ModuleEntry) -> tuple[StarImport, ...]:
        stars: tuple[StarImport, ...] = entry.facts.stars if entry.facts is not None else ()
        if entry.stub is not None and (entry.facts is None or entry.facts.stub_attached):
            stars = (*stars, *entry.stub.stars)
        return stars

    def _expand_star(self, module: str, star: StarImport) -> None:
        source = self._star_source(module, star)
        if source is None:
            return
        names = self.namespace(module)
        for name in self.star_names(source, everything=star.everything):
            known = names.get(name)
            if known is not None and known.seq >= star.seq and known.via != "star-import":
                continue
            if known is not None and known.via == "star-import" and known.seq >= star.seq:
                continue
            if source == module or self._leads_back(module, source, name):
                continue
            doubt = None if star.everything else self._doubt(source, name)
            form: tuple[str, Any] = ("from", (source, name)) if doubt is None else ("unknown", doubt)
            if doubt is None or known is None or known.data == doubt:
                names[name] = Binding(name, *form, 0, star.seq, "star-import", star.condition, (), star.marks)
        if not star.everything:
            self._add_doubtful(names, source, star)

    def _add_doubtful(self, names: dict[str, Binding], source: str, star: StarImport) -> None:
        """What a partly read `__all__` may list besides: only what its module binds, or it would raise."""
        exports = self.exports(source)
        if exports is None or not exports.partial or not exports.names or names is self.namespace(source):
            return
        bound = [
            name for name, known in self.namespace(source).items() if known.via not in ("getattr", "typing")
        ]
        inner = [
            module.removeprefix(f"{source}.") for module in self.modules if module.startswith(f"{source}.")
        ]
        for name in (*bound, *(module for module in inner if "." not in module)):
            if name not in names and not name.startswith("__"):
                doubt = _in_doubt(source)
                names[name] = Binding(name, "unknown", doubt, 0, star.seq, "star-import", star.condition)

    def _doubt(self, source: str, name: str) -> str | None:
        """Why a star import may not bring a name, None where nothing speaks against it.

        Exports that are made at run time are those of the module.  Where others are listed, they are the
        objects that it makes; other definitions may be helpers.
        """
        exports = self.exports(source)
        binding = self.namespace(source).get(name)
        if exports is None or not exports.partial or name in exports.names or binding is None:
            return None
        if not exports.names:
            if binding.form != "import" and self.resolve(source, name).form not in ("external", "module"):
                return None
        elif self._is_made_object(source, binding):
            return None
        return _in_doubt(source)

    def _is_made_object(self, module: str, binding: Binding, steps: int = 0) -> bool:
        """True for an object of a class of the release, and for what other files say that a module makes."""
        if binding.form == "from" and steps < _MAX_STEPS:
            source = self.locate(module, binding.data[0])
            known = self.namespace(source).get(binding.data[1])
            return known is not None and self._is_made_object(source, known, steps + 1)
        if binding.form != "attr" or not binding.data.calls or binding.seq < 0:
            return binding.seq < 0
        made = self.resolve_dotted(module, binding.data.calls)
        return made.form == "object" and made.binding is not None and made.binding.form == "class"

    def _fill_from_stub(self, module: str) -> None:
        """What an open module makes by running code, the stub beside it may list; all else is stronger."""
        entry = self.modules[module]
        if entry.facts is None or entry.stub is None:
            return
        names, opened = self.namespace(module), self.opaque(module) is not None
        for binding in entry.stub.bindings:
            known = names.get(binding.name)
            wanted = opened if known is None else known.seq == CANDIDATE
            if wanted and (filled := made_at_run_time(binding)) is not None:
                names[binding.name] = filled

    def _leads_back(self, module: str, source: str, name: str) -> bool:
        """True where a circle of star imports would hand a name back to the module that already has it."""
        if name not in self.namespace(module):
            return False
        at, wanted = source, name
        for _ in range(_MAX_STEPS):
            binding = self.namespace(at).get(wanted)
            if binding is None or binding.form != "from":
                return False
            at, wanted = self.locate(at, binding.data[0]), binding.data[1]
            if (at, wanted) == (module, name):
                return True
        return True

    def _star_source(self, module: str, star: StarImport) -> str | None:
        if star.everything and star.module in self.modules:
            source: str | None = star.module
        elif star.everything:
            target = self.resolve_dotted(module, star.module)
            source = target.path if target.form == "module" else None
            if source is None:
                self._star_reasons[module] = f"it copies the names of {star.module}, which cannot be read"
                return None
        else:
            source = self.locate(module, star.module)
        if source not in self.modules:
            top = (source or "").partition(".")[0]
            if star.condition is None or top in self.tops:
                self._star_reasons[module] = f"it star-imports {star.module}, which is not readable here"
            return None
        reason = self.opaque(source)
        exports = self.exports(source)
        if reason is not None and (star.everything or exports is None or exports.partial):
            self._star_reasons[module] = f"it star-imports {source}: {reason}"
        return source

    def star_names(self, module: str, *, everything: bool = False) -> list[str]:
        """What `from module import *` binds."""
        names = self.namespace(module)
        exports = None if everything else self.exports(module)
        hidden = ("getattr", "typing")
        public = [name for name in names if not name.startswith("_") and names[name].via not in hidden]
        if everything:
            return [name for name in names if not name.startswith("__") and names[name].via != "typing"]
        if exports is None:
            return public
        listed = [
            name
            for name in exports.names
            if name in names or f"{module}.{name}" in self.modules or self.opaque(module) is not None
        ]
        if not exports.partial:
            return listed
        # What the module defines itself is likely to be listed; what it imports for its own use is not.
        own = [name for name in public if not exports.names or self._may_export(module, names[name])]
        return listed + [name for name in own if name not in exports.names]

    def _may_export(self, module: str, binding: Binding, steps: int = 0) -> bool:
        """True for a definition, and for an import from a module whose own exports are as little known."""
        if binding.form != "from" or steps > _MAX_STEPS:
            return binding.form not in ("from", "import")
        source = self.locate(module, binding.data[0])
        exports = self.exports(source) if source != module else None
        known = self.namespace(source).get(binding.data[1])
        return (
            exports is not None
            and exports.partial
            and known is not None
            and self._may_export(source, known, steps + 1)
        )

    # ---- exports

    def exports(self, module: str, seen: frozenset[str] = frozenset()) -> Exports | None:
        """The names of `__all__`, None where the module has none."""
        if module in self._exports:
            return self._exports[module]
        entry = self.modules.get(module)
        facts = entry.facts or entry.stub if entry is not None else None
        if facts is None or module in seen:
            return None
        operations = facts.exports
        if operations is None:
            own = self.namespace(module).get("__all__")
            if own is not None and own.form == "from":
                inner = self.exports(self.locate(module, own.data[0]), seen | {module})
                self._exports[module] = inner
                return inner
            self._exports[module] = None
            return None
        result = Exports()
        for kind, items in operations:
            self._apply(result, kind, items, module, seen | {module})
        self._exports[module] = result
        return result

    def _apply(
        self, result: Exports, kind: str, items: tuple[Any, ...], module: str, seen: frozenset[str]
    ) -> None:
        names: dict[str, None] = {}
        for item in items:
            if isinstance(item, str):
                names[item] = None
            elif item is None:
                result.partial = True
            elif item[0] == "self":
                names.update(result.names)
            elif item[0] == OWN:
                names.update(self._bound_before(module, *item[1:]))
                result.partial |= self.opaque(module) is not None
            else:
                inner = self._referred(item, module, seen)
                if inner is None:
                    result.partial = True
                else:
                    names.update(inner.names)
                    result.partial |= inner.partial
        if kind == "set":
            result.names = names
        elif kind == "add":
            result.names.update(names)
        elif kind == "remove":
            for name in names:
                result.names.pop(name, None)
        else:
            result.partial = True

    def _bound_before(self, module: str, seq: int, tests: tuple[tuple[str, str], ...]) -> dict[str, None]:
        """The names that a module has when a statement is run; those that pass a test are left out."""
        unseen = ("getattr", "lazy", "typing")
        return {
            name: None
            for name, binding in self.namespace(module).items()
            if binding.seq < seq and binding.via not in unseen and not left_out(name, tests)
        }

    def _referred(self, item: tuple[str, str], module: str, seen: frozenset[str]) -> Exports | None:
        if item[0] == "module":
            return self.exports(self.locate(module, item[1]), seen)
        target = self.resolve_dotted(module, item[1])
        return self.exports(target.path, seen) if target.form == "module" else None

    # ---- resolution

    def locate(self, module: str, imported: str) -> str:
        """The absolute name of an imported module; Python 2 sources may mean a sibling."""
        if self.forwards and imported not in self.modules:
            top, dot, rest = imported.partition(".")
            inner = f"{self.forwards.get(top, top)}{dot}{rest}"
            imported = inner if inner in self.modules else imported
        if imported in self.modules or not self.python2:
            return imported
        entry = self.modules[module]
        if entry.facts is not None and "future:absolute_import" in entry.facts.notes:
            return imported
        package = module if entry.is_init else module.rpartition(".")[0]
        sibling = f"{package}.{imported}" if package else imported
        head = f"{package}.{imported.partition('.')[0]}" if package else imported
        return sibling if sibling in self.modules or head in self.modules else imported

    def resolve(self, module: str, name: str, steps: int = 0) -> Target:
        """What `module.name` leads to."""
        key = (module, name)
        known = self._targets.get(key)
        if known is None:
            if steps > _MAX_STEPS:
                return Target("unknown", "its imports run in a circle")
            known = self._follow(module, name, steps)
            if steps == 0 or known.form != "unknown":
                self._targets[key] = known
        return known

    def _follow(self, module: str, name: str, steps: int) -> Target:
        binding = self.namespace(module).get(name)
        if binding is None:
            return self._unbound(module, name)
        target = self.follow_binding(module, binding, steps)
        if binding.others and target.form in ("external", "unknown") and not in_stdlib(target.path):
            # The first branch leads outside or nowhere: one that leads to what is there tells more.
            for other in binding.others:
                inner = self.follow_binding(module, other, steps)
                if inner.form == "object" or (inner.form == "external" and in_stdlib(inner.path)):
                    return inner
        return target

    def follow_binding(self, module: str, binding: Binding, steps: int = 0) -> Target:
        """What one binding of a module leads to."""
        if binding.form == "import":
            located = self.locate(module, binding.data)
            if located in self.modules:
                return Target("module", located)
            return self._missing_module(located, steps)
        if binding.form == "from":
            located = self.locate(module, binding.data[0])
            if located in self.modules:
                if located == module and binding.data[1] == binding.name:
                    return self._unbound(module, binding.name)
                return self.resolve(located, binding.data[1], steps + 1)
            missing = self._missing_module(located, steps)
            return (
                Target("external", f"{missing.path}.{binding.data[1]}")
                if missing.form == "external"
                else missing
            )
        if binding.form == "ref":
            return self.resolve_dotted(module, binding.data, steps + 1, binding.name)
        return Target("object", f"{module}.{binding.name}", module, binding)

    def _missing_module(self, module: str, steps: int) -> Target:
        top = module.partition(".")[0]
        if top not in self.tops or top in sys.stdlib_module_names:
            return Target("external", module)
        parts = module.split(".")
        # `import package.module.name`-like chains, where the last part is an attribute.
        owner = ".".join(parts[:-1])
        if owner in self.modules and parts[-1] in self.namespace(owner):
            return self.resolve(owner, parts[-1], steps + 1)
        return Target("unknown", f"module {module} is not among the readable files")

    def _unbound(self, module: str, name: str) -> Target:
        submodule = f"{module}.{name}"
        if submodule in self.modules:
            return Target("module", submodule)
        reason = self.opaque(module)
        return Target("unknown", f"{module}: {reason}" if reason else f"{module} does not bind {name}")

    def resolve_dotted(self, module: str, dotted: str, steps: int = 0, itself: str | None = None) -> Target:
        """What a dotted expression in a module leads to."""
        head, _, rest = dotted.partition(".")
        if head == itself and not rest:
            return Target("unknown", f"{head} is bound to itself")
        namespace = self.namespace(module)
        if head not in namespace and f"{module}.{head}" not in self.modules:
            return (
                Target("external", f"builtins.{dotted}") if _is_builtin(head) else self._unbound(module, head)
            )
        target = self.resolve(module, head, steps + 1)
        for part in rest.split(".") if rest else ():
            target = self.attribute(target, part, steps + 1)
        return target

    def attribute(self, target: Target, name: str, steps: int = 0) -> Target:
        """What an attribute of a target leads to."""
        if steps > _MAX_STEPS:
            return Target("unknown", "its definition runs in a circle")
        if target.form == "module":
            return self.resolve(target.path, name, steps)
        if target.form == "external":
            return Target("external", f"{target.path}.{name}")
        if target.form == "object" and target.binding is not None:
            binding = target.binding
            if binding.form == "class" and (found := self._inherited(target, name, steps)) is not None:
                return found
            if binding.form == "attr" and binding.data.calls:
                owner = self.resolve_dotted(target.module, binding.data.calls, steps + 1)
                if owner.form == "object" and owner.binding is not None and owner.binding.form == "class":
                    return self.attribute(owner, name, steps + 1)._replace(form="bound")
        return Target("unknown", f"{name} of {target.path} cannot be told")

    def _inherited(self, target: Target, name: str, steps: int) -> Target | None:
        """What a member of a class, its own or that of an ancestor, leads to; None where none has it."""
        pending, seen = [target], set[str]()
        while pending and len(seen) < _MAX_STEPS:
            owner = pending.pop(0)
            if owner.path in seen or owner.binding is None or owner.binding.form != "class":
                continue
            seen.add(owner.path)
            for member in owner.binding.data.members:
                if member.name == name:
                    return self._member(owner, member, steps)
            bases = (base for base in owner.binding.data.bases if base is not None)
            pending += [self.resolve_dotted(owner.module, base, steps + 1) for base in bases]
        return None

    def _member(self, owner: Target, member: Binding, steps: int) -> Target:
        """What a member of a class leads to: most are defined there, some are imported or are other names."""
        if member.form in ("import", "from", "ref"):
            return self.follow_binding(owner.module, member, steps + 1)
        return Target("object", f"{owner.path}.{member.name}", owner.module, member)


def _in_doubt(source: str) -> str:
    return f"it is star-imported from {source}, whose __all__ is made at run time, if at all"


def _is_builtin(name: str) -> bool:
    return hasattr(builtins, name)


def _in_stub(binding: Binding) -> Binding:
    """A stub's imports serve its annotations; only `import x as x` re-exports (PEP 484)."""
    if binding.form in ("import", "from") and binding.via not in ("reexport", "star-import"):
        return binding._replace(via="typing")
    return binding
