class NamedTuple:
    def __init__(self, *cells):
        self.cells = cells
