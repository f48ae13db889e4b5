def first():
    """Was first."""
