"""Facts: what one source file says, before the other files are known.

They are nested plain tuples (dumped with `marshal`), because a cache of griffe's
objects is forty times dearer to load.  `NamedTuple`s give the fields names while
the file is read; `marshal` flattens them, `ModuleFacts.load` brings them back.
"""

from __future__ import annotations

import marshal
from typing import Any, NamedTuple

EXTRACTOR_VERSION = 10
"""Part of every cache key: raise it whenever the same file would give other facts."""
CANDIDATE = -2
"""Number of a binding that a loop makes, or may make: whatever else tells of the name is stronger."""
CHAINED = "chained"
"""Label of a class whose constructor first calls that of its base."""


class Binding(NamedTuple):
    """A name of a scope and what the scope binds it to.

    `form` says how to read `data`:

    - `def`: a `FunctionFacts`
    - `class`: a `ClassFacts`
    - `attr`: an `AttributeFacts`
    - `import`: an absolute dotted module
    - `from`: (absolute module, name)
    - `ref`: a dotted expression, looked up in the module's own namespace
    - `partial`: a `PartialFacts`: a callable with arguments bound
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
    decorators: tuple[Any, ...] = ()
    """`decorators.Use`s of those that may change the signature: the package's own, and some by name."""
    accepts: tuple[str, ...] = ()
    """Keywords that it takes out of its `**kwargs` by name."""
    wrapper: Any = None
    """`wrappers.WrapperFacts`: what it makes of a function, where it is used as a decorator."""
    makes: tuple[str, ...] = ()
    """Absolute paths of classes whose instances a `__new__` may make instead of its own."""


class AttributeFacts(NamedTuple):
    """`value` is source text where short; `calls` the dotted callee where the value is a call."""

    value: str | None = None
    annotation: str | None = None
    labels: tuple[str, ...] = ()
    calls: str | None = None
    doc: str | None = None
    adds: Any = None
    """`wrappers.WrapperFacts` of a class's `__signature__`: the parameters that it adds."""


class FieldFacts(NamedTuple):
    """A field of a class body, as dataclass-like decorators see it; `*` stands for `KW_ONLY`."""

    name: str
    annotation: str
    default: str | None
    init: bool
    kw_only: bool | None
    alias: str | None = None
    """The parameter's name, where it is not the field's."""


class GeneratedFacts(NamedTuple):
    """A decorator that may generate the constructor; the release knows what the name leads to."""

    decorator: str
    """As written."""
    way: str
    """One of those of `generated`."""
    init: bool
    kw_only: bool
    explicit: bool | None
    """Only fields made by a call count; None where that depends on the fields themselves."""
    overrides: bool
    """It takes the place of an `__init__` in the body."""


class PartialFacts(NamedTuple):
    """A callable with some of its arguments bound.

    `function` is a dotted expression in the module's namespace; `keywords` are (name, text) pairs.
    """

    function: str
    positional: int
    keywords: tuple[tuple[str, str], ...] = ()
    method: bool = False
    """The first parameter is that of the instance, which is bound later."""


class GivenName(NamedTuple):
    """A parameter whose strings become names: all in it (`items`), or its `keys` alone."""

    parameter: str
    position: int
    """Among the arguments of a call, self left out."""
    part: str
    optional: bool
    """It has a default that gives no names."""


class ClassFacts(NamedTuple):
    """`members` are bindings; `fields` what a generated constructor takes, in order."""

    bases: tuple[str | None, ...]
    metaclass: str | None
    decorators: tuple[str, ...]
    """Functions that have had the class, with `()` behind those that were given nothing else."""
    members: tuple[Any, ...]
    fields: tuple[Any, ...] = ()
    dataclass: GeneratedFacts | None = None
    labels: tuple[str, ...] = ()
    deprecations: tuple[Any, ...] = ()
    raises: str | None = None
    opaque: str | None = None
    deleted: tuple[str, ...] = ()
    doc: str | None = None
    given: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(decorator, names in the literal sequences that it was called with)."""
    setters: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    """Classmethods that set what they are given: (name, `GivenName`s)."""


class StarImport(NamedTuple):
    """`from module import *`; `everything` where names are copied by a loop over `dir(module)`."""

    module: str
    seq: int
    condition: str | None = None
    everything: bool = False
    """Private names, too."""
    marks: tuple[Any, ...] = ()
    """Deprecations of all names that it brings."""
    others: tuple[Any, ...] = ()


class Injection(NamedTuple):
    """A docstring that a file gives to a symbol that is compiled elsewhere."""

    path: str
    """Absolute dotted name."""
    callable: bool
    """The text starts with a call, or describes parameters."""
    signature: Any
    """As in `FunctionFacts`, without self; None where the text has none."""
    member: bool
    """The last part of the path is a member of a class."""
    line: int = 0


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
    doc: str | None = None
    notes: tuple[str, ...] = ()
    raises: str | None = None
    """What importing the module raises, where that is all it does."""
    deprecations: tuple[Any, ...] = ()
    factories: tuple[Any, ...] = ()
    """Functions of the file that make `__getattr__`s: (name, closed, (module, binding) pairs)."""
    getattr_factory: str | None = None
    """Dotted name of the function that made its `__getattr__`."""
    patches: tuple[Any, ...] = ()
    """(absolute path of a class or module elsewhere, the binding that the file sets on it)."""
    injected: tuple[Any, ...] = ()
    """`Injection`s: witnesses of compiled symbols."""
    attached: tuple[tuple[str, str, str, tuple[Any, ...]], ...] = ()
    """Docstrings that it gives to what is defined elsewhere: (module, dotted name in it, hash)."""
    texts: tuple[tuple[str, str], ...] = ()
    """Its docstrings as (hash, text); the cache keeps them apart, since most files share most of them."""
    patchers: tuple[Any, ...] = ()
    """Functions that set attributes on a class that they are given."""
    setter_calls: tuple[Any, ...] = ()
    """Calls of methods of classes at the top level: (dotted name of the class, method, arguments, line);
    an argument is (position or keyword, its strings at any depth, those that iterating over it gives)."""

    def dump(self) -> bytes:
        """Bytes for the cache, without the texts."""
        facts = self._replace(texts=())
        try:
            return marshal.dumps(_flat_module(facts))
        except ValueError:  # a tuple with names stands where none is expected
            return marshal.dumps(_plain(facts))

    @classmethod
    def load(cls, data: bytes) -> ModuleFacts:
        """The inverse of `dump`; the texts of docstrings are not there."""
        facts = cls._make(marshal.loads(data))
        return facts._replace(
            bindings=tuple(_binding(item) for item in facts.bindings),
            served=tuple(_binding(item) for item in facts.served),
            stars=tuple(StarImport._make(item) for item in facts.stars),
            factories=tuple(
                (name, closed, tuple((module, _binding(item)) for module, item in pairs))
                for name, closed, pairs in facts.factories
            ),
            patches=tuple((path, _binding(item)) for path, item in facts.patches),
            injected=tuple(Injection._make(item) for item in facts.injected),
        )


_FORMS: dict[str, Any] = {"def": FunctionFacts, "attr": AttributeFacts, "partial": PartialFacts}


def _binding(item: tuple[Any, ...]) -> Binding:
    binding = Binding._make(item)
    data = binding.data
    if binding.form == "class":
        facts = ClassFacts._make(data)
        generated = GeneratedFacts._make(facts.dataclass) if facts.dataclass is not None else None
        data = facts._replace(
            members=tuple(_binding(member) for member in facts.members), dataclass=generated
        )
    elif binding.form in _FORMS:
        data = _FORMS[binding.form]._make(data)
    others = tuple(_binding(other) for other in binding.others)
    return binding._replace(data=data, others=others)


def _flat_module(facts: ModuleFacts) -> tuple[Any, ...]:
    """Like `_plain`, but it looks only where tuples with names are, which most facts are not."""
    named: dict[str, Any] = {
        "bindings": tuple(map(_flat, facts.bindings)),
        "served": tuple(map(_flat, facts.served)),
        **{name: _plain(getattr(facts, name)) for name in _ANY_NAMED},
    }
    return tuple(facts._replace(**named))


_ANY_NAMED = ("stars", "factories", "patches", "injected", "patchers")


def _flat(binding: Binding) -> tuple[Any, ...]:
    name, form, data, line, seq, via, condition, others, deprecations = binding
    if form == "def":
        data = tuple(data if data.wrapper is None else data._replace(wrapper=_plain(data.wrapper)))
    elif form == "class":
        data = tuple(
            data._replace(
                members=tuple(map(_flat, data.members)),
                fields=_plain(data.fields),
                setters=_plain(data.setters),
                dataclass=_plain(data.dataclass) if data.dataclass is not None else None,
            )
        )
    elif isinstance(data, tuple):
        data = _plain(data)
    return name, form, data, line, seq, via, condition, tuple(map(_flat, others)), deprecations


def _plain(value: tuple[Any, ...]) -> tuple[Any, ...]:
    """Tuple subclasses to tuples, all the way down; `marshal` refuses subclasses."""
    return tuple([_plain(item) if isinstance(item, tuple) else item for item in value])
