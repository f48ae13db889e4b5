"""Near miss: another function may write any name into the namespace."""
from ..maker import fill

fill("prefix", globals())
