def namedtuple(name, fields):
    return {name: fields}
