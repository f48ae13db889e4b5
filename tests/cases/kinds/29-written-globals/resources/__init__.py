"""Functions that write names into the module's namespace (pkg_resources)."""

_state = {}


class Manager:
    path = None

    def __init__(self):
        self.cached = {}

    def exists(self, name): ...

    def _warn(self): ...


def _call_aside(f, *args):
    f(*args)
    return f


def _get_state():
    g = globals()
    return {key: g[key] for key in _state if key in g}


@_call_aside
def _initialize(g=globals()):
    manager = Manager()
    g["_manager"] = manager
    g.update((name, getattr(manager, name)) for name in dir(manager) if not name.startswith("_"))


@_call_aside
def _working_set():
    working_set = [1, 2]
    require = len(working_set)
    [item for item in working_set]
    globals().update(locals())


def enable():
    globals()["late"] = True
