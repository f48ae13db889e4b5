"""A near miss: what it defines is its own, and merely needs the other distribution."""

try:
    import json as elsewhere_needed
except ImportError:
    raise ImportError("guarded needs json") from None


class Writer:
    def write(self, line):
        return elsewhere_needed.dumps(line)
