"""Functions of a release as their decorators leave them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..kb.parameters import HIDDEN
from ..kb.symbols import Parameter, ParameterKind
from .decorators import Use, parameter_marks, restricted, says_all
from .facts import Binding, FunctionFacts
from .namespaces import Release, Target
from .plain_signatures import plain_signature
from .wrappers import GIVES_BACK, REPLACES, WrapperFacts


class Decorated:
    """Applies the decorators that a release defines, each resolved once."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self._wrappers: dict[tuple[str, str, bool], WrapperFacts | None] = {}
        self._names: dict[tuple[str, str, bool], bytes] = {}

    def applied(self, module: str, facts: FunctionFacts) -> FunctionFacts:
        """A function's facts with what its decorators do to its signature."""
        for item in reversed(facts.decorators):
            use = Use._make(item)
            wrapper = self._wrapper(module, use)
            if wrapper is None or wrapper.way != GIVES_BACK:
                facts = self._by_name(use, facts, shows=wrapper is not None and wrapper.restricts)
            if wrapper is not None and wrapper.way != GIVES_BACK:
                facts = _wrapped(use, _without_hidden(use, wrapper), facts)
        return facts

    def token(self, module: str, binding: Binding) -> bytes:
        """Changes whenever the decorators of a definition, or of its members, do something else."""
        if binding.form == "def":
            uses = binding.data.decorators
            return b"".join(self._name(module, Use._make(item)) for item in uses) if uses else b""
        if binding.form != "class":
            return b""
        parts = [
            self.token(module, member)
            for member in binding.data.members
            if member.form == "class" or (member.form == "def" and member.data.decorators)
        ]
        return b"".join(parts)

    def _name(self, module: str, use: Use) -> bytes:
        key = (module, use.name, use.called)
        known = self._names.get(key)
        if known is None:
            known = self._names[key] = repr(self._wrapper(module, use)).encode()
        return known

    def _by_name(self, use: Use, facts: FunctionFacts, *, shows: bool) -> FunctionFacts:
        marks = tuple(parameter_marks(use))
        signature = plain_signature(facts.signature)
        if signature is not None:
            left = restricted(use, signature, shows=shows)
            if left is not signature:
                facts = facts._replace(signature=(left.parameters, left.returns))
        return facts._replace(deprecations=(*facts.deprecations, *marks)) if marks else facts

    def _wrapper(self, module: str, use: Use) -> WrapperFacts | None:
        key = (module, use.name, use.called)
        if key not in self._wrappers:
            target = self.release.resolve_dotted(module, use.name)
            self._wrappers[key] = None  # until it is known: a decorator may be decorated by itself
            self._wrappers[key] = self._of_target(target, use.called)
        return self._wrappers[key]

    def _of_target(self, target: Target, called: bool) -> WrapperFacts | None:
        if target.form != "object" or target.binding is None:
            return None
        bindings = (target.binding, *target.binding.others)
        found = (self._of_binding(target, binding, called) for binding in bindings)
        return next((wrapper for wrapper in found if wrapper is not None), None)

    def _of_binding(self, target: Target, binding: Binding, called: bool) -> WrapperFacts | None:
        if binding.form == "def":
            found = _facts(binding.data.wrapper)
            return found if found is not None and found.serves(called=called) else None
        if binding.form == "partial":
            function = self.release.resolve_dotted(target.module, binding.data.function)
            return self._of_target(function, called) if function.path != target.path else None
        if binding.form != "class":
            return None
        members = {member.name: member for member in binding.data.members}
        call, shown = members.get("__call__"), members.get("__signature__")
        made = _facts(call.data.wrapper) if call is not None and call.form == "def" else None
        added = _facts(shown.data.adds) if shown is not None and shown.form == "attr" else None
        if added is None or made is None:
            return made or added
        names = {parameter[0] for parameter in (added.signature or ((), None))[0]}
        rest = tuple(p[0] for p in (made.signature or ((), None))[0] if p[0] not in names)
        return added._replace(accepts=(*added.accepts, *rest))


def _facts(plain: Any) -> WrapperFacts | None:
    return WrapperFacts._make(plain) if plain is not None else None


def _without_hidden(use: Use, wrapper: WrapperFacts) -> WrapperFacts:
    """The wrapper of a decorator whose name and arguments say all that it accepts."""
    if HIDDEN not in wrapper.accepts or not says_all(use):
        return wrapper
    return wrapper._replace(accepts=tuple(name for name in wrapper.accepts if name != HIDDEN))


def _wrapped(use: Use, wrapper: WrapperFacts, facts: FunctionFacts) -> FunctionFacts:
    if wrapper.way == REPLACES:
        return facts._replace(signature=wrapper.signature, accepts=())
    accepts = [*facts.accepts, *_accepted(use, wrapper)]
    if accepts:
        facts = facts._replace(accepts=tuple(dict.fromkeys(accepts)))
    if wrapper.signature is None or facts.signature is None:
        return facts
    added = tuple(told for item in wrapper.signature[0] if (told := _told(use, item)) is not None)
    return facts._replace(signature=_with_added(facts.signature, added))


def _told(use: Use, item: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """An added parameter, whose name and default may be what the decorator is given; None for no name."""
    name, kind, default, note = item
    if isinstance(name, tuple):
        name = use.argument(name[0] if name[0] >= 0 else None, name[1])
    if isinstance(default, tuple):
        position, argument, text = default
        given = use.given(position if position >= 0 else None, argument)
        default = text if not given else "..." if given[0] is ... else repr(given[0])
    return (name, kind, default, note) if isinstance(name, str) else None


def _accepted(use: Use, wrapper: WrapperFacts) -> Iterator[str]:
    for item in wrapper.accepts:
        if isinstance(item, str):
            yield item
            continue
        position, name = item
        given = use.argument(position if position >= 0 else None, name)
        if isinstance(given, str):
            yield given
        elif isinstance(given, tuple):
            yield from (key for key, _ in given)
        elif use.called:
            yield HIDDEN


def _with_added(signature: Any, added: tuple[Any, ...]) -> Any:
    """Parameters put where `inspect` shows them: before `**kwargs`, of which there is one."""
    parameters, returns = signature
    known = [Parameter._make(item) for item in parameters]
    names = {parameter.name for parameter in known}
    stars = [parameter for parameter in known if parameter.kind == ParameterKind.VAR_KEYWORD]
    rest = [parameter for parameter in known if parameter.kind != ParameterKind.VAR_KEYWORD]
    for item in added:
        parameter = Parameter._make(item)
        if parameter.kind == ParameterKind.VAR_KEYWORD:
            stars = stars or [parameter]
        elif parameter.name not in names:
            names.add(parameter.name)
            rest.append(parameter)
    return (tuple(rest + stars), returns)
