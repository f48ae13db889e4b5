__all__ = []
for _name in ("alpha", "beta"):
    globals()[_name] = _name
    __all__.append(_name)
def unlisted(): ...
