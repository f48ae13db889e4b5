class NotListening:
    pass
