class Base:
    def run(self, x):
        """Run it.

        .. versionadded:: 0.2
        """


class Tool(Base):
    """A tool.

    .. versionadded:: 0.2
    """


def make():
    """Make one.

    .. versionadded:: 0.2
    """
