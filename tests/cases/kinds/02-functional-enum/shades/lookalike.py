class Enum:
    def __init__(self, *words):
        self.words = words
