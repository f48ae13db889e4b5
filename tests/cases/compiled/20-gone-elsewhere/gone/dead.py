"""Nobody can import it."""

NAME = 1

raise ImportError("Install gone_elsewhere_dead")
