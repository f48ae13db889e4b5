from vroot.ops.marks import deprecated


@deprecated("2018-08-20", "Use vroot.print instead.")
def Print(input_, data, message=None): ...


def print_v2(*inputs): ...
