def run(app):
    """Run it."""


def stop(app):
    """Stop it."""
