def computed(module):
    def wrapper(name):
        return name.upper()
    return wrapper
