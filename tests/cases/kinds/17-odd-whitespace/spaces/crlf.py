def one(
    x,
):
    """Text.

    More.
    """
    return x
