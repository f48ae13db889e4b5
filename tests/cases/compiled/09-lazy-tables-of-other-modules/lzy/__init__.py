import sys
_import_structure = {"models": ["Real"]}
try:
    import surely_not_installed_anywhere
except ImportError:
    from .utils import dummies
    _import_structure["utils.dummies"] = [name for name in dir(dummies) if not name.startswith("_")]
else:
    _import_structure["models"].append("Heavy")
from .loading import LazyModule
sys.modules[__name__] = LazyModule(__name__, globals()["__file__"], _import_structure)
