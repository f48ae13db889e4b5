def first():
    """Says how docs are written.

    Write ``.. versionadded:: 1.1`` where it belongs, as in::

        .. versionadded:: 1.1

    or so:

    .. code-block:: rst

        def f():

            .. deprecated:: 1.1

    >>> print(__doc__)
    .. versionchanged:: 1.1

    ```
    .. versionadded:: 1.1
    ```

    .. A comment
       .. versionadded:: 1.1

    ..versionadded:: 1.1

    - A list,

      .. versionadded:: 1.1

    Returns
    -------
    int
        A number.

        .. versionadded:: 1.1

    Raises
    ------
    ValueError
        Where it is none.

        .. versionadded:: 1.1
    """


def noted():
    """Is new.

    .. note::

        .. versionadded:: 1.1
    """


def remarked():
    """Is new, and its notes come in two.

    .. versionadded:: 1.1

    Notes
    -----
    It does more since then.

    .. versionadded:: 1.2
    """
