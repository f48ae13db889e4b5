"""Modules whose names a decorator of their classes binds."""
