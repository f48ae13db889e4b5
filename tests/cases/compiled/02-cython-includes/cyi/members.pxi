property name:
    def __get__(self): return 1
