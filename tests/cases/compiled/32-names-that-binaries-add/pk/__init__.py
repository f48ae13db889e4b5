from . import _c, plain, sparse
