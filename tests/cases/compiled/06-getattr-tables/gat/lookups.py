from gat._importer import create_importer
DEPRECATED_LOOKUP = {"Model": "gat.main", "helper": "gat.v1"}
_import_attribute = create_importer(__package__, deprecated_lookups=DEPRECATED_LOOKUP)
def __getattr__(name):
    return _import_attribute(name)
