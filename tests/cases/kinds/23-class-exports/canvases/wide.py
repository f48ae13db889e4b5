from .base import Backend, export_everything


@export_everything
class WideBackend(Backend):
    pass
