def run(app, port=None, host=""):
    """Run it.

    :param app: what to run

      .. deprecated:: 2.0

    :param int port: where

        .. versionadded:: 1.1

    :keyword host: on which

      .. versionadded:: 1.1
    """


def stop(app, wait=True):
    """Stop it.

    .. versionchanged:: 1.1
       Added the ``wait`` parameter.

    :param app: what to stop
    """


def open_(name, **kwargs):
    """Open it.

    .. versionadded:: 2.0

    :param mode: how

      .. versionadded:: 2.0
    """
