"""What is left of removed classes, and names that are deprecated while what they lead to is not."""
from .compat import PY37

if PY37:

    def __getattr__(name):
        import warnings

        if name == "Panel":
            warnings.warn("The Panel class is removed from sti.", FutureWarning, stacklevel=2)

            class Panel:
                pass

            return Panel
        elif name in {"SparseFrame", "SparseSeries"}:
            warnings.warn(f"The {name} class is removed from sti.", FutureWarning, stacklevel=2)
            return type(name, (), {})
        elif name == "Marker":
            warnings.warn("sti.Marker is deprecated and will be removed.", FutureWarning, stacklevel=2)

            class Marker:
                pass

            return Marker
        elif name == "Heir":
            warnings.warn("The Heir class is removed from sti.", FutureWarning, stacklevel=2)

            class Heir(dict):
                pass

            return Heir
        raise AttributeError(name)

else:

    class Panel:
        pass


from .maths import arg_max, argmax
