def deep(list l=None): pass
