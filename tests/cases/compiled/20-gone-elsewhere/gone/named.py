"""The same with the names spelled."""

import sys

try:
    from gone_elsewhere_named import Named, helper as help_me
except ImportError as error:
    raise ImportError("install gone_elsewhere_named") from error
