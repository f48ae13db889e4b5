from .base import Backend, Canvas


class AggCanvas(Canvas):
    def draw(self, scale=1):
        return scale


@Backend.export
class AggBackend(Backend):
    FigureCanvas = AggCanvas
