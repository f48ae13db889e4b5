from typing import ParamSpec, TypeAlias, TypeVar

from ._sizes import huge as huge

T = TypeVar("T")
P = ParamSpec("P")
Kind: TypeAlias = type[float] | type[int]
_Either = list[int] | list[float]

class widefloat(float):
    def scale(self, by: float) -> float: ...

single = widefloat
half = list[int]
