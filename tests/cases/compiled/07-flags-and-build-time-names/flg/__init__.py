import sys
try:
    __FLG_SETUP__
except NameError:
    __FLG_SETUP__ = False
if __FLG_SETUP__:
    def only_while_building(): ...
else:
    def normal(): ...
try:
    import surely_not_installed_anywhere
    HAS_IT = True
except ImportError:
    HAS_IT = False
if HAS_IT:
    def with_it(): ...
else:
    def without_it(): ...
PY2 = sys.version_info[0] == 2
if PY2:
    text = unicode
    def old(): ...
else:
    text = str
    def new(): ...
DEBUG = bool(sys.flags.debug)
if DEBUG:
    def debugging(): ...
