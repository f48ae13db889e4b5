__all__ = ["real", "set_by_a_binary", "gone"]


def real(): ...


def gone(): ...


del gone
