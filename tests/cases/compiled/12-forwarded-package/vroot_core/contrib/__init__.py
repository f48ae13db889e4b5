"""Left behind: vroot does not list it."""
