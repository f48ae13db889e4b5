from numpy.core.multiarray import typeinfo

allTypes = {}
for k, v in typeinfo.items():
    allTypes[k.lower()] = v
