import inj._core
from inj._core import _add_docstr

convolve = _add_docstr(inj._core.convolve, """
convolve(input, weight, bias=None) -> Tensor
""")


class Tensor(inj._core.TensorBase):
    def own(self): ...
