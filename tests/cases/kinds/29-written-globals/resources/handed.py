"""A near miss: the namespace is handed on."""


def _fill(names):
    names["fil" + "led"] = 1


def _initialize():
    g = globals()
    _fill(g)
    g["own"] = 1


_initialize()
