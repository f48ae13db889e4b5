from typing import dataclass_transform


def _install(cls):
    names = list(getattr(cls, "__annotations__", {}))

    def __init__(self, **values):
        for name in names:
            setattr(self, name, values.get(name))

    cls.__init__ = __init__
    return cls


@dataclass_transform()
class Model:
    def __init_subclass__(cls, **options):
        if "__init__" not in cls.__dict__:
            _install(cls)


@dataclass_transform()
class Meta(type):
    def __call__(cls, **values):
        return super().__call__()


@dataclass_transform()
def model(cls):
    return _install(cls)


def annotate(cls):
    cls.annotated = True
    return cls
