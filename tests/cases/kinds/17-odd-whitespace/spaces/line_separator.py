TEXT = """a bcd"""

def after(x=" "):
    return x
