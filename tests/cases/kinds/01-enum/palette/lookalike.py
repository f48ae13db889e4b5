class Enum:
    """Not `enum.Enum`."""

    def __init__(self, anything):
        self.anything = anything
