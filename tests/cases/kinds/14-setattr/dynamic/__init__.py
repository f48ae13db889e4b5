"""Attributes that are set on classes by code."""

OPERATIONS = ("add", "sub")


class Literal:
    """Everything that is set on it can be read."""


for _name in OPERATIONS:
    setattr(Literal, "op_" + _name, lambda self: None)
setattr(Literal, "alone", 1)


class Computed:
    """Names that are computed: unknown, not absent."""


for _name in [name for name in dir(int) if name.startswith("_")]:
    setattr(Computed, "x" + _name, None)


class Numeric:
    """A classmethod that adds methods by name, called for it below."""

    @classmethod
    def _add_operations(cls):
        def total(self, axis=None):
            return 0

        setattr(cls, "total", total)

        def mean(self, axis=None, *, skipna=True):
            return 0

        cls.mean = mean
        cls.average = mean
        cls.LIMIT = 3
        cls.product = _make_product(cls, "product")


def _make_product(cls, name):
    def product(self, axis=None, skipna=True):
        return 1

    return product


def _make_value(name):
    """A near miss: what this makes is no function."""
    return [name]


multiply = _make_product(None, "multiply")
value = _make_value("value")
Numeric._add_operations()


class Series(Numeric):
    pass


class Adder:
    """The name is what the classmethod is given."""

    @classmethod
    def _create(cls, name, value):
        setattr(cls, name, property(lambda self: value))


for _name, _value in (("ix", 1), ("iloc", 2)):
    Adder._create(_name, _value)
Adder._create("loc", 3)


class Opened:
    @classmethod
    def _create(cls, name):
        setattr(cls, name, 1)


for _name in sorted(dir(str)):
    Opened._create("made_" + _name)


class Plain:
    """A near miss: what is set on an instance or on another object opens nothing."""

    def __init__(self, **options):
        for name, value in options.items():
            setattr(self, name, value)

    @classmethod
    def make(cls, other, name):
        setattr(other, name, 1)
        return cls()
