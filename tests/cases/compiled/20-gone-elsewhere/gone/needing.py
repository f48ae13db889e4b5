"""A near miss: its class is its own, although importing it here fails."""

try:
    from gone_elsewhere_needed import Base
except ImportError:
    raise ImportError("needing needs gone_elsewhere_needed") from None


class Heir(Base):
    pass
