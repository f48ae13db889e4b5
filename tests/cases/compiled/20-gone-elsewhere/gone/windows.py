"""A near miss: only on some platforms can it not be imported."""
import sys

if sys.platform != "win32":
    raise ImportError("Windows only")


def beep(frequency):
    return frequency
