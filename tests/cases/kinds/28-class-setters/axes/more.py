"""What another module gives to a class."""

from . import Bare

Bare._create_indexer("ix", lambda self, name: name)
