# What is added to this module by hand is kept in order; see also tensor.cpp.


def mm(a, b): ...
