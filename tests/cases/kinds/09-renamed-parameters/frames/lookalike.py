def deprecate_kwarg(old, new):
    def decorate(func):
        return func

    return decorate
