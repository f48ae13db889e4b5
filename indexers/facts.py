"""Facts: what one source file says, before the other files are known.

They are nested plain tuples (dumped with `marshal`), because a cache of griffe's
objects is forty times dearer to load.  `NamedTuple`s give the fields names while
the file is read; `marshal` flattens them, `ModuleFacts.load` brings them back.
"""

from __future__ import annotations

import marshal
from typing import Any, NamedTuple

EXTRACTOR_VERSION = 1
"""Part of every cache key: raise it whenever the same file would give other facts."""


class Binding(NamedTuple):
    """A name of a scope and what the scope binds it to.

    `form` says how to read `data`:

    - `def`: a `FunctionFacts`
    - `class`: a `ClassFacts`
    - `attr`: an `AttributeFacts`
    - `import`: an absolute dotted module
    - `from`: (absolute module, name)
    - `ref`: a dotted expression, looked up in the module's own namespace
    - `raises`: the message of a name whose use raises (a tombstone)
    - `unknown`: the reason why the name may or may not be there
    """

    name: str
    form: str
    data: Any
    line: int = 0
    seq: int = 0
    via: str = "definition"
    condition: str | None = None
    others: tuple[Any, ...] = ()
    """Bindings of the same name in other branches (themselves without `others`)."""
    deprecations: tuple[Any, ...] = ()


class FunctionFacts(NamedTuple):
    """`signature` is a plain (parameters, returns) pair as in `kb.symbols.Signature`, or None."""

    signature: Any
    labels: tuple[str, ...] = ()
    overloads: tuple[str, ...] = ()
    deprecations: tuple[Any, ...] = ()
    raises: str | None = None
    doc: str | None = None


class AttributeFacts(NamedTuple):
    """`value` is source text where short; `calls` the dotted callee where the value is a call."""

    value: str | None = None
    annotation: str | None = None
    labels: tuple[str, ...] = ()
    calls: str | None = None
    signature: Any = None
    doc: str | None = None


class FieldFacts(NamedTuple):
    """One annotated name of a class body, as dataclass-like decorators see it."""

    name: str
    annotation: str
    default: str | None
    init: bool
    kw_only: bool | None


class ClassFacts(NamedTuple):
    """`members` are bindings; `fields` what a generated constructor takes, in order."""

    bases: tuple[str | None, ...]
    metaclass: str | None
    decorators: tuple[str, ...]
    members: tuple[Any, ...]
    fields: tuple[Any, ...] = ()
    dataclass: tuple[str, bool, bool] | None = None
    """(decorator, init, kw_only) where a decorator generates the constructor."""
    labels: tuple[str, ...] = ()
    deprecations: tuple[Any, ...] = ()
    raises: str | None = None
    opaque: str | None = None
    deleted: tuple[str, ...] = ()
    doc: str | None = None


class StarImport(NamedTuple):
    """`from module import *`; `everything` where names are copied by a loop over `dir(module)`."""

    module: str
    seq: int
    condition: str | None = None
    everything: bool = False
    others: tuple[Any, ...] = ()


class ModuleFacts(NamedTuple):
    """One file."""

    parser: str
    bindings: tuple[Any, ...] = ()
    stars: tuple[Any, ...] = ()
    exports: tuple[Any, ...] | None = None
    """Operations on `__all__`: (`set` | `add` | `remove`, items); an item is a name,
    (`ref`, dotted path of another `__all__`) or None where it cannot be read."""
    served: tuple[Any, ...] = ()
    """Bindings that a module `__getattr__` serves."""
    opaque: str | None = None
    deleted: tuple[str, ...] = ()
    typing_only: tuple[str, ...] = ()
    stub_attached: bool = False
    """Names are served lazily from the stub beside it (`lazy_loader.attach_stub`)."""
    errors: int = 0
    namespace: bool = False
    """It only declares a pkgutil or pkg_resources namespace."""
    doc: str | None = None
    notes: tuple[str, ...] = ()
    raises: str | None = None
    """What importing the module raises, where that is all it does."""
    deprecations: tuple[Any, ...] = ()

    def dump(self) -> bytes:
        """Bytes for the cache."""
        return marshal.dumps(_plain(self))

    @classmethod
    def load(cls, data: bytes) -> ModuleFacts:
        """The inverse of `dump`."""
        facts = cls._make(marshal.loads(data))
        return facts._replace(
            bindings=tuple(_binding(item) for item in facts.bindings),
            served=tuple(_binding(item) for item in facts.served),
            stars=tuple(StarImport._make(item) for item in facts.stars),
        )


_FORMS: dict[str, Any] = {"def": FunctionFacts, "attr": AttributeFacts}


def _binding(item: tuple[Any, ...]) -> Binding:
    binding = Binding._make(item)
    data = binding.data
    if binding.form == "class":
        facts = ClassFacts._make(data)
        data = facts._replace(members=tuple(_binding(member) for member in facts.members))
    elif binding.form in _FORMS:
        data = _FORMS[binding.form]._make(data)
    others = tuple(_binding(other) for other in binding.others)
    return binding._replace(data=data, others=others)


def _plain(value: Any) -> Any:
    """Tuple subclasses to tuples, all the way down; `marshal` refuses subclasses."""
    if isinstance(value, tuple):
        return tuple([_plain(item) for item in value])
    return value
