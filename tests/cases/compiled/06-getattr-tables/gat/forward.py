def __getattr__(name):
    from gat import main
    from gat._warn import _raise_warning
    found = getattr(main, name, None)
    if found is None:
        raise AttributeError(name)
    _raise_warning(name)
    return found
