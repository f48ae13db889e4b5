from ._core import Base, grow
from .plain import Plain


class Child(Base):
    def own(self): ...
