class TypedDict:
    def __init__(self, source=None):
        self.source = source
