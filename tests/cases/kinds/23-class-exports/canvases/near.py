from .base import Other


@Other.export
class NearBackend(Other):
    pass
