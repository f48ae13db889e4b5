def partial(function, *args):
    return [function, *args]
