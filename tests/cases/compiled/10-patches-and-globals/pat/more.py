from pat.tensor import Tensor
from . import tools
from json import JSONDecoder
def storage(self, offset=0): ...
Tensor.storage = storage
Tensor.kept = lambda self: 1
Tensor.flag = True
tools.extra = storage
JSONDecoder.ours = storage
