def deprecated(date, instructions):
    return lambda function: function
