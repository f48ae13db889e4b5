"""The evaluator: how retrieved context changes scores on version-specific code tasks.  To be built."""
