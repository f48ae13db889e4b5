import sys

PY37 = sys.version_info >= (3, 7)
