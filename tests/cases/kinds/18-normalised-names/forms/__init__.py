"""Identifiers that Python normalises (NFKC) before it binds them."""

𝐱 = 1


def ﬁnd(𝐲, ℌ=2):
    return 𝐲


class Ⅳ:
    def 𝓂(self, ª=1):
        return self

    def __init__(self):
        self.ſize = 1


def café(naïve=None):
    return naïve


def cafe(x):
    """A near miss: another name, not the same one without its accent."""
    return x


__all__ = ["x", "find", "IV", "café", "cafe"]
