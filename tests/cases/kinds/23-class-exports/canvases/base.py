import sys


class Canvas:
    pass


class Manager:
    pass


class Backend:
    backend_version = "unknown"
    FigureCanvas = Canvas
    FigureManager = Manager

    @classmethod
    def new_figure(cls, num, *args):
        return cls.FigureCanvas()

    @staticmethod
    def export(cls):
        for name in ["backend_version", "FigureCanvas", "FigureManager", "new_figure"]:
            setattr(sys.modules[cls.__module__], name, getattr(cls, name))

        class Show:
            pass

        setattr(sys.modules[cls.__module__], "Show", Show)
        return cls


class TkBackend(Backend):
    backend_version = "8.6"


def export_everything(cls):
    for name in dir(cls):
        if name.startswith("new_"):
            setattr(sys.modules[cls.__module__], name, getattr(cls, name))
    return cls


class Other:
    """A near miss: it exports nothing."""

    FigureCanvas = Canvas

    @staticmethod
    def export(cls):
        return cls
