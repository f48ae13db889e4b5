import inj._core
from inj._core import _add_docstr as add_docstr


def add_docstr_all(method, text):
    add_docstr(getattr(inj._core.TensorBase, method), text)


add_docstr(inj._core.mm, r"""
mm(a, b, *, out=None) -> Tensor

The product of {kinds}.
""".format(kinds="matrices"))
add_docstr_all("add_", "add_(value=1, other) -> Tensor")
add_docstr_all("dot", "dot(other) -> Tensor")
