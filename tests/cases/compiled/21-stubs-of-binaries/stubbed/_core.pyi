from typing import TypeAlias, TypeVar

T = TypeVar("T")
Number: TypeAlias = int | float
limit: int

class Base:
    size: int
    def __init__(self, size: int) -> None: ...
    def listed(self, x: int) -> int: ...

    class Inner:
        depth: int

def grow(item: T, by: int = 1) -> T: ...
