from ._migration import make_getattr
__getattr__ = make_getattr(__name__)
