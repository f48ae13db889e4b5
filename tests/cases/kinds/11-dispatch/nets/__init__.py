"""A class as a decorator that adds keywords to every function, as networkx's dispatch does."""

from functools import lru_cache

from .backends import _dispatchable, nodes_or_number, simple_dispatch
from .plain import plain


@_dispatchable
def path_length(G, source=None, *, weight="w"):
    return 0


@_dispatchable(graphs=None, returns_graph=True)
def star(n, create_using=None, **attr):
    return n


@nodes_or_number(0)
@_dispatchable(graphs=None)
def path(n, create_using=None):
    return n


@simple_dispatch
def simple(G, source=None):
    return G


@plain
def untouched(G, source=None):
    """A near miss: a class as a decorator that calls the function with what it is given."""
    return G


@lru_cache(maxsize=3)
def cached(a, b=2):
    return a
