__all__ = ["tool"]


def tool(): ...


def helper(): ...
