"""Tools.

    global configuration
"""
def _init():
    global ready, limit
    ready = True
    limit = 3
def later():
    global late
    late = 1
_init()
