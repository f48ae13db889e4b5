"""The facts of a release's files, joined: one block of rows for each file.

A block whose file and resolved imports were seen before is known by its digest
and costs no more than the resolving.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from ..kb.observations import Block, Row
from ..kb.symbols import Deprecation, Kind, Signature, Status, SymbolState, Visibility
from .classes import Classes
from .facts import AttributeFacts, Binding, ClassFacts, FunctionFacts, PartialFacts
from .marked_aliases import marks_on_way
from .namespaces import Exports, ModuleEntry, Release, Target
from .partials import bound_signature
from .patchers import BARE_CALL, Patcher
from .plain_signatures import drop_first, plain_signature
from .stdlib import external_kind
from .wrappers import GIVES_BACK, WrapperFacts

_FUNCTION_MAKERS = {
    "_add_docstr",
    "add_docstr",
    "partial",
    "functools.partial",
    "deprecate",
    "np.deprecate",
    "wraps",
}
_CLASS_MAKERS = {
    "namedtuple", "collections.namedtuple", "NamedTuple", "typing.NamedTuple", "Enum", "enum.Enum", "IntEnum",
    "enum.IntEnum", "TypedDict", "typing.TypedDict", "type", "make_dataclass", "dataclasses.make_dataclass",
}  # fmt: skip


_BOUND = {"classmethod", "staticmethod"}
UNBOUND = "listed in __all__, although no statement binds it"
_PUBLIC = Visibility.PUBLIC.value
_NOT_NAMES = {"__all__", "__getattr__", "__dir__"}


def is_private(path: str) -> bool:
    """True where a part of the path is private by name; dunder names are part of the language."""
    if not path.startswith("_") and "._" not in path:
        return False
    return any(
        part.startswith("_") and not (part.startswith("__") and part.endswith("__"))
        for part in path.split(".")
    )


class RowCache:
    """Rows of definitions by the file that holds them.

    A block is made anew whenever something that its file imports has changed; the rows
    of its own definitions are then the same as before.
    """

    def __init__(self) -> None:
        self._files: dict[bytes, dict[tuple[str, str, bytes], tuple[Row, ...]]] = {}

    def of(self, key: bytes) -> dict[tuple[str, str, bytes], tuple[Row, ...]]:
        """Rows of one file by (path, visibility, what its classes inherit)."""
        return self._files.setdefault(key, {})

    def keep(self, keys: set[bytes]) -> None:
        """Forget all other files."""
        self._files = {key: rows for key, rows in self._files.items() if key in keys}


def _raises(entry: ModuleEntry) -> bool:
    """True for a module that nobody can import: whatever it binds before it raises, nobody gets."""
    return entry.facts is not None and entry.facts.raises is not None


class Assembler:
    """Makes the blocks of one release.  `known` holds digests whose rows need not be made again."""

    def __init__(self, release: Release, known: set[bytes], rows: RowCache | None = None) -> None:
        self.release = release
        self.known = known
        self.rows = rows or RowCache()
        self.classes = Classes(release)
        self._states: dict[str, SymbolState] = {}
        self._tokens: dict[str, bytes] = {}
        self._partials: set[str] = set()
        self._attached: dict[str, dict[str, tuple[str, tuple[Any, ...]]]] = {}
        self._attach()

    def blocks(self) -> Iterator[tuple[bytes, Block | None]]:
        """(digest, block) of each module, what it defines and what it takes; None for a block known already.

        The two are apart because the second changes with every file that it takes from.
        """
        for module in sorted(self.release.modules):
            entry = self.release.modules[module]
            file = entry.path or entry.stub_path
            namespace = self.release.namespace(module)
            exports = self.release.exports(module)
            common = self._common(entry, exports)
            yield self._block(
                self._own_digest(common, module, namespace), file, self._own_rows, entry, exports
            )
            yield self._block(
                self._taken_digest(common, module, namespace), file, self._taken_rows, entry, exports
            )

    def _attach(self) -> None:
        """Find out which definitions get their docstrings elsewhere: by module and path, hash and marks."""
        for entry in self.release.modules.values():
            for module, dotted, name, marks in entry.facts.attached if entry.facts is not None else ():
                if module in self.release.modules:
                    target = self.release.resolve_dotted(module, dotted)
                    if target.form == "object":
                        known = self._attached.setdefault(target.module, {})
                        known.setdefault(target.path, (name, marks))

    def _attached_token(self, module: str) -> bytes:
        """Names the docstrings that a module's definitions get elsewhere."""
        attached = self._attached.get(module)
        return repr(sorted(attached.items())).encode() if attached else b""

    def _block(
        self,
        digest: bytes,
        file: str,
        rows: Callable[[ModuleEntry, Exports | None], Iterator[Row]],
        entry: ModuleEntry,
        exports: Exports | None,
    ) -> tuple[bytes, Block | None]:
        if digest in self.known:
            return digest, None
        self.known.add(digest)
        return digest, Block(file, tuple(rows(entry, exports)))

    # ---- digests

    def _common(self, entry: ModuleEntry, exports: Exports | None) -> bytes:
        """What all rows of a module rest on: its file, and how far it is open."""
        opaque = self.release.opaque(entry.module)
        text = f"{entry.module}\0{entry.path}\0{entry.stub_path}\0{entry.is_init}\0{opaque}\0"
        listed = repr((list(exports.names), exports.partial)) if exports is not None else ""
        return entry.key + f"{text}{listed}".encode() + self._attached_token(entry.module)

    def _own_digest(self, common: bytes, module: str, namespace: dict[str, Binding]) -> bytes:
        hasher = hashlib.blake2b(common, digest_size=16, person=b"own")
        hasher.update(repr(self._removed(module)).encode())
        for name, binding in namespace.items():
            if binding.form == "class":
                hasher.update(self._class_token(f"{module}.{name}", module, binding))
            hasher.update(self.classes.decorated.token(module, binding))
        return hasher.digest()

    def _taken_digest(self, common: bytes, module: str, namespace: dict[str, Binding]) -> bytes:
        hasher = hashlib.blake2b(common, digest_size=16, person=b"taken")
        hasher.update(repr(self._removed(module)).encode())
        for name, binding in namespace.items():
            if binding.form in ("from", "import", "ref"):
                target = self.release.resolve(module, name)
                hasher.update(f"{name}\0{binding.seq}\0".encode() + self._token(target))
                passed = marks_on_way(self.release, module, binding)
                if passed:
                    hasher.update(repr(passed).encode())
            elif binding.form == "partial":
                target = self.release.resolve_dotted(module, binding.data.function)
                hasher.update(f"{name}\0{binding.seq}\0".encode() + self._token(target))
        return hasher.digest()

    def _token(self, target: Target) -> bytes:
        """Names a target's state."""
        if target.form != "object" or target.binding is None:
            return f"{target.form}\0{target.path}".encode()
        known = self._tokens.get(target.path)
        if known is None:
            known = target.path.encode() + self.release.modules[target.module].key
            known += self._attached_token(target.module)
            known += self.classes.decorated.token(target.module, target.binding)
            if target.binding.form == "class":
                known += self.classes.view(target).token
            self._tokens[target.path] = known
        return known

    def _class_token(self, path: str, module: str, binding: Binding) -> bytes:
        target = Target("object", path, module, binding)
        token = self.classes.view(target).token
        token += repr(self._patched(module, binding.data)).encode()
        token += b"open" if self.classes.metaclass_adds_members(target) else b""
        for member in binding.data.members:
            if member.form == "class":
                token += self._class_token(f"{path}.{member.name}", module, member)
            elif member.form in ("from", "ref", "import"):
                token += self._token(self.release.follow_binding(module, member))
            elif member.form == "partial":
                token += self._token(self.release.resolve_dotted(module, member.data.function))
        return token

    # ---- rows

    def _own_rows(self, entry: ModuleEntry, exports: Exports | None) -> Iterator[Row]:
        """The module itself and what it defines."""
        yield self._module_row(entry)
        if _raises(entry):
            return
        for name, binding in self.release.namespace(entry.module).items():
            if binding.form not in ("from", "import", "ref", "partial") and name not in _NOT_NAMES:
                visibility = self._visibility(entry, binding, exports)
                if binding.form in ("def", "attr", "class"):
                    yield from self._definition_rows(entry, name, binding, visibility)
                else:
                    yield from self._binding_rows(f"{entry.module}.{name}", entry.module, binding, visibility)

    def _taken_rows(self, entry: ModuleEntry, exports: Exports | None) -> Iterator[Row]:
        """Names for what is defined elsewhere, and names that are only listed."""
        if _raises(entry):
            return
        namespace = self.release.namespace(entry.module)
        for name, binding in namespace.items():
            hidden = name in _NOT_NAMES or binding.via in ("submodule", "typing")
            if binding.form in ("from", "import", "ref") and not hidden:
                target = self.release.resolve(entry.module, name)
                visibility = self._visibility(entry, binding, exports)
                if target.path != f"{entry.module}.{name}":
                    yield from self._binding_rows(f"{entry.module}.{name}", entry.module, binding, visibility)
                elif target.form == "object" and target.binding is not None:
                    yield from self._fallback_rows(entry, binding, target, visibility)
                # else a submodule under its own name: it has its own row
            elif binding.form == "partial" and not hidden:
                visibility = self._visibility(entry, binding, exports)
                yield from self._binding_rows(f"{entry.module}.{name}", entry.module, binding, visibility)
        yield from self._unbound_exports(entry, namespace, exports)

    def _fallback_rows(
        self, entry: ModuleEntry, binding: Binding, target: Target, visibility: Visibility
    ) -> Iterator[Row]:
        """A name from outside the project, and what defines it where that is missing: either may be there."""
        assert target.binding is not None
        fallback = target.binding._replace(condition=binding.condition)
        first, *members = self._binding_rows(target.path, entry.module, fallback, visibility)
        outside = self.release.follow_binding(entry.module, binding)
        if first.state.kind == Kind.CLASS and outside.form == "external" and first.state.opaque is None:
            reason = f"{outside.path}, which may stand for it, is defined outside this project"
            first = first._replace(state=first.state._replace(opaque=reason))
        yield first
        yield from members

    def _module_row(self, entry: ModuleEntry) -> Row:
        facts = entry.facts or entry.stub
        visibility = Visibility.PRIVATE if is_private(entry.module) else Visibility.PUBLIC
        raises = facts.raises if facts is not None else None
        state = SymbolState(
            status=(Status.TOMBSTONE if raises else Status.PRESENT).value,
            kind=Kind.MODULE.value,
            visibility=visibility.value,
            deprecations=_marks(facts.deprecations) if facts is not None else (),
            message=raises,
            opaque=self.release.opaque(entry.module),
            doc=facts.doc if facts is not None else None,
            removed_names=self._removed(entry.module),
        )
        return Row(entry.module, state, 1 if entry.path else 0)

    def _removed(self, module: str) -> tuple[str, ...]:
        """Names that a module deletes again, has for type checkers alone, or would serve from nowhere."""
        facts = self.release.modules[module].facts
        if facts is None or not (facts.deleted or facts.typing_only or facts.served):
            return ()
        gone = [binding.name for binding in facts.served if self.release.is_gone(binding)]
        bound = self.release.namespace(module)
        return tuple(name for name in (*facts.deleted, *facts.typing_only, *gone) if name not in bound)

    def _unbound_exports(
        self, entry: ModuleEntry, namespace: dict[str, Binding], exports: Exports | None
    ) -> Iterator[Row]:
        """Names of a static `__all__` that no statement binds.

        A module that makes names at run time has them; in any other a binary may have set them.
        """
        if exports is None:
            return
        seen = self.release.opaque(entry.module) is None
        gone = self._removed(entry.module)
        for name in exports.names:
            path = f"{entry.module}.{name}"
            if name in namespace or name in gone or path in self.release.modules:
                continue
            if seen and self.release.has_binaries:
                yield Row(path, SymbolState(Status.UNKNOWN.value, message=UNBOUND), 0)
            elif not seen:
                state = SymbolState(
                    kind=Kind.ATTRIBUTE.value, visibility=Visibility.EXPORTED.value, via="dynamic",
                    message="listed in __all__; made at run time",
                )  # fmt: skip
                yield Row(path, state, 0)

    def _visibility(self, entry: ModuleEntry, binding: Binding, exports: Exports | None) -> Visibility:
        if is_private(entry.module):
            return Visibility.PRIVATE
        if exports is not None and binding.name in exports.names:
            return Visibility.EXPORTED
        if is_private(binding.name):
            return Visibility.PRIVATE
        if binding.via in ("getattr", "lazy", "reexport"):
            return Visibility.EXPORTED
        if exports is not None and not exports.partial and exports.names:
            return Visibility.PRIVATE
        if binding.form not in ("import", "from"):
            return Visibility.PUBLIC
        target = self.release.resolve(entry.module, binding.name)
        inside = target.form == "object" or (target.form == "module" and binding.form == "from")
        if inside and (entry.is_init or binding.via == "star-import"):
            return Visibility.EXPORTED
        return Visibility.PRIVATE

    def _definition_rows(
        self, entry: ModuleEntry, name: str, binding: Binding, visibility: Visibility
    ) -> tuple[Row, ...]:
        path = f"{entry.module}.{name}"
        token = self._class_token(path, entry.module, binding) if binding.form == "class" else b""
        token += self._attached_token(entry.module) + self.classes.decorated.token(entry.module, binding)
        known = self.rows.of(entry.key)
        key = (path, visibility, token)
        rows = known.get(key)
        if rows is None:
            rows = known[key] = tuple(self._binding_rows(path, entry.module, binding, visibility))
        return rows

    def _binding_rows(
        self, path: str, module: str, binding: Binding, visibility: Visibility
    ) -> Iterator[Row]:
        state = self._state(path, module, binding, visibility)
        yield Row(path, state, binding.line)
        if binding.form == "class":
            own = self.classes.members(Target("object", path, module, binding))
            for member in (*own, *self._patched_members(module, binding)):
                inner = f"{path}.{member.name}"
                hidden = visibility is Visibility.PRIVATE or is_private(member.name)
                yield from self._member_rows(inner, module, path, member, hidden)

    def _member_rows(
        self, path: str, module: str, owner: str, member: Binding, hidden: bool
    ) -> Iterator[Row]:
        visibility = Visibility.PRIVATE if hidden else Visibility.PUBLIC
        state = self._state(path, module, member, visibility, in_class=True)
        if member.via.startswith("alias:"):
            state = state._replace(via="definition", target=f"{owner}.{member.via.removeprefix('alias:')}")
        yield Row(path, state, member.line)
        if member.form == "class":
            for inner in self.classes.members(Target("object", path, module, member)):
                deeper = hidden or is_private(inner.name)
                yield from self._member_rows(f"{path}.{inner.name}", module, path, inner, deeper)

    # ---- states

    def _state(
        self, path: str, module: str, binding: Binding, visibility: Visibility, *, in_class: bool = False
    ) -> SymbolState:
        """The state of a path that a binding binds, definition or alias."""
        if binding.form in ("from", "import", "ref"):
            if in_class:
                target = self.release.follow_binding(module, binding)
                if binding.form == "ref" and target.form == "unknown":
                    target = Target("external", binding.data)
            else:
                target = self.release.resolve(module, binding.name)
            state = self._alias_state(path, target, binding)
            passed = marks_on_way(self.release, module, binding)
            if passed:
                state = state._replace(deprecations=(*_marks(passed), *state.deprecations))
            if in_class and state.kind == Kind.FUNCTION:
                state = state._replace(kind=Kind.METHOD.value)
            elif not in_class and state.kind == Kind.METHOD and _BOUND & set(state.labels):
                # `load = Reader.load` calls it as a function
                state = state._replace(kind=Kind.FUNCTION.value)
        else:
            state = self._definition_state(path, module, binding, in_class)
        if binding.via == "definition" and binding.condition is None and not binding.others:
            plain = visibility is Visibility.PUBLIC and not binding.deprecations
            return state if plain and state.visibility == _PUBLIC else self._shown(state, binding, visibility)
        marks = _marks(binding.deprecations)
        if binding.via == "getattr" and state.target is not None:
            marks = tuple(mark._replace(replacement=mark.replacement or state.target) for mark in marks)
        return state._replace(
            visibility=visibility.value,
            via=_via(binding.via, state.via),
            condition=binding.condition,
            deprecations=(*marks, *state.deprecations),
            variants=(*state.variants, *_variants(binding, state)),
        )

    @staticmethod
    def _shown(state: SymbolState, binding: Binding, visibility: Visibility) -> SymbolState:
        marks = (
            (*_marks(binding.deprecations), *state.deprecations)
            if binding.deprecations
            else state.deprecations
        )
        return state._replace(visibility=visibility.value, deprecations=marks)

    def _alias_state(self, path: str, target: Target, binding: Binding) -> SymbolState:
        if target.form == "object" and target.binding is not None:
            state = self._target_state(target)
            return state if target.path == path else state._replace(target=target.path)
        if target.form == "bound" and target.binding is not None:
            state = self._definition_state(target.path, target.module, target.binding, True)
            signature = drop_first(state.signature) if state.signature is not None else None
            kind = Kind.FUNCTION if state.kind == Kind.METHOD else Kind(state.kind)
            return state._replace(target=target.path, kind=kind.value, signature=signature)
        if target.form == "module":
            entry = self.release.modules[target.path]
            return SymbolState(
                kind=Kind.MODULE.value, target=target.path, opaque=self.release.opaque(target.path),
                doc=entry.facts.doc if entry.facts is not None else None,
            )  # fmt: skip
        kind = Kind.MODULE if binding.form == "import" else Kind.ATTRIBUTE
        if target.form == "external":
            kind = external_kind(target.path) or kind
            return SymbolState(
                kind=kind.value, target=target.path, opaque=f"{target.path} is defined outside this project"
            )
        return SymbolState(kind=kind.value, message=target.path, opaque=target.path)

    def _target_state(self, target: Target) -> SymbolState:
        known = self._states.get(target.path)
        if known is None:
            assert target.binding is not None
            nested = target.path.count(".") > target.module.count(".") + 1
            known = self._definition_state(target.path, target.module, target.binding, nested)
            self._states[target.path] = known
        return known

    def _definition_state(self, path: str, module: str, binding: Binding, in_class: bool) -> SymbolState:
        state = self._plain_state(path, module, binding, in_class)
        attached = self._attached.get(module) if self._attached and state.doc is None else None
        doc, marks = attached.get(path, (None, ())) if attached else (None, ())
        if doc is None:
            return state
        return state._replace(doc=doc, deprecations=(*state.deprecations, *_marks(marks)))

    def _plain_state(self, path: str, module: str, binding: Binding, in_class: bool) -> SymbolState:
        data = binding.data
        if binding.form == "def":
            return _function_state(self.classes.decorated.applied(module, data), in_class)
        if binding.form == "partial":
            return self._partial_state(path, module, data, in_class)
        if binding.form == "class":
            return self._class_state(path, module, binding)
        if binding.form == "raises":
            return SymbolState(Status.TOMBSTONE.value, Kind.ATTRIBUTE.value, message=data)
        if binding.form == "unknown":
            return SymbolState(Status.UNKNOWN.value, Kind.ATTRIBUTE.value, message=data)
        return self._made_function(module, data, in_class) or self._attribute_state(data, module)

    def _partial_state(self, path: str, module: str, facts: PartialFacts, in_class: bool) -> SymbolState:
        """A callable with arguments bound: what is left of the signature of the other."""
        kind = (Kind.METHOD if in_class else Kind.FUNCTION).value
        target = self.release.resolve_dotted(module, facts.function)
        if target.form not in ("object", "bound") or path in self._partials:
            return SymbolState(kind=kind)
        self._partials.add(path)
        state = self._alias_state(path, target, Binding(facts.function, "ref", facts.function))
        self._partials.discard(path)
        signature = bound_signature(state.signature, facts) if state.signature is not None else None
        return SymbolState(kind=kind, signature=signature, accepts=state.accepts)

    def _made_function(self, module: str, facts: AttributeFacts, in_class: bool) -> SymbolState | None:
        """A value that a function of the same module makes by returning another: `sum = _make_sum("sum")`."""
        maker = self.release.namespace(module).get(facts.calls) if facts.calls else None
        if maker is None or maker.form != "def" or maker.data.wrapper is None or "property" in facts.labels:
            return None
        wrapper = WrapperFacts._make(maker.data.wrapper)
        if wrapper.way == GIVES_BACK or not wrapper.serves(called=False):
            return None
        kind = (Kind.METHOD if in_class else Kind.FUNCTION).value
        return SymbolState(kind=kind, signature=plain_signature(wrapper.made), doc=facts.doc)

    def _attribute_state(self, facts: AttributeFacts, module: str) -> SymbolState:
        kind = Kind.ATTRIBUTE
        if facts.calls in _FUNCTION_MAKERS or (facts.calls or "").rpartition(".")[2] in (
            "_add_docstr",
            "deprecate",
        ):
            kind = Kind.FUNCTION
        elif facts.calls in _CLASS_MAKERS and not self._is_own(module, facts.calls or ""):
            kind = Kind.CLASS
        return SymbolState(
            kind=kind.value,
            signature=Signature((), facts.annotation)
            if facts.annotation and "property" in facts.labels
            else None,
            labels=facts.labels,
            value=facts.value,
            opaque="its members are made at run time" if kind is Kind.CLASS else None,
            doc=facts.doc,
        )

    def _is_own(self, module: str, dotted: str) -> bool:
        """True where a name is a definition of the module itself, which is only called like a known one."""
        own = self.release.namespace(module).get(dotted.partition(".")[0])
        return own is not None and own.form in ("def", "class")

    def _patched(self, module: str, facts: ClassFacts) -> tuple[str | None, dict[str, str | None]]:
        """What a metaclass, and functions of the project, set on a class: why it is open, and names.

        A name has the reason why it may be there, None where it is.
        """
        names: dict[str, str | None] = {}
        reason: str | None = None
        for name in facts.decorators:
            target = self.release.resolve_dotted(module, name.removesuffix(BARE_CALL))
            if target.form != "object" or target.binding is None or target.binding.form != "def":
                continue
            source = self.release.modules[target.module].facts
            for patcher in map(Patcher._make, source.patchers if source is not None else ()):
                if patcher.on_module or patcher.name != target.binding.name:
                    continue
                if patcher.closed and name.endswith(BARE_CALL):
                    names.update(dict.fromkeys(patcher.others, f"{patcher.name} may set it on the class"))
                    names.update(dict.fromkeys(patcher.keys))
                else:
                    reason = f"{name.removesuffix(BARE_CALL)} sets attributes on it"
                    names.update(dict.fromkeys(dict(facts.given).get(name, ())))
        for name in self._set_by_metaclass(module, facts):
            names.setdefault(name, None)
        return reason, names

    def _set_by_metaclass(self, module: str, facts: ClassFacts) -> Iterator[str]:
        """Attributes of a metaclass's instances, which classes are."""
        meta = self.release.resolve_dotted(module, facts.metaclass) if facts.metaclass else None
        if meta is not None and meta.binding is not None and meta.binding.form == "class":
            for member in meta.binding.data.members:
                if member.form == "attr" and "instance" in member.data.labels:
                    yield member.name

    def _patched_members(self, module: str, binding: Binding) -> Iterator[Binding]:
        """Bindings of the names that functions set on a class and its body does not bind."""
        known = {member.name for member in binding.data.members}
        for name, reason in self._patched(module, binding.data)[1].items():
            if name not in known and reason is None:
                yield Binding(name, "attr", AttributeFacts(), binding.line, via="dynamic")
            elif name not in known:
                yield Binding(name, "unknown", reason, binding.line, via="dynamic")

    def _class_state(self, path: str, module: str, binding: Binding) -> SymbolState:
        facts: ClassFacts = binding.data
        target = Target("object", path, module, binding)
        view = self.classes.view(target)
        opaque = facts.opaque
        if opaque is None and self.classes.metaclass_adds_members(target):
            opaque = "its metaclass adds members"
        if opaque is None:
            opaque = self._patched(module, facts)[0]
        constructor = self.classes.constructor(target)
        raises = self.classes.refusal(target)
        return SymbolState(
            status=(Status.TOMBSTONE if raises else Status.PRESENT).value,
            kind=Kind.CLASS.value,
            signature=constructor.signature,
            deprecations=_marks((*facts.deprecations, *constructor.marks)),
            message=raises,
            opaque=opaque,
            mro=view.names,
            doc=facts.doc,
            removed_names=facts.deleted,
            accepts=constructor.accepts,
        )


def _function_state(facts: FunctionFacts, in_class: bool) -> SymbolState:
    return SymbolState(
        status=(Status.TOMBSTONE if facts.raises else Status.PRESENT).value,
        kind=(Kind.METHOD if in_class else Kind.FUNCTION).value,
        signature=_method_signature(facts, in_class),
        variants=facts.overloads,
        labels=facts.labels,
        deprecations=_marks(facts.deprecations),
        message=facts.raises,
        doc=facts.doc,
        accepts=facts.accepts,
    )


def _method_signature(facts: FunctionFacts, in_class: bool) -> Signature | None:
    """As `inspect` shows it on the class: a classmethod without its first parameter."""
    signature = plain_signature(facts.signature)
    if signature is not None and in_class and "classmethod" in facts.labels:
        return drop_first(signature)
    return signature


def _marks(marks: tuple[Any, ...]) -> tuple[Deprecation, ...]:
    if not marks:
        return ()
    return tuple(dict.fromkeys(Deprecation._make(mark) for mark in marks))


def _via(binding_via: str, state_via: str) -> str:
    if binding_via in ("definition", "reexport"):
        return "import" if binding_via == "reexport" else state_via
    return "definition" if binding_via.startswith("alias:") else binding_via


def _variants(binding: Binding, state: SymbolState) -> tuple[str, ...]:
    """Signatures that other branches give the same name."""
    if not binding.others:
        return ()
    own = str(state.signature) if state.signature is not None else None
    texts = []
    for other in binding.others:
        if other.form == "def" and other.data.signature is not None:
            text = str(plain_signature(other.data.signature))
            if other.condition:
                text += f"  [{other.condition}]"
            if text != own:
                texts.append(text)
    return tuple(dict.fromkeys(texts))
