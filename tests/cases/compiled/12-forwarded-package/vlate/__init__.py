"""Lists a module that another file imports, and makes names at run time."""
import sys as _sys
import types as _types


def _forward(old_name):
    return _sys.modules.setdefault(old_name, _types.ModuleType(old_name))


for _name in ["vlate.known", "vlate.unseen"]:
    _forward(_name)

for _name in dir(_types):
    globals()["type_" + _name] = None

from vlate_core import *
