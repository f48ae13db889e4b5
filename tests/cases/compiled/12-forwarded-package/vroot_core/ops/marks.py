def deprecated(date, instructions):
    def decorate(function):
        return function

    return decorate
