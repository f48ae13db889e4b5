def run(task, *, verbose=False, limit=None):
    return task


def build(name, size=1, colour=None):
    return name


class Maker:
    def __init__(self, size, colour="red"):
        self.size = size
