from . import made

__all__ = ["listed"]
__all__ += made.objects


def listed(): ...


from .made import *
