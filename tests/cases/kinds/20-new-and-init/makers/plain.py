class Base:
    def __init__(self, x, y=1):
        self.x = x
