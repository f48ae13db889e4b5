from ._fast import helper
__all__ = ["public"]
def public():
    from ._fast import later
