"""A lazily loaded module writes its own name into the namespace that it is given, and no other."""
from ..maker import LazyLoader

_WHERE = "rpl.parts"
parts = LazyLoader("parts", globals(), _WHERE)
