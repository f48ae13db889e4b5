"""Classes that other code completes."""

from .base import Events, Meta
from .quiet import NotListening


class Target:
    """Gets `dispatch` from the events class below."""


class Untouched:
    """A near miss: what names it does not listen."""


class TargetEvents(Events):
    _dispatch_target = Target


class Plain(NotListening):
    _dispatch_target = Untouched


class Generic(metaclass=Meta):
    """Gets `identifier` from its metaclass."""


class Total(Generic):
    pass


class Distribution:
    """Its parameters become properties of the class when the first instance is made."""

    def __init__(self, **parameters):
        for name in parameters:
            setattr(self.__class__, name, property(lambda self_, name_=name: parameters[name_]))


class Fixed:
    """A near miss: only the instance gets the attributes."""

    def __init__(self):
        self.known = 1
