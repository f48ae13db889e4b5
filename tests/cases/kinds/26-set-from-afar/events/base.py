class Meta(type):
    def __init__(cls, name, bases, namespace):
        cls.identifier = namespace.get("identifier", name)
        super().__init__(name, bases, namespace)


class EventMeta(type):
    def __init__(cls, name, bases, namespace):
        _create_dispatcher(cls)
        super().__init__(name, bases, namespace)


def _create_dispatcher(cls):
    if getattr(cls, "_dispatch_target", None):
        cls._dispatch_target.dispatch = [cls]


class Events(metaclass=EventMeta):
    pass
