class Protocol:
    pass
