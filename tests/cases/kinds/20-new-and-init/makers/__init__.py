"""Classes with a `__new__`, an `__init__`, or both."""

from .plain import Base


class Group:
    """A `__new__` that takes anything, and may make an instance of a subclass."""

    def __new__(cls, *args, **kwargs):
        if kwargs.get("freq") is not None:
            from .timed import TimeGroup

            cls = TimeGroup
        return super().__new__(cls)

    def __init__(self, key=None, level=None):
        self.key = key


class Address(str):
    """A `__new__` that says what it takes comes first."""

    def __new__(cls, url, **kwargs):
        return str.__new__(cls, url)

    def __init__(self, url, *, scheme="https"):
        self.scheme = scheme


class Child(Group):
    """The nearest class decides."""

    def __init__(self, size):
        self.size = size


class Late(Base):
    """What takes anything hands it to the `__init__` of an ancestor."""

    def __new__(cls, *args, **kwargs):
        return super().__new__(cls)


class Free:
    def __new__(cls, *args, **kwargs):
        return super().__new__(cls)


class Strict:
    """A near miss: it makes nothing but its own instances."""

    def __new__(cls, *args, **kwargs):
        return super().__new__(cls)

    def __init__(self, key=None):
        self.key = key
