from importlib import import_module
def create_importer(package, deprecated_lookups=None):
    def by_name(name):
        if name in deprecated_lookups:
            return getattr(import_module(deprecated_lookups[name]), name)
        raise AttributeError(name)
    return by_name
