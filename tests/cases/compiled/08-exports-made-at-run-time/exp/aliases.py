__all__ = ["new_name"]
def new_name(a, b=1): ...
_namespace = globals()
for new, old in {"new_name": "old_name"}.items():
    _namespace[old] = _namespace[new]
    __all__.append(old)
