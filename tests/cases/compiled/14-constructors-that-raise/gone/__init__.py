"""A removed class and its heirs: what cannot be made any more is gone, whoever's constructor says so."""

GONE = "Model was removed in 2.0, use gone.NewModel instead."


class Model:
    def __init__(self, *args, **kwargs):
        raise NotImplementedError(GONE)


class Chained(Model):
    """Goes on to the constructor that raises."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fitted = False


class Bare(Chained):
    def fit(self): ...


class NewModel(Model):
    """Has a constructor of its own."""

    def __init__(self, order=1):
        self.order = order


class Heir(NewModel):
    def __init__(self, order=2):
        super().__init__(order)


class Abstract:
    def __init__(self):
        raise NotImplementedError("make one of the concrete classes")
