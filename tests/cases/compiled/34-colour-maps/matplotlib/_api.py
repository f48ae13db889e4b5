import functools


def caching_module_getattr(cls):
    props = {name: prop for name, prop in vars(cls).items() if isinstance(prop, property)}
    instance = cls()

    @functools.lru_cache(None)
    def __getattr__(name):
        if name in props:
            return props[name].__get__(instance)
        raise AttributeError(name)

    return __getattr__
