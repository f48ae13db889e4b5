import sys

_ver = sys.version_info
is_py2 = _ver[0] == 2
is_py3 = _ver[0] == 3
major = _ver[0]

if is_py2:
    from urllib import quote
    old = 1
elif is_py3:
    from urllib.parse import quote
    new = 1

if major < 3:
    older = 1
else:
    newer = 1
