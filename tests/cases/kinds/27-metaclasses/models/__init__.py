"""Metaclasses whose names can all be told, and some whose names cannot."""

from .helpers import look_at, register


class Meta(type):
    """All keys of the body are spelled here, or are those of the class's own body (pydantic 1)."""

    def __new__(mcs, name, bases, namespace, **kwargs):
        fields = {}
        for key, value in namespace.items():
            if key[:1] != "_":
                fields[key] = value
        body = {"fields": fields, "rules": [], **{k: v for k, v in namespace.items() if k != "dropped"}}
        body["frozen"] = False
        cls = super().__new__(mcs, name, bases, body, **kwargs)
        cls.signature = "()"
        for extra in ("first", "second"):
            setattr(cls, extra, None)
        cls._update()
        look_at(cls)
        for key, value in namespace.items():
            told = getattr(value, "__set_name__", None)
            if told is not None:
                told(cls, key)
        return cls


class Model(metaclass=Meta):
    def method(self): ...

    @classmethod
    def _update(cls):
        look_at(cls)


class Child(Model):
    def other(self): ...


class Putting(type):
    """A near miss: names that are put together."""

    def __new__(mcs, name, bases, namespace):
        for key in list(namespace):
            if key[:1] != "_":
                namespace["get_" + key] = namespace[key]
        return super().__new__(mcs, name, bases, namespace)


class Put(metaclass=Putting):
    def value(self): ...


class Calling(type):
    """A near miss: a method of the new class sets names that are computed (Django)."""

    def __new__(mcs, name, bases, namespace):
        cls = super().__new__(mcs, name, bases, {"plain": 1})
        for key, value in namespace.items():
            cls.add("x" + key, value)
        return cls

    def add(cls, key, value):
        setattr(cls, key, value)


class Called(metaclass=Calling):
    def value(self): ...


class Handing(type):
    """A near miss: a function of another module sets names on the new class."""

    def __new__(mcs, name, bases, namespace):
        cls = super().__new__(mcs, name, bases, namespace)
        register(cls)
        return cls


class Handed(metaclass=Handing):
    def value(self): ...


class Giving(type):
    """A near miss: the body is handed to a function that could add to it."""

    def __new__(mcs, name, bases, namespace):
        fill(namespace)
        return super().__new__(mcs, name, bases, namespace)


def fill(names):
    names["filled" + "_in"] = 1


class Given(metaclass=Giving):
    def value(self): ...
