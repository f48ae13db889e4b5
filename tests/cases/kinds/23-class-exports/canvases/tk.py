from .base import TkBackend


@TkBackend.export
class TkAggBackend(TkBackend):
    pass
