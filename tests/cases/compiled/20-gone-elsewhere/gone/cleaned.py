"""All of it is another distribution now, and only the message says so."""

try:
    from gone_elsewhere_cleaned import *

    __all__ = ["Cleaner", "clean"]
except ImportError:
    raise ImportError("gone.cleaned is now a separate project gone_elsewhere_cleaned") from None
