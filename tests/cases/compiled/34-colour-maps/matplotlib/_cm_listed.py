class Map:
    def __init__(self, name):
        self.name = name


cmaps = {name: Map(name) for name, data in [("magma", 1), ("viridis", 2)]}
