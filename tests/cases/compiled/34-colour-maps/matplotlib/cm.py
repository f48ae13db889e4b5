from matplotlib import _api
from matplotlib._cm import datad
from matplotlib._cm_listed import Map, cmaps as cmaps_listed


@_api.caching_module_getattr
class __getattr__:
    @property
    def LUTSIZE(self):
        return 256


def _gen_cmap_registry():
    cmap_d = {**cmaps_listed}
    for name in datad:
        cmap_d[name] = Map(name)
    cmap_d["gray"] = Map("gray")
    for cmap in list(cmap_d.values()):
        rmap = Map(cmap.name + "_r")
        cmap_d[rmap.name] = rmap
    return cmap_d


_colormaps = _gen_cmap_registry()
globals().update(_colormaps)


def get_name(cmap):
    return cmap.name
