def run(app, port=None):
    """Run it.

    :param app: what to run
    :param int port: where

        .. versionadded:: 1.1

    :return: nothing

        .. versionadded:: 1.0.5
    """


def stop(app, wait=True):
    """Stop it.

    .. versionchanged:: 1.1
       Added the ``wait`` parameter.

    .. versionchanged:: 1.1
       The default of ``app`` is checked.

    :param app: what to stop
    """


def google(a, b=0):
    """Say it.

    Args:
        a (int): A number.
        b (int): Another.

            .. versionadded:: 1.1

    Returns:
        int: A number.

        .. versionadded:: 1.0.7
    """
