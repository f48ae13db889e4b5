import sys


def helper(a): ...


sys.modules["pk"].NAME = 1
setattr(sys.modules["pk.real"], "helper", helper)
sys.modules["elsewhere"] = helper
