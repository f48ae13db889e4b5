def define(cls):
    return cls
