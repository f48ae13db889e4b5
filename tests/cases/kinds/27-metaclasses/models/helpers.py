def register(cls):
    for word in cls.__name__.lower(), "by":
        setattr(cls, f"registered_{word}", True)


def look_at(cls):
    return cls.__module__
